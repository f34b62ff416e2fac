/* threads.c -- controlled threads: switches, executions, memory. */
#include <pthread.h>

#include "usage.h"

enum { YIELDS = 1000, ROUNDS = 2, MANY = 500, STACK_USED = 16 * 1024 };

#ifndef DATA
#define DATA 0 /* bytes of static data, which are put back before each execution */
#endif

static volatile char data[DATA + 1];

static void two(struct rdl_case *t, void (*run)(void *it), void *it)
{
    struct rdl_thread *one = rdl_spawn(t, "one", run, it);
    struct rdl_thread *other = rdl_spawn(t, "other", run, it);

    rdl_join(one);
    rdl_join(other);
}

/* ---- Two threads that hand over at every yield ----------------------------------- */

static void yield_often(void *unused)
{
    (void)unused;
    for (int i = 0; i < YIELDS; i++)
        rdl_yield();
}

/* Cases that draw data are many: the strategy is never through with all of them. */
RDL_EXPLORE(switches, .strategy = "in-order")
{
    rdl_bool(t);
    two(t, yield_often, NULL);
}

/* ---- Two threads with four operations on a lock each ------------------------------- */

static void lock_and_unlock(void *lock)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(lock);
        pthread_mutex_unlock(lock);
    }
}

static void two_with_a_lock(struct rdl_case *t)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

    data[DATA / 2]++;
    two(t, lock_and_unlock, &lock);
    pthread_mutex_destroy(&lock);
}

RDL_EXPLORE(locks)
{
    two_with_a_lock(t);
}

RDL_EXPLORE(locks_and_data)
{
    rdl_bool(t);
    two_with_a_lock(t);
}

/* Long enough that hardly any execution repeats another. */
static void lock_and_unlock_more(void *lock)
{
    for (int i = 0; i < 8; i++)
        lock_and_unlock(lock);
}

RDL_EXPLORE(many_locks)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

    data[DATA / 2]++;
    two(t, lock_and_unlock_more, &lock);
    pthread_mutex_destroy(&lock);
}

/* Not controlled: real threads. */
RDL_PROPERTY(real_locks)
{
    two_with_a_lock(t);
}

/* ---- Many threads, all there at the same time --------------------------------------- */

static void use_stack(void *lock)
{
    volatile char block[STACK_USED];

    for (size_t i = 0; i < sizeof block; i += 1024)
        block[i] = 1;
    pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
}

RDL_EXPLORE(many, .strategy = "random")
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct rdl_thread *threads[MANY];

    pthread_mutex_lock(&lock); /* nobody gets past it before all are there */
    for (int i = 0; i < MANY; i++)
        threads[i] = rdl_spawn(t, "one of many", use_stack, &lock);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < MANY; i++)
        rdl_join(threads[i]);
    pthread_mutex_destroy(&lock);
}
