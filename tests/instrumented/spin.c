/* spin.c -- loops that only wait: see test_spin.c. */
#include "spin.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

void AnnotateEnableRaceDetection(const char *file, int line, int on);

int came_out;

static int counter;
static atomic_int flag, other_flag;

typedef void *thread_t(void *);

static void two(thread_t *first, thread_t *second)
{
    pthread_t threads[2];

    atomic_init(&flag, 0);
    atomic_init(&other_flag, 0);
    counter = came_out = 0;
    pthread_create(&threads[0], NULL, first, (void *)0);
    pthread_create(&threads[1], NULL, second, (void *)1);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    if (counter)
        came_out = counter;
}

/* ---- Locks ------------------------------------------------------------------------------- */

static void *with_exchange(void *unused)
{
    for (int i = 0; i < 2; i++) {
        while (atomic_exchange_explicit(&flag, 1, memory_order_acquire))
            continue;
        counter++;
        atomic_store_explicit(&flag, 0, memory_order_release);
    }
    return unused;
}

void lock_by_exchange(void)
{
    two(with_exchange, with_exchange);
}

static void *with_comparing(void *unused)
{
    for (int i = 0; i < 2; i++) {
        int free = 0;

        while (!atomic_compare_exchange_weak(&flag, &free, 1))
            free = 0;
        counter++;
        atomic_store(&flag, 0);
    }
    return unused;
}

void lock_by_comparing(void)
{
    two(with_comparing, with_comparing);
}

static void *tested_first(void *unused)
{
    for (int i = 0; i < 2; i++) {
        do
            while (atomic_load_explicit(&flag, memory_order_relaxed))
                sched_yield();
        while (atomic_exchange(&flag, 1));
        counter++;
        atomic_store(&flag, 0);
    }
    return unused;
}

void lock_tested_first(void)
{
    two(tested_first, tested_first);
}

static atomic_uint next_ticket, serving;

static void *with_ticket(void *unused)
{
    for (int i = 0; i < 2; i++) {
        unsigned mine = atomic_fetch_add_explicit(&next_ticket, 1, memory_order_relaxed);

        while (atomic_load_explicit(&serving, memory_order_acquire) != mine)
            continue;
        counter++;
        atomic_store_explicit(&serving, mine + 1, memory_order_release);
    }
    return unused;
}

void lock_with_tickets(void)
{
    atomic_init(&next_ticket, 0);
    atomic_init(&serving, 0);
    two(with_ticket, with_ticket);
}

/* Mellor-Crummey and Scott: each waits on its own stack. */
struct node {
    _Atomic(struct node *) next;
    atomic_bool waits;
};

static _Atomic(struct node *) tail;

static void *in_a_queue(void *unused)
{
    for (int i = 0; i < 2; i++) {
        struct node me, *before, *last = &me;

        atomic_init(&me.next, NULL);
        atomic_init(&me.waits, true);
        before = atomic_exchange(&tail, &me);
        if (before) {
            atomic_store(&before->next, &me);
            while (atomic_load(&me.waits))
                continue;
        }
        counter++;
        if (!atomic_load(&me.next)) {
            if (atomic_compare_exchange_strong(&tail, &last, NULL))
                continue;
            while (!atomic_load(&me.next))
                continue;
        }
        atomic_store(&atomic_load(&me.next)->waits, false);
    }
    return unused;
}

void lock_in_a_queue(void)
{
    atomic_init(&tail, NULL);
    two(in_a_queue, in_a_queue);
}

static atomic_int wants[2], last;

static void *of_peterson(void *number)
{
    int me = number != NULL;

    for (int i = 0; i < 2; i++) {
        atomic_store(&wants[me], 1);
        atomic_store(&last, me);
        while (atomic_load(&wants[1 - me]) && atomic_load(&last) == me)
            continue;
        counter++;
        atomic_store(&wants[me], 0);
    }
    return NULL;
}

void lock_of_peterson(void)
{
    atomic_init(&wants[0], 0);
    atomic_init(&wants[1], 0);
    atomic_init(&last, 0);
    two(of_peterson, of_peterson);
}

/* ---- Waits that end ------------------------------------------------------------------------ */

static void *set(void *unused)
{
    atomic_store(&flag, 1);
    return unused;
}

static void *do_nothing(void *unused)
{
    return unused;
}

static void *give_up_after_1000(void *unused)
{
    int i;

    for (i = 0; i < 1000; i++)
        if (atomic_load(&flag))
            break;
    came_out = i;
    return unused;
}

void bounded_wait(void)
{
    two(give_up_after_1000, do_nothing);
}

static void *give_up_by_a_local(void *unused)
{
    volatile int tries[100] = {0};
    volatile int *far = &tries[99];

    while (!atomic_load(&flag) && *far < 1000)
        ++*far;
    came_out = *far;
    return unused;
}

void bounded_wait_on_the_stack(void)
{
    two(give_up_by_a_local, do_nothing);
}

static int rounds;

static void *wait_counting(void *unused)
{
    while (!atomic_load(&flag))
        rounds++;
    return unused;
}

void counting_wait(void)
{
    two(wait_counting, set);
}

/* The generator's state is nothing that we see. */
static void *until_lucky(void *unused)
{
    while (!atomic_load(&flag) && random() % 16)
        continue;
    return unused;
}

void wait_by_chance(void)
{
    srandom(1);
    for (int i = 0; i < 8; i++)
        two(until_lucky, do_nothing);
}

/* What a plain variable says is no business of compilers' in this case. */
static int plain;

