/* raddle/generate.h -- drawing made-up values.
 *
 * Each call draws a value for this case.  The first value named in a
 * description is the simplest, and what a failing case shrinks towards.  What
 * is drawn is shown in the report of a failing case, under the name of the
 * variable it was assigned to.
 *
 * An ordinary C function that calls these is a generator too, and needs neither
 * a shrinker nor a printer:
 *
 *     static struct point point(struct rdl_case *t)
 *     {
 *         return (struct point){.x = rdl_int(t, -9, 9), .y = rdl_int(t, -9, 9)};
 *     }
 *
 * Memory handed out lives until the case ends.  A range whose ends are swapped,
 * an empty choice and the like end the test with an error that says so. */
#ifndef RADDLE_GENERATE_H
#define RADDLE_GENERATE_H

#include <raddle/base.h>
#include <raddle/case.h>

#ifdef RDL__OF_THE_SYSTEM
#pragma GCC system_header
#endif

/* ---- Numbers ---------------------------------------------------------------- */

/* An integer from min to max, both included.  Simplest is the one nearest to 0;
 * the ends and small numbers come up more often than others. */
#define rdl_int(t, min, max)  rdl__int((t), RDL__HERE, (min), (max))
#define rdl_uint(t, min, max) rdl__uint((t), RDL__HERE, (min), (max))

/* The same, but simplest is the one given. */
#define rdl_int_near(t, simplest, min, max) rdl__int_near((t), RDL__HERE, (simplest), (min), (max))

/* Any integer of a width. */
#define rdl_i8(t)  ((int8_t)rdl__width((t), RDL__HERE, "rdl_i8", -8))
#define rdl_i16(t) ((int16_t)rdl__width((t), RDL__HERE, "rdl_i16", -16))
#define rdl_i32(t) ((int32_t)rdl__width((t), RDL__HERE, "rdl_i32", -32))
#define rdl_i64(t) ((int64_t)rdl__width((t), RDL__HERE, "rdl_i64", -64))
#define rdl_u8(t)  ((uint8_t)rdl__width((t), RDL__HERE, "rdl_u8", 8))
#define rdl_u16(t) ((uint16_t)rdl__width((t), RDL__HERE, "rdl_u16", 16))
#define rdl_u32(t) ((uint32_t)rdl__width((t), RDL__HERE, "rdl_u32", 32))
#define rdl_u64(t) ((uint64_t)rdl__width((t), RDL__HERE, "rdl_u64", 64))

/* false or true, evenly; or true with a probability from 0.0 to 1.0. */
#define rdl_bool(t)                rdl__chance((t), RDL__HERE, "rdl_bool", 0.5)
#define rdl_chance(t, probability) rdl__chance((t), RDL__HERE, "rdl_chance", (probability))

/* A floating-point number: 0, then small whole numbers, then fractions of few
 * binary digits, then all others.  Without a range any finite number comes up:
 *     rdl_double(t)    rdl_double(t, .range = {0.0, 1.0})    rdl_double(t, .nan = true)
 * -0.0 comes up wherever 0.0 may and the range does not begin at 0.0. */
struct rdl_double {
    struct {
        double min, max;
    } range;       /* both 0: all finite numbers */
    bool infinity; /* also the infinities that lie beyond the range's open ends */
    bool nan;      /* also NaN */
} RDL__FORM;
#define rdl_double(t, ...)                                                                         \
    rdl__double((t), RDL__HERE, "rdl_double", 53, RDL__FILLED(struct rdl_double, __VA_ARGS__))
#define rdl_float(t, ...)                                                                          \
    ((float)rdl__double((t), RDL__HERE, "rdl_float", 24,                                           \
                        RDL__FILLED(struct rdl_double, __VA_ARGS__)))

/* ---- Text --------------------------------------------------------------------- */

/* A printable ASCII character: 'a' to 'z', 'A' to 'Z', '0' to '9', the rest. */
#define rdl_char(t) rdl__char((t), RDL__HERE)

/* A Unicode code point: printable ASCII as above, then others; no surrogates. */
#define rdl_codepoint(t) rdl__codepoint((t), RDL__HERE)

/* A string, NUL-terminated.  Length is in characters.
 *     rdl_string(t)    rdl_string(t, .length = {1, 8}, .of = "01")
 *     rdl_string(t, .kind = RDL_UTF8)                                          */
