/* raddle/model.h -- containers for the states of models.
 *
 * They have a fixed capacity and no pointers, so that a struct of them is plain bytes:
 *
 *     struct shop {
 *         rdl_fifo(int, 8) customers;
 *         rdl_map(int, struct price, 100) prices;
 *     };
 *
 *     static void enter_post(struct shop *s, const struct customer *a)
 *     {
 *         rdl_fifo_put(&s->customers, a->number);
 *     }
 *
 * Equal contents are equal bytes, however they came about: what is not used is zero, and
 * where order does not matter, items are sorted.  A container of zero bytes is empty.
 *
 * Each has the members `count` and `items`, which may be read; what may be changed is said
 * below.  Everything is done through a pointer to the container.  Elements can be of any
 * type that can be assigned: numbers, structs, rdl_ref.
 *
 * Putting something into a full container, taking something out of an empty one, and an
 * index out of range end the test with an error that says where. */
#ifndef RADDLE_MODEL_H
#define RADDLE_MODEL_H

#include <raddle/base.h>

#ifdef RDL__OF_THE_SYSTEM
#pragma GCC system_header
#endif

#define RDL__ITEMS(T, cap)                                                                         \
    struct {                                                                                       \
        uint32_t count;                                                                            \
        T items[cap];                                                                              \
        RDL__MADE_OF_BYTES(decltype(items))                                                        \
    }

/* ---- All of them ------------------------------------------------------------------- */

/* How many fit in; are there as many, or none?  Make it empty. */
#define rdl_capacity(c) ((uint32_t)(sizeof(c)->items / sizeof(c)->items[0]))
#define rdl_is_full(c)  ((c)->count == rdl_capacity(c))
#define rdl_is_empty(c) ((c)->count == 0)
#define rdl_clear(c)    ((void)__builtin_memset((c), 0, sizeof *(c)))

/* ---- Vectors ------------------------------------------------------------------------ */

/* Elements in the order in which you put them; they may be changed where they are. */
#define rdl_vec(T, cap) RDL__ITEMS(T, cap)

/* Add one at the end, or before the one with index i; those after it move up. */
#define rdl_vec_push(v, ...)                                                                       \
    RDL__GIVEN(v, RDL__NEW_NAME, (__VA_ARGS__), RDL__APPEND, RDL__SAY("rdl_vec_push", v), 0)
#define rdl_vec_insert(v, i, ...)                                                                  \
    RDL__GIVEN(v, RDL__NEW_NAME, (__VA_ARGS__), RDL__INSERT, RDL__SAY("rdl_vec_insert", v), i)

/* Take out the last one, or the one with index i, and return it. */
#define rdl_vec_pop(v) RDL__TAKE(v, RDL__NEW_NAME, rdl__take_last, RDL__SAY("rdl_vec_pop", v), 0)
#define rdl_vec_remove(v, i)                                                                       \
    RDL__TAKE(v, RDL__NEW_NAME, rdl__take, RDL__SAY("rdl_vec_remove", v), i)

/* The one with index i, which can be assigned to:  rdl_vec_at(&v, 2) = 7; */
#define rdl_vec_at(v, i)                                                                           \
    (*(__typeof__(&(v)->items[0]))rdl__item(RDL__READ(v, RDL__SAY("rdl_vec_at", v)), (i)))

/* ---- Queues -------------------------------------------------------------------------- */

/* First in, first out. */
#define rdl_fifo(T, cap) RDL__ITEMS(T, cap)

#define rdl_fifo_put(f, ...)                                                                       \
    RDL__GIVEN(f, RDL__NEW_NAME, (__VA_ARGS__), RDL__APPEND, RDL__SAY("rdl_fifo_put", f), 0)
#define rdl_fifo_get(f) RDL__TAKE(f, RDL__NEW_NAME, rdl__take, RDL__SAY("rdl_fifo_get", f), 0)

/* The first one, which stays. */
#define rdl_fifo_peek(f)                                                                           \
    (*(const __typeof__((f)->items[0]) *)rdl__item(RDL__READ(f, RDL__SAY("rdl_fifo_peek", f)), 0))

/* ---- Sets ------------------------------------------------------------------------------ */

/* Each element is in it once.  Numbers are sorted by their value, structs by their bytes. */
#define rdl_set(T, cap)     RDL__ITEMS(T, cap)

