/* volatile.c -- what threads do with volatile variables and inline assembly, compiled as
 * `raddle cc` does. */
#include "volatile.h"

#include <pthread.h>
#include <stdint.h>
#include <string.h>

typedef void *thread_t(void *argument);

int seen[4];

static void two(thread_t *first, thread_t *second)
{
    pthread_t threads[2];

    memset(seen, 0, sizeof seen);
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
}

/* A thread of a body: `does` in the thread of that name. */
#define THREAD(name, does)                                                                         \
    static void *name(void *unused)                                                                \
    {                                                                                              \
        does;                                                                                      \
        return unused;                                                                             \
    }

/* ---- Messages -------------------------------------------------------------------------------- */

static int payload, other_payload;
static volatile int flag, other_flag;
static volatile unsigned char readers[8] __attribute__((aligned(8)));

static void two_with_flag(thread_t *send, thread_t *receive)
{
    flag = other_flag = payload = other_payload = 0;
    memset((void *)readers, 0, sizeof readers);
    two(send, receive);
}

THREAD(send, (payload = 1, flag = 1))
THREAD(receive, if (flag) seen[0] = payload)

void message(void)
{
    two_with_flag(send, receive);
}

/* A byte is written, and all eight are read. */
THREAD(send_byte, (payload = 1, readers[3] = 1))
THREAD(receive_word, if (*(volatile uint64_t *)readers) seen[0] = payload)

void message_in_parts(void)
{
    two_with_flag(send_byte, receive_word);
}

/* Volatile accesses and built-in functions of the same variable. */
THREAD(send_both, (payload = 1, flag = 1, other_payload = 1, __sync_fetch_and_add(&other_flag, 1)))

static void *receive_both(void *unused)
{
    if (__sync_val_compare_and_swap(&flag, 1, 2))
        seen[0] = payload;
    if (other_flag)
        seen[1] = other_payload;
    return unused;
}

void message_beside_atomics(void)
{
    two_with_flag(send_both, receive_both);
}

/* Neither is volatile; compilers are told to make the access just there. */
static int plain_flag;

#define BARRIER() __asm__ __volatile__("" : : : "memory")

__attribute__((noinline)) static void call_barrier(void)
{
    BARRIER();
}

static void store_between(int *at, int value)
{
    BARRIER();
    *at = value;
    call_barrier();
}

static int load_between(const int *at)
{
    int value;

    BARRIER();
    value = *at;
    BARRIER();
    return value;
}

THREAD(send_between, (payload = 1, store_between(&plain_flag, 1)))
THREAD(receive_between, if (load_between(&plain_flag)) seen[0] = payload)

void message_between_barriers(void)
{
    plain_flag = payload = 0;
    two(send_between, receive_between);
}

THREAD(set_flag, flag = 1)
THREAD(look_at_flag, seen[0] = flag)

void flag_alone(void)
{
    two_with_flag(set_flag, look_at_flag);
}

/* ---- Assembly -------------------------------------------------------------------------------- */

static int word;
static uint8_t lock_byte;
static uint16_t tickets[2];
static int fenced[2];

static int load(const int *at)
{
    int value;

    __asm__ volatile("movl %1, %0" : "=r"(value) : "m"(*at) : "memory");
    return value;
}

static void store(int *at, int value)
{
    __asm__ volatile("movl %1, %0" : "=m"(*at) : "r"(value) : "memory");
}

THREAD(send_word, (payload = 1, store(&word, 1)))
THREAD(receive_by_load, if (load(&word)) seen[0] = payload)

void message_by_assembly(void)
{
    word = payload = 0;
    two(send_word, receive_by_load);
}

static int exchange_if(int *at, int old, int new)
{
    uint8_t done;

    __asm__ volatile("lock; cmpxchgl %3, %0; setz %1"
                     : "+m"(*at), "=q"(done), "+a"(old)
                     : "r"(new)
                     : "memory", "cc");
    return done;
}

/* Whether it succeeds is only known when it is made. */
THREAD(send_second, (payload = 1, exchange_if(&word, 1, 2)))
THREAD(receive_answer, (store(&word, 1), seen[0] = load(&word) == 2 ? payload : 0))

void answer_by_assembly(void)
{
    word = payload = 0;
    two(send_second, receive_answer);
}

/* Who waits does so on its own stack. */
static int *waiter;

static void *wait_on_stack(void *unused)
{
    int locked = 1;

    __asm__ volatile("xchgq %0, %1" : "+m"(waiter) : "r"(&locked) : "memory");
    while (load(&locked))
        __asm__ volatile("pause" ::: "memory");
    seen[0] = payload;
    return unused;
}

static void *wake_waiter(void *unused)
{
    int *it;

    payload = 1;
    __asm__ volatile("movq %1, %0" : "=r"(it) : "m"(waiter) : "memory");
    if (it)
        store(it, 0);
    else
        seen[1] = 1;
    return unused;
}

void waits_on_its_stack(void)
{
    waiter = NULL;
    payload = 0;
    two(wait_on_stack, wake_waiter);
}

/* As Linux had it: 1 is free, and who waits only looks. */
static void take(void)
{
    __asm__ volatile("1: lock; decb %0\n\t"
                     "jns 3f\n\t"
                     "2: rep; nop\n\t"
                     "cmpb $0, %0\n\t"
                     "jle 2b\n\t"
                     "jmp 1b\n\t"
                     "3:\n\t"
                     : "+m"(lock_byte)
                     :
                     : "memory", "cc");
}

static void give(void)
{
    __asm__ volatile("movb $1, %0" : "+m"(lock_byte) : : "memory");
}

THREAD(add_locked, (take(), payload++, give()))

void lock_of_assembly(void)
{
    lock_byte = 1;
    payload = 0;
    two(add_locked, add_locked);
    seen[0] = payload;
}