enum rdl_string_kind {
    RDL_PRINTABLE,  /* printable ASCII */
    RDL_ASCII,      /* codes 1 to 127 */
    RDL_UTF8,       /* any code points but 0 */
    RDL_IDENTIFIER, /* a C identifier that is no keyword; at least one character */
};
struct rdl_length {
    size_t min, max;
}; /* both 0: 0 to 32 */
struct rdl_string {
    struct rdl_length length;
    enum rdl_string_kind kind;
    const char *of; /* only these bytes, the first being the simplest */
} RDL__FORM;
#define rdl_string(t, ...) rdl__string((t), RDL__HERE, RDL__FILLED(struct rdl_string, __VA_ARGS__))
#define rdl_identifier(t)                                                                          \
    rdl__string((t), RDL__HERE, RDL__FILLED(struct rdl_string, .kind = RDL_IDENTIFIER))

/* ---- Many of something ---------------------------------------------------------- */

struct rdl_many {
    struct rdl_length length;
    struct {
        int64_t min, max;
    } range; /* of rdl_ints; both 0: all ints */
} RDL__FORM;

/* n ints, or n bytes; n is set.   rdl_ints(t, &n, .length = {0, 9}, .range = {0, 99}) */
#define rdl_ints(t, out_n, ...)                                                                    \
    rdl__ints((t), RDL__HERE, (out_n), RDL__FILLED(struct rdl_many, __VA_ARGS__))
#define rdl_bytes(t, out_n, ...)                                                                   \
    rdl__bytes((t), RDL__HERE, (out_n), RDL__FILLED(struct rdl_many, __VA_ARGS__))

/* An array of what generator(t) returns, of any type:
 *     struct point *ps = rdl_array(t, &n, point, .length = {1, 20});            */
#define rdl_array(t, out_n, generator, ...)                                                        \
    RDL__EXTENSION({                                                                               \
        RDL__MADE_OF_BYTES(__typeof__(generator(t)))                                               \
        struct rdl_list rdl__list_ = rdl_list((t), __VA_ARGS__);                                   \
        __typeof__(generator(t)) *rdl__items_ =                                                    \
            rdl_new_array((t), __typeof__(generator(t)), rdl__list_.room);                         \
        size_t rdl__n_ = 0;                                                                        \
        while (rdl_more(&rdl__list_))                                                              \
            rdl__items_[rdl__n_++] = generator(t);                                                 \
        *(out_n) = rdl__n_;                                                                        \
        rdl__items_;                                                                               \
    })

/* The same as a loop of your own, for whatever is built element by element:
 *     struct rdl_list calls = rdl_list(t, .length = {0, 50});
 *     while (rdl_more(&calls))
 *         step(t, queue);
 * Leaving the loop early, by break, is fine.  calls.count is the number of
 * elements begun. */
struct rdl_list {
    struct rdl_case *t;
    size_t min, max, count;
    size_t room;   /* no more elements than this can come */
    size_t target; /* chance's idea of the length */
    unsigned depth;
    bool ended;
};
#define rdl_list(t, ...) rdl__list((t), RDL__HERE, RDL__FILLED(struct rdl_many, __VA_ARGS__))
RDL_API bool rdl_more(struct rdl_list *list);

/* ---- One of several --------------------------------------------------------------- */

/* A number from 0 to n - 1, evenly. */
#define rdl_pick(t, n) rdl__pick((t), RDL__HERE, (n))

/* A number from 0 to k - 1 by weight:  switch (rdl_frequency(t, 5, 1, 1)) ...
 * A weight of 0 is never picked.  At most 16 weights. */
#define rdl_frequency(t, ...)                                                                      \
    rdl__frequency((t), RDL__HERE, RDL__WEIGHTS(__VA_ARGS__), RDL__COUNT(__VA_ARGS__))

#ifdef __cplusplus
#define RDL__WEIGHTS(...) (rdl__same<std::initializer_list<unsigned>>{__VA_ARGS__}.begin())
#else
#define RDL__WEIGHTS(...) ((const unsigned[]){__VA_ARGS__})
#endif