#define rdl_set_add(s, ...) /* bool: it is new */                                                  \
    RDL__GIVEN(s, RDL__NEW_NAME, (__VA_ARGS__), RDL__SORT_IN_NEW, RDL__SAY("rdl_set_add", s), 0)
#define rdl_set_remove(s, ...) /* bool: it was there */                                            \
    RDL__GIVEN(s, RDL__NEW_NAME, (__VA_ARGS__), RDL__DROP, RDL__SAY("rdl_set_remove", s), 0)
#define rdl_set_has(s, ...)                                                                        \
    RDL__GIVEN(s, RDL__NEW_NAME, (__VA_ARGS__), RDL__HAS, RDL__SAY("rdl_set_has", s), 0)

/* ---- Multisets -------------------------------------------------------------------------- */

/* Each element is in it as often as it was added. */
#define rdl_multiset(T, cap) RDL__ITEMS(T, cap)

#define rdl_multiset_add(s, ...)                                                                   \
    RDL__GIVEN(s, RDL__NEW_NAME, (__VA_ARGS__), RDL__SORT_IN, RDL__SAY("rdl_multiset_add", s), 0)
#define rdl_multiset_remove(s, ...) /* one of them; bool: there was one */                         \
    RDL__GIVEN(s, RDL__NEW_NAME, (__VA_ARGS__), RDL__DROP, RDL__SAY("rdl_multiset_remove", s), 0)
#define rdl_multiset_count(s, ...) /* how many are equal to it */                                  \
    RDL__GIVEN(s, RDL__NEW_NAME, (__VA_ARGS__), RDL__HOW_MANY, RDL__SAY("rdl_multiset_count", s), 0)

/* ---- Maps --------------------------------------------------------------------------------- */

/* Values by their keys.  Items have the members `key` and `value`, and are sorted by key as
 * those of sets are. */
#define rdl_map(K, V, cap)                                                                         \
    RDL__ITEMS(                                                                                    \
        struct {                                                                                   \
            K key;                                                                                 \
            V value;                                                                               \
        },                                                                                         \
        cap)

/* Set the value of a key, which may be new. */
#define rdl_map_put(m, k, ...)                                                                     \
    RDL__PUT(m, RDL__NEW_NAME, (k), (__VA_ARGS__), RDL__SAY("rdl_map_put", m))

/* A pointer to the value, which may be changed; NULL: there is none.  Good until a key
 * is added or removed. */
#define rdl_map_get(m, ...)                                                                        \
    ((__typeof__(&(m)->items[0].value))RDL__KEYED(                                                 \
        m, RDL__NEW_NAME, (__VA_ARGS__),                                                           \
        RDL__READ_BY((m), (m)->items[0].key, RDL__SAY("rdl_map_get", m)), rdl__map_get,            \
        __builtin_offsetof(__typeof__((m)->items[0]), value)))

#define rdl_map_remove(m, ...) /* bool: it was there */                                            \
    RDL__KEYED(m, RDL__NEW_NAME, (__VA_ARGS__),                                                    \
               RDL__CHANGE_BY((m), (m)->items[0].key, RDL__SAY("rdl_map_remove", m)), rdl__drop,   \
               0)
#define rdl_map_has(m, ...) (rdl_map_get(m, __VA_ARGS__) != NULL)

/* ---- Behind the macros ----------------------------------------------------------------------- */

/* How keys are sorted. */
enum rdl__order { RDL__BYTES, RDL__SIGNED, RDL__UNSIGNED, RDL__REAL };
#ifdef __cplusplus
#define RDL__ORDER_OF(it) (rdl__order_of<RDL__PLAIN(it)>())

