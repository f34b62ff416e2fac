/* test_atomic.c -- our atomic operations do to values what the compiler's own do. */
#include <stdint.h>

#include "base/random.h"
#include "explore.h"

static struct rdl__random chance;

/* Small numbers, so that comparing may succeed; and large ones. */
static unsigned __int128 number(void)
{
    unsigned __int128 high = rdl__random_next(&chance), low = rdl__random_next(&chance);

    return rdl__random_upto(&chance, 1) ? low % 3 : high << 64 | low;
}

/* One object, and a copy that plain C works on: single-threaded, they must agree. */
#define UPDATE(bits, type, name, new_value)                                                        \
    type __tsan_atomic##bits##_##name(volatile type *at, type value, int order);                   \
    static int name##bits(void)                                                                    \
    {                                                                                              \
        static _Alignas(16) type object;                                                           \
        type old = object = (type)number(), value = (type)number();                                \
        int order = (int)rdl__random_upto(&chance, __ATOMIC_SEQ_CST);                              \
        type returned = __tsan_atomic##bits##_##name(&object, value, order);                       \
                                                                                                   \
        return returned != old || object != (type)(new_value);                                     \
    }

#define COMPARE(bits, type, name)                                                                  \
    int __tsan_atomic##bits##_##name(volatile type *at, type *expected, type value, int order,     \
                                     int order_failed);                                            \
    static int name##bits(void)                                                                    \
    {                                                                                              \
        static _Alignas(16) type object;                                                           \
        type old = object = (type)number(), value = (type)number(), wanted = (type)number();       \
        type found = wanted;                                                                       \
        bool done = __tsan_atomic##bits##_##name(&object, &found, value, __ATOMIC_ACQ_REL,         \
                                                 __ATOMIC_RELAXED);                                \
                                                                                                   \
        return done != (old == wanted) || object != (done ? value : old) ||                        \
               found != (done ? wanted : old);                                                     \
    }

#define ALL(bits, type)                                                                            \
    type __tsan_atomic##bits##_load(const volatile type *at, int order);                           \
    void __tsan_atomic##bits##_store(volatile type *at, type value, int order);                    \
    type __tsan_atomic##bits##_compare_exchange_val(volatile type *at, type expected, type value,  \
                                                    int order, int order_failed);                  \
    UPDATE(bits, type, exchange, value)                                                            \
    UPDATE(bits, type, fetch_add, old + value)                                                     \
    UPDATE(bits, type, fetch_sub, old - value)                                                     \
    UPDATE(bits, type, fetch_and, old &value)                                                      \
    UPDATE(bits, type, fetch_or, old | value)                                                      \
    UPDATE(bits, type, fetch_xor, old ^ value)                                                     \
    UPDATE(bits, type, fetch_nand, ~(old & value))                                                 \
    COMPARE(bits, type, compare_exchange_strong)                                                   \
    COMPARE(bits, type, compare_exchange_weak)                                                     \
    static int load_and_store##bits(void)                                                          \
    {                                                                                              \
        static _Alignas(16) type object;                                                           \
        type value = (type)number(), loaded;                                                       \
                                                                                                   \
        __tsan_atomic##bits##_store(&object, value, __ATOMIC_RELEASE);                             \
        loaded = __tsan_atomic##bits##_load(&object, __ATOMIC_ACQUIRE);                            \
        return object != value || loaded != value;                                                 \
    }                                                                                              \
    static int compare_val##bits(void)                                                             \
    {                                                                                              \
        static _Alignas(16) type object;                                                           \
        type old = object = (type)number(), value = (type)number(), wanted = (type)number();       \
        type found = __tsan_atomic##bits##_compare_exchange_val(                                   \
            &object, wanted, value, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                           \
                                                                                                   \
        return found != old || object != (old == wanted ? value : old);                            \
    }                                                                                              \
    static int wrong##bits(void)                                                                   \
    {                                                                                              \
        return exchange##bits() + fetch_add##bits() + fetch_sub##bits() + fetch_and##bits() +      \
               fetch_or##bits() + fetch_xor##bits() + fetch_nand##bits() +                         \
               compare_exchange_strong##bits() + compare_exchange_weak##bits() +                   \
               load_and_store##bits() + compare_val##bits();                                       \
    }

ALL(8, uint8_t)
ALL(16, uint16_t)
ALL(32, uint32_t)
ALL(64, uint64_t)
ALL(128, unsigned __int128)

static int wrong(int rounds)
{
    int count = 0;

    rdl__random_seed(&chance, test_seed());
    for (int i = 0; i < rounds; i++)
        count += wrong8() + wrong16() + wrong32() + wrong64() + wrong128();
    return count;
}

TEST(values_are_right_without_control)
{
    EXPECT_EQ(wrong(soak() ? 10000000 : 100000), 0);
}

static void *idle(void *unused)
{
    return unused;
}

/* With another thread there, so that all is done that is done for threads. */
static void under_control(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, idle, NULL);
    put(0, "%d", wrong(300));
    pthread_join(thread, NULL);
    put(1, "%d", wrong(300));
}

TEST(values_are_right_under_control)
{
    EXPECT_STR(outcomes_by_chance(under_control, 10, 0), "0 0");
}

static _Alignas(16) uint32_t object;

/* It may fail though the value is as expected; the others may not. */
static void *compare_weakly(void *unused)
{
    uint32_t expected = 0;

    put(1, "%d",
        __tsan_atomic32_compare_exchange_weak(&object, &expected, 1, __ATOMIC_SEQ_CST,
                                              __ATOMIC_SEQ_CST));
    return unused;
}

static void weak(void)
{
    object = 0;
    together(1, compare_weakly);
}

TEST(weak_comparing_fails_now_and_then_when_asked_for)
{
    EXPECT_STR(outcomes_by_chance(weak, 100, 0), "1");
    EXPECT_STR(outcomes_by_chance(weak, 100, RDL__FAULT_SPURIOUS), "0 | 1");
}