/* What one of these generators returns; all must return the same type. */
#define rdl_one_of(t, first, ...)                                                                  \
    RDL__EXTENSION({                                                                               \
        typedef __typeof__(first(t)) rdl__drawn_;                                                  \
        rdl__drawn_ (*const rdl__generators_[])(struct rdl_case *) = {first, ##__VA_ARGS__};       \
        size_t rdl__which_ =                                                                       \
            rdl__one_of_begin((t), sizeof rdl__generators_ / sizeof *rdl__generators_);            \
        rdl__drawn_ rdl__value_ = rdl__generators_[rdl__which_](t);                                \
        rdl_end(t);                                                                                \
        rdl__value_;                                                                               \
    })

/* An element of an array (not of a pointer), the first being the simplest. */
#define rdl_sample(t, array)                                                                       \
    ((array)[rdl__sample((t), RDL__HERE, #array, sizeof(array) / sizeof *(array))])

/* Is the optional thing there?  false is simplest. */
#define rdl_maybe(t) rdl__chance((t), RDL__HERE, "rdl_maybe", 0.5)

/* ---- Orders and choices of many ----------------------------------------------------- */

/* The numbers 0 to n - 1 in some order; the simplest is the sorted one. */
#define rdl_permutation(t, n) rdl__permutation((t), RDL__HERE, (n))

/* Put the n elements of an array into another order. */
#define rdl_shuffle(t, array, n) rdl__shuffle((t), (array), (n), sizeof *(array))

/* Some of the numbers 0 to n - 1, ascending; how many goes to out_count.  The
 * simplest is none. */
#define rdl_subset(t, n, out_count) rdl__subset((t), RDL__HERE, (n), (out_count))

/* ---- Recursion ------------------------------------------------------------------------ */

/* May this node of a recursive structure have children?  false is simplest, and
 * the only answer once the case has as many nodes as its size allows, so that
 * recursion ends.  `children` says how many there would be:
 *
 *     static struct tree *tree(struct rdl_case *t)
 *     {
 *         RDL_SPAN(t, "tree");
 *         struct tree *node = rdl_new(t, struct tree);
 *
 *         node->key = rdl_int(t, 0, 99);
 *         if (rdl_grow(t, 2)) {
 *             node->left = tree(t);
 *             node->right = tree(t);
 *         }
 *         return node;
 *     }                                                                            */
RDL_API bool rdl_grow(struct rdl_case *t, unsigned children);

/* ---- Swarms --------------------------------------------------------------------------- */

/* Which of n features (at most 64) this case uses, as bits: random ones are off
 * in most cases, so that what one feature hides, another can show.  At least
 * one is on; the simplest is all of them. */
#define rdl_swarm(t, n) rdl__swarm((t), RDL__HERE, (n))

/* The number of one of the bits set in features. */
#define rdl_pick_of(t, features) rdl__pick_of((t), RDL__HERE, (features))

/* ---- Behind the macros ---------------------------------------------------------------- */

RDL_API int64_t rdl__int(struct rdl_case *t, const char *file, int line, int64_t min, int64_t max);
RDL_API uint64_t rdl__uint(struct rdl_case *t, const char *file, int line, uint64_t min,
                           uint64_t max);
RDL_API int64_t rdl__int_near(struct rdl_case *t, const char *file, int line, int64_t simplest,
                              int64_t min, int64_t max);
RDL_API uint64_t rdl__width(struct rdl_case *t, const char *file, int line, const char *what,
                            int bits);
RDL_API bool rdl__chance(struct rdl_case *t, const char *file, int line, const char *what,
                         double probability);
RDL_API double rdl__double(struct rdl_case *t, const char *file, int line, const char *what,
                           int precision, struct rdl_double form);
RDL_API char rdl__char(struct rdl_case *t, const char *file, int line);
RDL_API uint32_t rdl__codepoint(struct rdl_case *t, const char *file, int line);
RDL_API char *rdl__string(struct rdl_case *t, const char *file, int line, struct rdl_string form);
RDL_API int *rdl__ints(struct rdl_case *t, const char *file, int line, size_t *out_n,
                       struct rdl_many form);
RDL_API uint8_t *rdl__bytes(struct rdl_case *t, const char *file, int line, size_t *out_n,
                            struct rdl_many form);
RDL_API struct rdl_list rdl__list(struct rdl_case *t, const char *file, int line,
                                  struct rdl_many form);
RDL_API size_t rdl__pick(struct rdl_case *t, const char *file, int line, size_t n);
RDL_API size_t rdl__sample(struct rdl_case *t, const char *file, int line, const char *array,
                           size_t n);
RDL_API size_t rdl__frequency(struct rdl_case *t, const char *file, int line,
                              const unsigned *weights, size_t n);
RDL_API size_t rdl__one_of_begin(struct rdl_case *t, size_t n);
RDL_API size_t *rdl__permutation(struct rdl_case *t, const char *file, int line, size_t n);
RDL_API void rdl__shuffle(struct rdl_case *t, void *array, size_t n, size_t size);
RDL_API size_t *rdl__subset(struct rdl_case *t, const char *file, int line, size_t n,
                            size_t *out_count);
RDL_API uint64_t rdl__swarm(struct rdl_case *t, const char *file, int line, unsigned n);
RDL_API unsigned rdl__pick_of(struct rdl_case *t, const char *file, int line, uint64_t features);

#endif
