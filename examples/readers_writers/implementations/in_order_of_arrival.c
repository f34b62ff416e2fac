/* broken: bad-sched: who came first goes first, be it a reader or a writer.
 *
 * That is fair, but a reader that waits goes before a writer that came after it. */
#include <pthread.h>
#include <stdlib.h>

#include "readers_writers.h"

struct rw {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int reading, writing;
    int next_ticket, turn;
};

rw *rw_create(void)
{
    rw *r = calloc(1, sizeof *r);

    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->changed, NULL);
    return r;
}

void rw_before_read(rw *r)
{
    int ticket;

    pthread_mutex_lock(&r->lock);
    ticket = r->next_ticket++;
    while (ticket != r->turn || r->writing > 0)
        pthread_cond_wait(&r->changed, &r->lock);
    r->turn++;
    r->reading++;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->lock);
}

void rw_after_read(rw *r)
{
    pthread_mutex_lock(&r->lock);
    r->reading--;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->lock);
}

void rw_before_write(rw *r)
{
    int ticket;

    pthread_mutex_lock(&r->lock);
    ticket = r->next_ticket++;
    while (ticket != r->turn || r->reading > 0 || r->writing > 0)
        pthread_cond_wait(&r->changed, &r->lock);
    r->turn++;
    r->writing++;
    pthread_mutex_unlock(&r->lock);
}

void rw_after_write(rw *r)
{
    pthread_mutex_lock(&r->lock);
    r->writing--;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->lock);
}

void rw_destroy(rw *r)
{
    pthread_cond_destroy(&r->changed);
    pthread_mutex_destroy(&r->lock);
    free(r);
}
