/* kinds.c -- every kind of access there is: what compilers make of it, we must have. */
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

struct packed {
    char c;
    short s;
    int i;
    long l;
    long double x;
} __attribute__((packed));

typedef int vector __attribute__((vector_size(16)));

struct big {
    char bytes[100];
};

#define PLAIN(type)                                                                                \
    void plain_##type(type *p, volatile type *v)                                                   \
    {                                                                                              \
        *p = *v;                                                                                   \
        *v = *p;                                                                                   \
        (*p)++;                                                                                    \
        *v += 1;                                                                                   \
    }

PLAIN(int8_t)
PLAIN(int16_t)
PLAIN(int32_t)
PLAIN(int64_t)
PLAIN(double)
PLAIN(float)

void wide(__int128 *a, vector *b, long double *c, struct big *d, struct big *e)
{
    *a += 1;
    *b += *b;
    *c += 1;
    *d = *e;
    memcpy(d, e, 50);
    memset(d, 0, 60);
    memmove(d, e, 70);
}

void packed(struct packed *p, volatile struct packed *v)
{
    p->s++;
    p->i++;
    p->l++;
    p->x += 1;
    v->s++;
    v->i++;
    v->l++;
}

#define ATOMIC(name, type)                                                                         \
    type name(_Atomic(type) *p, type value)                                                        \
    {                                                                                              \
        type expected = 1;                                                                         \
                                                                                                   \
        atomic_store_explicit(p, value, memory_order_release);                                     \
        value += atomic_load_explicit(p, memory_order_relaxed);                                    \
        value += atomic_exchange_explicit(p, value, memory_order_acq_rel);                         \
        value += atomic_compare_exchange_strong(p, &expected, value);                              \
        value += atomic_compare_exchange_weak(p, &expected, value);                                \
        value += __atomic_fetch_nand((type *)p, value, __ATOMIC_SEQ_CST);                          \
        value += __sync_val_compare_and_swap((type *)p, expected, value);                          \
        value += __sync_lock_test_and_set((type *)p, 1);                                           \
        value += atomic_fetch_add(p, 1) + atomic_fetch_sub(p, 1) + atomic_fetch_or(p, 1) +         \
                 atomic_fetch_and(p, 1) + atomic_fetch_xor(p, 1);                                  \
        return value;                                                                              \
    }

ATOMIC(atomic_8, uint8_t)
ATOMIC(atomic_16, uint16_t)
ATOMIC(atomic_32, uint32_t)
ATOMIC(atomic_64, uint64_t)
#ifdef WITH_128
ATOMIC(atomic_128, unsigned __int128)
#endif

void fences(void)
{
    atomic_thread_fence(memory_order_acquire);
    atomic_thread_fence(memory_order_seq_cst);
    atomic_signal_fence(memory_order_acquire);
}

extern _Thread_local int per_thread;

int thread_local_access(void)
{
    return per_thread++;
}
