/* atomic_each.h -- atomic operations on objects of one size: BITS, as a TYPE.  Part of
 * atomic.c, which includes it once for each size. */

/* As the CPU does it; for those who are not controlled, too. */
static inline bool JOIN(swap, BITS, )(volatile TYPE *at, TYPE *expected, TYPE value)
{
#if BITS == 128
    uint64_t low = (uint64_t)*expected, high = (uint64_t)(*expected >> 64);
    bool done;

    __asm__ volatile("lock cmpxchg16b %1"
                     : "=@ccz"(done), "+m"(*at), "+a"(low), "+d"(high)
                     : "b"((uint64_t)value), "c"((uint64_t)(value >> 64))
                     : "memory");
    *expected = (TYPE)high << 64 | low;
    return done;
#else
    return __atomic_compare_exchange_n(at, expected, value, false, __ATOMIC_SEQ_CST,
                                       __ATOMIC_SEQ_CST);
#endif
}

static inline TYPE JOIN(peek, BITS, )(const volatile TYPE *at)
{
#if BITS == 128
    TYPE value = 0;

    JOIN(swap, BITS, )((volatile TYPE *)at, &value, 0);
    return value;
#else
    return __atomic_load_n(at, __ATOMIC_SEQ_CST);
#endif
}

TYPE OURS(load)(const volatile TYPE *at, int order, const struct rdl__entry *entry) HIDDEN;
void OURS(store)(volatile TYPE *at, TYPE value, int order, const struct rdl__entry *entry) HIDDEN;

TYPE OURS(load)(const volatile TYPE *at, int order, const struct rdl__entry *entry)
{
    loaded(enter(at, sizeof *at, 0, entry), at, sizeof *at, order);
    return JOIN(peek, BITS, )(at);
}

void OURS(store)(volatile TYPE *at, TYPE value, int order, const struct rdl__entry *entry)
{
    struct rdl__track *track = enter(at, sizeof *at, RDL__HOW_WRITE, entry);
    TYPE old = JOIN(peek, BITS, )(at);

    while (!JOIN(swap, BITS, )(at, &old, value))
        continue;
    stored(track, at, sizeof *at, order, old != value);
}

/* Read, change, write: all return what was there before. */
#define UPDATE(what, new_value)                                                                    \
    TYPE OURS(what)(volatile TYPE * at, TYPE value, int order, const struct rdl__entry *entry)     \
        HIDDEN;                                                                                    \
    TYPE OURS(what)(volatile TYPE * at, TYPE value, int order, const struct rdl__entry *entry)     \
    {                                                                                              \
        struct rdl__track *track = enter(at, sizeof *at, RDL__HOW_WRITE, entry);                   \
        TYPE old = JOIN(peek, BITS, )(at);                                                         \
                                                                                                   \
        while (!JOIN(swap, BITS, )(at, &old, (TYPE)(new_value)))                                   \
            continue;                                                                              \
        updated(track, at, sizeof *at, order, old != (TYPE)(new_value));                           \
        return old;                                                                                \
    }

UPDATE(exchange, value)
UPDATE(fetch_add, old + value)
UPDATE(fetch_sub, old - value)
UPDATE(fetch_and, old &value)
UPDATE(fetch_or, old | value)
UPDATE(fetch_xor, old ^ value)
UPDATE(fetch_nand, ~(old &value))
#undef UPDATE

/* The value found is left in *expected; true if it was the expected one. */
static inline bool JOIN(compare, BITS, )(volatile TYPE *at, TYPE *expected, TYPE value, int order,
                                         int order_failed, bool weak,
                                         const struct rdl__entry *entry)
{
    struct rdl__track *track = come_to(at, sizeof *at, RDL__HOW_WRITE, entry);
    TYPE wanted = *expected;
    bool done;

    if (track && weak && rdl__fault(RDL__FAULT_SPURIOUS)) {
        *expected = JOIN(peek, BITS, )(at);
        done = false;
    } else {
        done = JOIN(swap, BITS, )(at, expected, value);
    }
    note_access(track, at, sizeof *at, done ? RDL__HOW_WRITE : 0, entry); /* else it was a load */
    if (done)
        updated(track, at, sizeof *at, order, wanted != value);
    else
        loaded(track, at, sizeof *at, order_failed);
    return done;
}

#if BITS == 128
#define LAST_PARAMETER
#define ENTRY      (&(struct rdl__entry){.unknown = true, .pc = RDL__CALLER})
#define LINKAGE    RDL__INTERPOSE
#define NAME(what) THEIRS(what)
#else
#define LAST_PARAMETER , const struct rdl__entry *entry
#define ENTRY          entry
#define LINKAGE        HIDDEN
#define NAME(what)     OURS(what)
#endif

int NAME(compare_exchange_strong)(volatile TYPE *at, TYPE *expected, TYPE value, int order,
                                  int order_failed LAST_PARAMETER) LINKAGE;
int NAME(compare_exchange_weak)(volatile TYPE *at, TYPE *expected, TYPE value, int order,
                                int order_failed LAST_PARAMETER) LINKAGE;
TYPE NAME(compare_exchange_val)(volatile TYPE *at, TYPE expected, TYPE value, int order,
                                int order_failed LAST_PARAMETER) LINKAGE;

int NAME(compare_exchange_strong)(volatile TYPE *at, TYPE *expected, TYPE value, int order,
                                  int order_failed LAST_PARAMETER)
{
    return JOIN(compare, BITS, )(at, expected, value, order, order_failed, false, ENTRY);
}

int NAME(compare_exchange_weak)(volatile TYPE *at, TYPE *expected, TYPE value, int order,
                                int order_failed LAST_PARAMETER)
{
    return JOIN(compare, BITS, )(at, expected, value, order, order_failed, true, ENTRY);
}

TYPE NAME(compare_exchange_val)(volatile TYPE *at, TYPE expected, TYPE value, int order,
                                int order_failed LAST_PARAMETER)
{
    JOIN(compare, BITS, )(at, &expected, value, order, order_failed, false, ENTRY);
    return expected;
}

/* What compilers call.  Arguments stand in registers rdi, rsi, rdx, rcx, r8, r9; one
 * of 128 bits takes two, and then none is left for comparing. */
#if BITS == 128
#define AFTER_VALUE "%r8"
#else
#define AFTER_VALUE "%rcx"
EXPORT(compare_exchange_strong, "%r9");
EXPORT(compare_exchange_weak, "%r9");
EXPORT(compare_exchange_val, "%r9");
#endif
EXPORT(load, "%rdx");
EXPORT(store, AFTER_VALUE);
EXPORT(exchange, AFTER_VALUE);
EXPORT(fetch_add, AFTER_VALUE);
EXPORT(fetch_sub, AFTER_VALUE);
EXPORT(fetch_and, AFTER_VALUE);
EXPORT(fetch_or, AFTER_VALUE);
EXPORT(fetch_xor, AFTER_VALUE);
EXPORT(fetch_nand, AFTER_VALUE);

#undef AFTER_VALUE
#undef LAST_PARAMETER
#undef ENTRY
#undef LINKAGE
#undef NAME
#undef BITS
#undef TYPE
