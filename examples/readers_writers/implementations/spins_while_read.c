/* broken: livelock: a writer looks again and again, with the lock in its hands.
 *
 * The readers that it waits for cannot leave: they wait for the lock. */
#include <pthread.h>
#include <stdlib.h>

#include "readers_writers.h"

struct rw {
    pthread_mutex_t lock;
    pthread_cond_t may_read, may_write;
    volatile int reading, writing;
    int writers_waiting;
};

rw *rw_create(void)
{
    rw *r = calloc(1, sizeof *r);

    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->may_read, NULL);
    pthread_cond_init(&r->may_write, NULL);
    return r;
}

void rw_before_read(rw *r)
{
    pthread_mutex_lock(&r->lock);
    while (r->writing > 0 || r->writers_waiting > 0)
        pthread_cond_wait(&r->may_read, &r->lock);
    r->reading++;
    pthread_mutex_unlock(&r->lock);
}

void rw_after_read(rw *r)
{
    pthread_mutex_lock(&r->lock);
    r->reading--;
    if (r->reading == 0)
        pthread_cond_signal(&r->may_write);
    pthread_mutex_unlock(&r->lock);
}

void rw_before_write(rw *r)
{
    pthread_mutex_lock(&r->lock);
    r->writers_waiting++;
    while (r->reading > 0 || r->writing > 0)
        continue;
    r->writers_waiting--;
    r->writing++;
    pthread_mutex_unlock(&r->lock);
}

void rw_after_write(rw *r)
{
    pthread_mutex_lock(&r->lock);
    r->writing--;
    if (r->writers_waiting > 0)
        pthread_cond_signal(&r->may_write);
    else
        pthread_cond_broadcast(&r->may_read);
    pthread_mutex_unlock(&r->lock);
}

void rw_destroy(rw *r)
{
    pthread_cond_destroy(&r->may_write);
    pthread_cond_destroy(&r->may_read);
    pthread_mutex_destroy(&r->lock);
    free(r);
}