extern "C++" {
template <class T> constexpr enum rdl__order rdl__order_of(void)
{
    if (std::is_same<T, float>::value || std::is_same<T, double>::value)
        return RDL__REAL;
    if (!std::is_integral<T>::value)
        return RDL__BYTES;
    return std::is_signed<T>::value ? RDL__SIGNED : RDL__UNSIGNED;
}
}
#else
#define RDL__ORDER_OF(it)                                                                          \
    _Generic((it), char                                                                            \
             : (char)-1 < 0 ? RDL__SIGNED : RDL__UNSIGNED, signed char                             \
             : RDL__SIGNED, short                                                                  \
             : RDL__SIGNED, int                                                                    \
             : RDL__SIGNED, long                                                                   \
             : RDL__SIGNED, long long                                                              \
             : RDL__SIGNED, bool                                                                   \
             : RDL__UNSIGNED, unsigned char                                                        \
             : RDL__UNSIGNED, unsigned short                                                       \
             : RDL__UNSIGNED, unsigned                                                             \
             : RDL__UNSIGNED, unsigned long                                                        \
             : RDL__UNSIGNED, unsigned long long                                                   \
             : RDL__UNSIGNED, float                                                                \
             : RDL__REAL, double                                                                   \
             : RDL__REAL, default                                                                  \
             : RDL__BYTES)
#endif

/* A container of any type, and who asks. */
struct rdl__box {
    uint32_t *count;
    char *items;
    uint32_t capacity, size, key_size;
    enum rdl__order order;
    const char *what, *file;
    int line;
};

#define RDL__SAY(function, c) function "(" #c ")"

/* The container is evaluated once, and must not be const if it is changed. */
#define RDL__CHANGE_BY(c, key, what)                                                               \
    rdl__box((c), __builtin_offsetof(__typeof__(*(c)), items), rdl_capacity(c),                    \
             sizeof(c)->items[0], sizeof(key), RDL__ORDER_OF(key), (what), RDL__HERE)
#define RDL__READ_BY(c, key, what)                                                                 \
    rdl__box_to_read((c), __builtin_offsetof(__typeof__(*(c)), items), rdl_capacity(c),            \
                     sizeof(c)->items[0], sizeof(key), RDL__ORDER_OF(key), (what), RDL__HERE)
#define RDL__CHANGE(c, what) RDL__CHANGE_BY((c), (c)->items[0], what)
#define RDL__READ(c, what)   RDL__READ_BY((c), (c)->items[0], what)

/* A name that no macro around this one has used; and a type without its qualifiers. */
#define RDL__NEW_NAME RDL__JOIN(rdl__item_, __COUNTER__)
#ifdef __cplusplus
#define RDL__PLAIN(it) rdl__plain<decltype(it)>

extern "C++" {
template <class T>
using rdl__plain = typename std::remove_cv<typename std::remove_reference<T>::type>::type;
}
#else
#define RDL__PLAIN(it) __typeof__(((void)0, (it)))
#endif

/* What is given is evaluated first, and becomes an element without padding. */
#define RDL__GIVEN(c, name, given, does, what, i) RDL__GIVEN2(c, name, given, does, what, i)
#define RDL__GIVEN2(c, name, given, does, what, i)                                                 \
    RDL__EXTENSION({                                                                               \
        RDL__PLAIN((c)->items[0]) name = given;                                                    \
        RDL__CLEAR_PADDING(&name);                                                                 \
        does(c, name, what, i);                                                                    \
    })
#define RDL__APPEND(c, name, what, i)                                                              \
    ((void)__builtin_memcpy(rdl__append(RDL__CHANGE(c, what)), &name, sizeof name))
#define RDL__INSERT(c, name, what, i)                                                              \
    ((void)__builtin_memcpy(rdl__insert(RDL__CHANGE(c, what), (i)), &name, sizeof name))
#define RDL__SORT_IN_NEW(c, name, what, i)    rdl__sort_in_new(RDL__CHANGE(c, what), &name)
#define RDL__SORT_IN(c, name, what, i)        rdl__sort_in(RDL__CHANGE(c, what), &name)
#define RDL__DROP(c, name, what, i)           rdl__drop(RDL__CHANGE(c, what), &name, 0)
#define RDL__HAS(c, name, what, i)            (rdl__how_many(RDL__READ(c, what), &name) > 0)
#define RDL__HOW_MANY(c, name, what, i)       rdl__how_many(RDL__READ(c, what), &name)

#define RDL__TAKE(c, name, function, what, i) RDL__TAKE2(c, name, function, what, i)
#define RDL__TAKE2(c, name, function, what, i)                                                     \
    RDL__EXTENSION({                                                                               \
        __typeof__((c)->items[0]) name;                                                            \
        function(RDL__CHANGE(c, what), (i), &name);                                                \
        name;                                                                                      \
    })