static void *wait_plainly(void *unused)
{
    while (!*(volatile int *)&plain)
        continue;
    return unused;
}

static void *set_plainly(void *unused)
{
    plain = 1;
    return unused;
}

void plain_wait(void)
{
    plain = 0;
    two(wait_plainly, set_plainly);
}

static void *wait_yielding(void *unused)
{
    while (!atomic_load(&flag))
        sched_yield();
    return unused;
}

void yielding_wait(void)
{
    two(wait_yielding, set);
}

static void *in_rounds(void *unused)
{
    for (;;) {
        for (int i = 0; i < 50; i++)
            if (atomic_load(&flag))
                return unused;
        sched_yield();
    }
}

void wait_in_rounds(void)
{
    two(in_rounds, set);
}

static void *with_backoff(void *unused)
{
    int delay = 1;

    while (!atomic_load(&flag)) {
        for (volatile int i = 0; i < delay; i++)
            continue;
        if (delay < 100)
            delay *= 2;
    }
    return unused;
}

void wait_with_backoff(void)
{
    two(with_backoff, set);
}

static atomic_uint sequence;
static atomic_int halves[2];

static void *write_halves(void *unused)
{
    for (int i = 1; i <= 2; i++) {
        atomic_fetch_add(&sequence, 1);
        atomic_store(&halves[0], i);
        atomic_store(&halves[1], i);
        atomic_fetch_add(&sequence, 1);
    }
    return unused;
}

static void *read_halves(void *unused)
{
    unsigned before;
    int left, right;

    do {
        while ((before = atomic_load(&sequence)) & 1)
            continue;
        left = atomic_load(&halves[0]);
        right = atomic_load(&halves[1]);
    } while (atomic_load(&sequence) != before);
    came_out = left == right;
    return unused;
}

void sequence_lock(void)
{
    atomic_init(&sequence, 0);
    atomic_init(&halves[0], 0);
    atomic_init(&halves[1], 0);
    two(write_halves, read_halves);
}

static void *wait_for_either(void *unused)
{
    while (!atomic_load(&flag) && !atomic_load(&other_flag))
        continue;
    return unused;
}

static void *set_other(void *unused)
{
    atomic_store(&other_flag, 1);
    return unused;
}

void two_values(void)
{
    two(wait_for_either, set_other);
}

__attribute__((noinline)) static int wait_below(int depth, int *end)
{
    volatile char room[500];

    room[0] = 1;
    if (depth > 0)
        return wait_below(depth - 1, end) + room[0];
    while (!atomic_load(&flag) && --*end > 0)
        continue;
    return 0;
}

/* What ends the loop is far up the stack. */
static void *deep(void *unused)
{
    int end = 600;

    wait_below(50, &end);
    came_out = end;
    return unused;
}

void deep_wait(void)
{
    two(deep, do_nothing);
}

/* Only the waiting thread knows that the variable is anybody's business, until the
 * other one writes to it. */
static volatile int *_Atomic mailbox;

static void *wait_for_mail(void *unused)
{
    volatile int mail = 0;

    atomic_store(&mailbox, &mail);
    while (!mail)
        continue;
    came_out = mail;
    return unused;
}

static void *send_mail(void *unused)
{
    volatile int *mail;

    while (!(mail = atomic_load(&mailbox)))
        continue;
    *mail = 7;
    return unused;
}

void wait_on_its_own_stack(void)
{
    AnnotateEnableRaceDetection(__FILE__, __LINE__, 0);
    atomic_init(&mailbox, NULL);
    two(wait_for_mail, send_mail);
    AnnotateEnableRaceDetection(__FILE__, __LINE__, 1);
}

static void *lock_it_once(void *unused)
{
    while (atomic_exchange(&flag, 1))
        continue;
    counter++;
    atomic_store(&flag, 0);
    return unused;
}

void lock_once(void)
{
    two(lock_it_once, lock_it_once);
}

/* ---- Waits that do not end ------------------------------------------------------------------- */

static void *wait_busily(void *unused)
{
    while (!atomic_load(&flag))
        continue;
    return unused;
}

static void *wait_for_other(void *unused)
{
    while (!atomic_load(&other_flag))
        continue;
    atomic_store(&flag, 1);
    return unused;
}

static void *wait_then_set_other(void *unused)
{
    while (!atomic_load(&flag))
        continue;
    atomic_store(&other_flag, 1);
    return unused;
}

void wait_for_ever(void)
{
    two(wait_busily, do_nothing);
}

void wait_for_ever_alone(void)
{
    atomic_init(&flag, 0);
    wait_busily(NULL);
}

void wait_for_ever_yielding(void)
{
    two(wait_yielding, do_nothing);
}

void wait_for_ever_in_rounds(void)
{
    two(in_rounds, do_nothing);
}

void wait_for_ever_with_backoff(void)
{
    two(with_backoff, do_nothing);
}

void wait_for_each_other(void)
{
    two(wait_for_other, wait_then_set_other);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *wait_with_mutex(void *unused)
{
    pthread_mutex_lock(&mutex);
    wait_busily(NULL);
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *set_with_mutex(void *unused)
{
    pthread_mutex_lock(&mutex);
    set(NULL);
    pthread_mutex_unlock(&mutex);
    return unused;
}

void wait_for_one_that_waits(void)
{
    mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    two(wait_with_mutex, set_with_mutex);
}

void lock_twice(void)
{
    atomic_init(&flag, 0);
    while (atomic_exchange(&flag, 1))
        continue;
    while (atomic_exchange(&flag, 1))
        continue;
}