static void take_ticket(void)
{
    uint16_t mine = 1;

    __asm__ volatile("lock; xaddw %0, %1\n\t"
                     "1: cmpw %0, %2\n\t"
                     "je 2f\n\t"
                     "rep; nop\n\t"
                     "jmp 1b\n\t"
                     "2:"
                     : "+r"(mine), "+m"(tickets[0])
                     : "m"(tickets[1])
                     : "memory", "cc");
}

/* Nobody else writes: no lock is needed. */
static void next_ticket(void)
{
    __asm__ volatile("incw %0" : "+m"(tickets[1]) : : "memory", "cc");
}

THREAD(add_by_ticket, (take_ticket(), payload++, next_ticket()))

void tickets_of_assembly(void)
{
    tickets[0] = tickets[1] = 0;
    payload = 0;
    two(add_by_ticket, add_by_ticket);
    seen[0] = payload;
}

static uint64_t pair[2] __attribute__((aligned(16)));

static int compare_pair(uint64_t low, uint64_t high, uint64_t new_low, uint64_t new_high)
{
    uint8_t done;

    __asm__ volatile("lock; cmpxchg16b %0; setz %1"
                     : "+m"(pair), "=q"(done), "+a"(low), "+d"(high)
                     : "b"(new_low), "c"(new_high)
                     : "memory", "cc");
    return done;
}

/* The second word tells that the first, and the payload, are there; who compares a pair with
 * itself has only looked. */
THREAD(send_pair, (payload = 1, compare_pair(0, 0, 1, 1)))

static void *receive_second(void *unused)
{
    uint64_t value;

    __asm__ volatile("movq %1, %0" : "=r"(value) : "m"(pair[1]) : "memory");
    if (value)
        seen[0] = payload;
    compare_pair(7, 7, 7, 7);
    return unused;
}

void pair_of_assembly(void)
{
    pair[0] = pair[1] = 0;
    payload = 0;
    two(send_pair, receive_second);
    seen[1] = (int)pair[0];
}

/* Of two threads that announce themselves and then look, one at least sees the other. */
static void announce(int me)
{
    store(&fenced[me], 1);
    __asm__ volatile("lock; addl $0, (%%rsp)" : : : "memory", "cc");
    seen[me] = load(&fenced[1 - me]);
}

THREAD(announce_first, announce(0))
THREAD(announce_second, announce(1))

void fence_of_assembly(void)
{
    fenced[0] = fenced[1] = 0;
    two(announce_first, announce_second);
}

/* ---- Mistakes -------------------------------------------------------------------------------- */

THREAD(write_payload, payload = 1)
THREAD(read_payload, seen[0] = payload)

void no_flag(void)
{
    two_with_flag(write_payload, read_payload);
}

THREAD(send_too_early, (flag = 1, payload = 1))

void flag_too_early(void)
{
    two_with_flag(send_too_early, receive);
}

static struct thing {
    int value;
} a_thing, *thing;
static pthread_mutex_t mutex;

static struct thing *get_thing(void)
{
    if (!thing) {
        pthread_mutex_lock(&mutex);
        if (!thing) {
            a_thing.value = 1;
            thing = &a_thing;
        }
        pthread_mutex_unlock(&mutex);
    }
    return thing;
}

THREAD(use_thing, seen[0] = get_thing()->value)
THREAD(use_thing_too, seen[1] = get_thing()->value)

void checked_twice(void)
{
    thing = NULL;
    pthread_mutex_init(&mutex, NULL);
    two(use_thing, use_thing_too);
}

THREAD(receive_plainly, if (*(int *)&flag) seen[0] = payload)

void flag_read_plainly(void)
{
    two_with_flag(send, receive_plainly);
}

THREAD(send_plainly, (payload = 1, *(int *)&flag = 1))

void flag_written_plainly(void)
{
    two_with_flag(send_plainly, receive);
}

THREAD(count, flag++)

void counted(void)
{
    two_with_flag(count, count);
    seen[0] = flag;
}

THREAD(count_by_assembly, __asm__ volatile("incl %0" : "+m"(word) : : "memory", "cc"))

void counted_by_assembly(void)
{
    word = 0;
    two(count_by_assembly, count_by_assembly);
    seen[0] = word;
}

static struct {
    char before;
    volatile int flag;
} __attribute__((packed, aligned(8))) packed;

THREAD(send_unaligned, packed.flag = 1)
THREAD(receive_unaligned, seen[0] = packed.flag)

void unaligned(void)
{
    packed.flag = 0;
    two(send_unaligned, receive_unaligned);
}

static volatile __int128 wide_flag;

THREAD(send_wide, wide_flag = 1)
THREAD(receive_wide, seen[0] = (int)wide_flag)

void wide(void)
{
    wide_flag = 0;
    two(send_wide, receive_wide);
}

static void *receive_before_barrier(void *unused)
{
    if (plain_flag) {
        BARRIER();
        seen[0] = payload;
    }
    return unused;
}

void barrier_on_one_side(void)
{
    plain_flag = payload = 0;
    two(send_between, receive_before_barrier);
}

static void *count_between(void *unused)
{
    BARRIER();
    plain_flag++;
    BARRIER();
    return unused;
}

void counted_between_barriers(void)
{
    plain_flag = 0;
    two(count_between, count_between);
}

static char bytes[16] __attribute__((aligned(16)));

THREAD(send_by_bytes, store((int *)(void *)(bytes + 1), 1))
THREAD(receive_by_bytes, seen[0] = load((int *)(void *)(bytes + 1)))

void unaligned_assembly(void)
{
    memset(bytes, 0, sizeof bytes);
    two(send_by_bytes, receive_by_bytes);
}
