/* correct: with the threads of C11; everybody is woken at every change. */
#include <stdbool.h>
#include <stdlib.h>
#include <threads.h>

#include "readers_writers.h"

struct rw {
    mtx_t lock;
    cnd_t changed;
    int reading, writers_waiting;
    bool writing;
};

rw *rw_create(void)
{
    rw *r = calloc(1, sizeof *r);

    mtx_init(&r->lock, mtx_plain);
    cnd_init(&r->changed);
    return r;
}

void rw_before_read(rw *r)
{
    mtx_lock(&r->lock);
    while (r->writing || r->writers_waiting > 0)
        cnd_wait(&r->changed, &r->lock);
    r->reading++;
    mtx_unlock(&r->lock);
}

void rw_after_read(rw *r)
{
    mtx_lock(&r->lock);
    r->reading--;
    cnd_broadcast(&r->changed);
    mtx_unlock(&r->lock);
}

void rw_before_write(rw *r)
{
    mtx_lock(&r->lock);
    r->writers_waiting++;
    while (r->writing || r->reading > 0)
        cnd_wait(&r->changed, &r->lock);
    r->writers_waiting--;
    r->writing = true;
    mtx_unlock(&r->lock);
}

void rw_after_write(rw *r)
{
    mtx_lock(&r->lock);
    r->writing = false;
    cnd_broadcast(&r->changed);
    mtx_unlock(&r->lock);
}

void rw_destroy(rw *r)
{
    cnd_destroy(&r->changed);
    mtx_destroy(&r->lock);
    free(r);
}
