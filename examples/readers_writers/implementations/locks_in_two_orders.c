/* broken: deadlock: readers and writers take the same two locks in opposite orders. */
#include <pthread.h>
#include <stdlib.h>

#include "readers_writers.h"

struct rw {
    pthread_mutex_t readers_lock, writers_lock; /* each guards the numbers of its kind */
    pthread_cond_t may_read, may_write;
    int reading, writing, writers_waiting;
};

rw *rw_create(void)
{
    rw *r = calloc(1, sizeof *r);

    pthread_mutex_init(&r->readers_lock, NULL);
    pthread_mutex_init(&r->writers_lock, NULL);
    pthread_cond_init(&r->may_read, NULL);
    pthread_cond_init(&r->may_write, NULL);
    return r;
}

/* Wait on a condition of which two locks are held, the second as the inner one. */
static void wait_with_both(pthread_cond_t *change, pthread_mutex_t *outer, pthread_mutex_t *inner)
{
    pthread_mutex_unlock(inner);
    pthread_cond_wait(change, outer);
    pthread_mutex_lock(inner);
}

void rw_before_read(rw *r)
{
    pthread_mutex_lock(&r->readers_lock);
    pthread_mutex_lock(&r->writers_lock);
    while (r->writing > 0 || r->writers_waiting > 0)
        wait_with_both(&r->may_read, &r->readers_lock, &r->writers_lock);
    r->reading++;
    pthread_mutex_unlock(&r->writers_lock);
    pthread_mutex_unlock(&r->readers_lock);
}

void rw_after_read(rw *r)
{
    pthread_mutex_lock(&r->readers_lock);
    pthread_mutex_lock(&r->writers_lock);
    if (--r->reading == 0)
        pthread_cond_signal(&r->may_write);
    pthread_mutex_unlock(&r->writers_lock);
    pthread_mutex_unlock(&r->readers_lock);
}

void rw_before_write(rw *r)
{
    pthread_mutex_lock(&r->writers_lock);
    pthread_mutex_lock(&r->readers_lock);
    r->writers_waiting++;
    while (r->reading > 0 || r->writing > 0)
        wait_with_both(&r->may_write, &r->writers_lock, &r->readers_lock);
    r->writers_waiting--;
    r->writing++;
    pthread_mutex_unlock(&r->readers_lock);
    pthread_mutex_unlock(&r->writers_lock);
}

void rw_after_write(rw *r)
{
    pthread_mutex_lock(&r->readers_lock);
    pthread_mutex_lock(&r->writers_lock);
    r->writing--;
    if (r->writers_waiting > 0)
        pthread_cond_signal(&r->may_write);
    else
        pthread_cond_broadcast(&r->may_read);
    pthread_mutex_unlock(&r->writers_lock);
    pthread_mutex_unlock(&r->readers_lock);
}

void rw_destroy(rw *r)
{
    pthread_cond_destroy(&r->may_write);
    pthread_cond_destroy(&r->may_read);
    pthread_mutex_destroy(&r->writers_lock);
    pthread_mutex_destroy(&r->readers_lock);
    free(r);
}
