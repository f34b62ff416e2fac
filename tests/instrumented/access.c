/* access.c -- code whose accesses to memory are watched: see test_access.c. */
#include "access.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

void AnnotateHappensBefore(const char *file, int line, const volatile void *object);
void AnnotateHappensAfter(const char *file, int line, const volatile void *object);
void AnnotateBenignRaceSized(const char *file, int line, const volatile void *memory,
                             unsigned long size, const char *why);

int seen[4];

typedef void *thread_t(void *);

static void two(thread_t *first, thread_t *second, void *argument)
{
    pthread_t threads[2];

    memset(seen, 0, sizeof seen);
    pthread_create(&threads[0], NULL, first, argument);
    pthread_create(&threads[1], NULL, second, argument);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
}

/* ---- Counters --------------------------------------------------------------------------- */

static int counter;
static atomic_int atomic_count;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *count(void *unused)
{
    counter++;
    return unused;
}

static void *count_locked(void *unused)
{
    pthread_mutex_lock(&mutex);
    counter++;
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *count_atomically(void *unused)
{
    atomic_fetch_add_explicit(&atomic_count, 1, memory_order_relaxed);
    return unused;
}

void plain_counter(void)
{
    counter = 0;
    two(count, count, NULL);
}

void locked_counter(void)
{
    counter = 0;
    two(count_locked, count_locked, NULL);
    seen[0] = counter;
}

void atomic_counter(void)
{
    atomic_init(&atomic_count, 0);
    two(count_atomically, count_atomically, NULL);
    seen[0] = atomic_load(&atomic_count);
}

/* ---- Messages ----------------------------------------------------------------------------- */

static int message;
static atomic_int flag;
static volatile int volatile_flag;

static void *send_relaxed(void *unused)
{
    message = 1;
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return unused;
}

static void *send_released(void *unused)
{
    message = 1;
    atomic_store_explicit(&flag, 1, memory_order_release);
    return unused;
}

static void *send_fenced(void *unused)
{
    message = 1;
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return unused;
}

static void *send_volatile(void *unused)
{
    message = 1;
    volatile_flag = 1;
    return unused;
}

static void *send_annotated(void *unused)
{
    message = 1;
    AnnotateHappensBefore(__FILE__, __LINE__, &flag);
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return unused;
}

static void *receive_relaxed(void *unused)
{
    if (atomic_load_explicit(&flag, memory_order_relaxed))
        seen[0] = message;
    return unused;
}

static void *receive_acquired(void *unused)
{
    if (atomic_load_explicit(&flag, memory_order_acquire))
        seen[0] = message;
    return unused;
}

static void *receive_fenced(void *unused)
{
    if (atomic_load_explicit(&flag, memory_order_relaxed)) {
        atomic_thread_fence(memory_order_acquire);
        seen[0] = message;
    }
    return unused;
}

static void *receive_volatile(void *unused)
{
    if (volatile_flag)
        seen[0] = message;
    return unused;
}

static void *receive_annotated(void *unused)
{
    if (atomic_load_explicit(&flag, memory_order_relaxed)) {
        AnnotateHappensAfter(__FILE__, __LINE__, &flag);
        seen[0] = message;
    }
    return unused;
}

static void pass_message(thread_t *send, thread_t *receive)
{
    atomic_init(&flag, 0);
    volatile_flag = message = 0;
    two(send, receive, NULL);
}

void message_relaxed(void)
{
    pass_message(send_relaxed, receive_acquired);
}

void message_released(void)
{
    pass_message(send_released, receive_acquired);
}

void message_fenced(void)
{
    pass_message(send_fenced, receive_fenced);
}

void message_half_fenced(void)
{
    pass_message(send_fenced, receive_relaxed);
}

void message_volatile(void)
{
    pass_message(send_volatile, receive_volatile);
}

void message_annotated(void)
{
    pass_message(send_annotated, receive_annotated);
}

void message_benign(void)
{
    AnnotateBenignRaceSized(__FILE__, __LINE__, &message, sizeof message, "on purpose");
    pass_message(send_relaxed, receive_relaxed);
}

/* An update by somebody else hands on what was released; a store does not. */
static void *update_relaxed(void *unused)
{
    atomic_fetch_add_explicit(&flag, 1, memory_order_relaxed);
    return unused;
}

static void *overwrite_relaxed(void *unused)
{
    atomic_store_explicit(&flag, 2, memory_order_relaxed);
    return unused;
}

static void *receive_second(void *unused)
{
    if (atomic_load_explicit(&flag, memory_order_acquire) == 2)
        seen[0] = message;
    return unused;
}

static void three(thread_t *between)
{
    pthread_t threads[3];

    atomic_init(&flag, 0);
    message = seen[0] = 0;
    pthread_create(&threads[0], NULL, send_released, NULL);
    pthread_create(&threads[1], NULL, between, NULL);
    pthread_create(&threads[2], NULL, receive_second, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
}

void release_sequence(void)
{
    three(update_relaxed);
}

void broken_release_sequence(void)
{
    three(overwrite_relaxed);
}

/* ---- Bytes ---------------------------------------------------------------------------------- */

static void *read_atomic_plainly(void *unused)
{
    int copy;

    memcpy(&copy, (const int *)(const void *)&flag, sizeof copy);
    seen[0] = copy;
    return unused;
}

void atomic_and_plain(void)
{
    pass_message(send_released, read_atomic_plainly);
}

static void *compare_in_vain(void *unused)
{
    int expected = 7;

    atomic_compare_exchange_strong(&flag, &expected, 8);
    return unused;
}

/* To find another value than the expected one is to read. */
void compared_and_read_plainly(void)
{
    pass_message(compare_in_vain, read_atomic_plainly);
}

static char letters[16];

static void *write_left(void *unused)
{
    letters[3] = 'a';
    return unused;
}

static void *write_right(void *unused)
{
    letters[4] = 'b';
    return unused;
}

void neighbours(void)
{
    memset(letters, 0, sizeof letters);
    two(write_left, write_right, NULL);
    seen[0] = letters[3] == 'a' && letters[4] == 'b';
}

static struct {
    unsigned left : 4, right : 4;
} bits;

static void *set_left(void *unused)
{
    bits.left = 1;
    return unused;
}

static void *set_right(void *unused)
{
    bits.right = 1;
    return unused;
}

void bit_fields(void)
{
    two(set_left, set_right, NULL);
    seen[0] = bits.left + bits.right;
}

/* ---- Stacks ---------------------------------------------------------------------------------- */

static void *read_argument(void *argument)
{
    seen[1] = *(int *)argument;
    return NULL;
}

void stack_of_main(void)
{
    volatile int local = 0;
    pthread_t thread;

    pthread_create(&thread, NULL, read_argument, (void *)&local);
    local = 1;
    pthread_join(thread, NULL);
}

static _Atomic(int *) published;

/* Its variable, at the same place of the stack as its predecessor's, is touched by
 * main, which does not wait in between for anything we would see. */
static void *publish_local(void *unused)
{
    int local = 5;

    atomic_store_explicit(&published, &local, memory_order_release);
    while (atomic_load_explicit(&published, memory_order_acquire))
        continue;
    return unused;
}

void stacks_used_again(void)
{
    for (int i = 0; i < 3; i++) {
        pthread_t thread;
        int *local;

        atomic_init(&published, NULL);
        pthread_create(&thread, NULL, publish_local, NULL);
        while (!(local = atomic_load_explicit(&published, memory_order_acquire)))
            continue;
        seen[i] = ++*local;
        atomic_store_explicit(&published, NULL, memory_order_relaxed);
        pthread_join(thread, NULL);
    }
}

/* ---- The heap -------------------------------------------------------------------------------- */

static int *block;

static void *read_block(void *unused)
{
    seen[0] = *block;
    return unused;
}

static void *free_block(void *unused)
{
    free(block);
    return unused;
}

static void *grow_block(void *unused)
{
    block = realloc(block, 100000);
    return unused;
}

void freed_while_read(void)
{
    block = malloc(sizeof *block);
    *block = 1;
    two(read_block, free_block, NULL);
}

void reallocated_while_read(void)
{
    block = malloc(sizeof *block);
    *block = 1;
    two(read_block, grow_block, NULL);
}

/* Both get the same block, one after the other, and never meet. */
static void *use_block(void *unused)
{
    for (int i = 0; i < 3; i++) {
        int *own = malloc(3000);

        own[0] = i;
        own[700] = own[0];
        free(own);
    }
    return unused;
}

void freed_and_allocated(void)
{
    two(use_block, use_block, NULL);
}

/* ---- Threads --------------------------------------------------------------------------------- */

static void *write_message(void *unused)
{
    message = 1;
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return unused;
}

void detached_writer(void)
{
    pthread_t thread;

    atomic_init(&flag, 0);
    pthread_create(&thread, NULL, write_message, NULL);
    pthread_detach(thread);
    while (!atomic_load_explicit(&flag, memory_order_relaxed))
        continue;
    seen[0] = message;
}

void joined_writer(void)
{
    pthread_t thread;

    message = 0;
    pthread_create(&thread, NULL, write_message, NULL);
    pthread_join(thread, NULL);
    seen[0] = message;
}

/* ---- Copies, and reads of several threads ---------------------------------------------------- */

static struct record {
    long fields[8];
} source, target;

static void *copy_record(void *unused)
{
    pthread_mutex_lock(&mutex);
    target = source;
    source.fields[7]++;
    pthread_mutex_unlock(&mutex);
    return unused;
}

void copies_of_structs(void)
{
    memset(&source, 0, sizeof source);
    two(copy_record, copy_record, NULL);
    seen[0] = (int)target.fields[7];
}

static void *sum_record(void *unused)
{
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < 8; i++)
            seen[2] |= source.fields[i] != 3 && 0;
    return unused;
}

void reads_side_by_side(void)
{
    for (int i = 0; i < 8; i++)
        source.fields[i] = 3;
    two(sum_record, sum_record, NULL);
}

/* ---- All orders ------------------------------------------------------------------------------ */

static atomic_int x, y;

static void *x_then_y(void *unused)
{
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    seen[0] = atomic_load_explicit(&y, memory_order_relaxed);
    return unused;
}

static void *y_then_x(void *unused)
{
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    seen[1] = atomic_load_explicit(&x, memory_order_relaxed);
    return unused;
}

void store_buffering(void)
{
    atomic_init(&x, 0);
    atomic_init(&y, 0);
    two(x_then_y, y_then_x, NULL);
}

static void *read_and_add(void *unused)
{
    int value = atomic_load_explicit(&x, memory_order_relaxed);

    atomic_store_explicit(&x, value + 1, memory_order_relaxed);
    return unused;
}

void load_then_store(void)
{
    atomic_init(&x, 0);
    two(read_and_add, read_and_add, NULL);
    seen[0] = atomic_load(&x);
}

/* ---- What gcc 12 gets wrong without -fno-ipa-reference --------------------------------------- */

/* Static, and its address is not taken: gcc thinks that the functions we supply for
 * atomic operations cannot get at it, and uses the value it had before the call. */
static int ball;
static atomic_int turn;

static void *pong(void *unused)
{
    while (atomic_load(&turn) != 1)
        continue;
    ball++;
    atomic_store(&turn, 0);
    return unused;
}

static void *ping(void *unused)
{
    ball = 1;
    atomic_store(&turn, 1);
    while (atomic_load(&turn) != 0)
        continue;
    seen[0] = ball;
    return unused;
}

void ping_pong(void)
{
    atomic_init(&turn, 0);
    ball = 0;
    two(ping, pong, NULL);
}

/* ---- Calls ----------------------------------------------------------------------------------- */

static jmp_buf back;

__attribute__((noinline)) static void fall(int depth)
{
    if (depth > 0)
        fall(depth - 1);
    else if (counter >= 0)
        longjmp(back, 1);
    counter++; /* not the last thing, so that it is a call */
}

__attribute__((noinline)) static void *jump_and_count(void *unused)
{
    for (volatile int i = 0; i < 3; i++)
        if (setjmp(back) == 0)
            fall(500);
    counter++;
    return unused;
}

void calls_and_jumps(void)
{
    pthread_t threads[2];

    counter = 0;
    pthread_create(&threads[0], NULL, jump_and_count, NULL);
    pthread_join(threads[0], NULL);
    pthread_create(&threads[1], NULL, count, NULL);
    jump_and_count(NULL);
    pthread_join(threads[1], NULL);
}