#ifdef __cplusplus
#define RDL__PAIR(Type, name, k, given)                                                            \
    Type name;                                                                                     \
    __builtin_memset(&name, 0, sizeof name);                                                       \
    name.key = k;                                                                                  \
    name.value = given
#else
#define RDL__PAIR(Type, name, k, given) Type name = {.key = k, .value = given}
#endif
#define RDL__PUT(m, name, k, given, what) RDL__PUT2(m, name, k, given, what)
#define RDL__PUT2(m, name, k, given, what)                                                         \
    RDL__EXTENSION({                                                                               \
        RDL__PAIR(__typeof__((m)->items[0]), name, k, given);                                      \
        RDL__CLEAR_PADDING(&name);                                                                 \
        rdl__map_put(RDL__CHANGE_BY((m), (m)->items[0].key, what), &name);                         \
    })
#define RDL__KEYED(m, name, k, box, function, i) RDL__KEYED2(m, name, k, box, function, i)
#define RDL__KEYED2(m, name, k, box, function, i)                                                  \
    RDL__EXTENSION({                                                                               \
        RDL__PLAIN((m)->items[0].key) name = k;                                                    \
        RDL__CLEAR_PADDING(&name);                                                                 \
        function(box, &name, i);                                                                   \
    })

RDL_API RDL__NORETURN void rdl__box_is_full(struct rdl__box box);
RDL_API RDL__NORETURN void rdl__box_lacks(struct rdl__box box, int64_t index);
RDL_API void *rdl__insert(struct rdl__box box, int64_t index);
RDL_API bool rdl__sort_in_new(struct rdl__box box, const void *item);
RDL_API void rdl__sort_in(struct rdl__box box, const void *item);
RDL_API bool rdl__drop(struct rdl__box box, const void *key, size_t unused);
RDL_API uint32_t rdl__how_many(struct rdl__box box, const void *key);
RDL_API void rdl__map_put(struct rdl__box box, const void *item);
RDL_API void *rdl__map_get(struct rdl__box box, const void *key, size_t offset);

static inline struct rdl__box rdl__box(void *container, size_t offset, uint32_t capacity,
                                       size_t size, size_t key_size, enum rdl__order order,
                                       const char *what, const char *file, int line)
{
    struct rdl__box box = {(uint32_t *)container,
                           (char *)container + offset,
                           capacity,
                           (uint32_t)size,
                           (uint32_t)key_size,
                           order,
                           what,
                           file,
                           line};

    return box;
}

static inline struct rdl__box rdl__box_to_read(const void *container, size_t offset,
                                               uint32_t capacity, size_t size, size_t key_size,
                                               enum rdl__order order, const char *what,
                                               const char *file, int line)
{
    return rdl__box((void *)(uintptr_t)container, offset, capacity, size, key_size, order, what,
                    file, line);
}

static inline void *rdl__append(struct rdl__box box)
{
    if (__builtin_expect(*box.count >= box.capacity, 0))
        rdl__box_is_full(box);
    return box.items + (size_t)box.size * (*box.count)++;
}

static inline void *rdl__item(struct rdl__box box, int64_t index)
{
    if (__builtin_expect(index < 0 || index >= *box.count, 0))
        rdl__box_lacks(box, index);
    return box.items + (size_t)box.size * (size_t)index;
}

/* A few small elements move one by one: a processor has those that
 * were just written at hand only in the sizes in which they were. */
static inline void rdl__close_gap(struct rdl__box box, char *gap)
{
    char *last = box.items + (size_t)box.size * (*box.count - 1);

    if (box.size <= 8 && box.capacity <= 16)
        for (; gap < last; gap += box.size)
            __builtin_memcpy(gap, gap + box.size, box.size);
    else
        __builtin_memmove(gap, gap + box.size, (size_t)(last - gap));
    __builtin_memset(last, 0, box.size);
    --*box.count;
}

static inline void rdl__take(struct rdl__box box, int64_t index, void *out)
{
    char *item = (char *)rdl__item(box, index);

    __builtin_memcpy(out, item, box.size);
    rdl__close_gap(box, item);
}

static inline void rdl__take_last(struct rdl__box box, int64_t unused, void *out)
{
    (void)unused;
    rdl__take(box, (int64_t)*box.count - 1, out);
}

#endif
