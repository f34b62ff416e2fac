/* threads.c -- controlled threads: switches, executions, memory. */
#include <pthread.h>

#include "usage.h"

enum { YIELDS = 1000, LOCKS = 2, MANY = 500 };

/* ---- Two threads that hand over at every yield ----------------------------------- */

static void yield_often(void *unused)
{
    (void)unused;
    for (int i = 0; i < YIELDS; i++)
        rdl_yield();
}

static void two(struct rdl_case *t, void (*run)(void *it), void *it)
{
    struct rdl_thread *one = rdl_spawn(t, "one", run, it), *other = rdl_spawn(t, "other", run, it);

    rdl_join(one);
    rdl_join(other);
}

RDL_EXPLORE(switches, .strategy = "in-order")
{
    two(t, yield_often, NULL);
}

/* ---- Two threads with four operations on a lock each --------------------------------- */

static void lock_twice(void *lock)
{
    for (int i = 0; i < LOCKS; i++) {
        pthread_mutex_lock(lock);
        pthread_mutex_unlock(lock);
    }
}

RDL_EXPLORE(executions)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

    two(t, lock_twice, &lock);
    pthread_mutex_destroy(&lock);
}

/* The same with real threads, made for each run as a test without control would. */
RDL_PROPERTY(runs_uncontrolled)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

    two(t, lock_twice, &lock);
    pthread_mutex_destroy(&lock);
}

/* ---- Many threads that all are there at the same time ---------------------------------- */

static void use_some_stack(void *lock)
{
    volatile char block[16 * 1024];

    for (size_t i = 0; i < sizeof block; i += 1024)
        block[i] = 1;
    pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
}

RDL_EXPLORE(many)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct rdl_thread *threads[MANY];

    for (int i = 0; i < MANY; i++)
        threads[i] = rdl_spawn(t, "one of many", use_some_stack, &lock);
    for (int i = 0; i < MANY; i++)
        rdl_join(threads[i]);
    pthread_mutex_destroy(&lock);
}
