/* correct: whoever leaves, or comes, decides who goes on; who is woken is in already. */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "readers_writers.h"

struct waiter {
    bool served;
    pthread_cond_t go;
    struct waiter *next;
};

struct rw {
    pthread_mutex_t lock;
    int reading, writing;
    struct waiter *readers, *writers; /* that wait */
};

rw *rw_create(void)
{
    rw *r = calloc(1, sizeof *r);

    pthread_mutex_init(&r->lock, NULL);
    return r;
}

/* Let the first on the list go on. */
static void serve(struct waiter **list)
{
    struct waiter *it = *list;

    *list = it->next;
    it->served = true;
    pthread_cond_signal(&it->go);
}

/* Let all go on who can: a writer, or else all readers. */
static void serve_all(rw *r)
{
    if (r->writers && r->reading == 0 && r->writing == 0) {
        r->writing++;
        serve(&r->writers);
    }
    while (r->readers && !r->writers && r->writing == 0) {
        r->reading++;
        serve(&r->readers);
    }
}

static void ask(rw *r, struct waiter **list)
{
    struct waiter me = {.served = false};

    pthread_mutex_lock(&r->lock);
    pthread_cond_init(&me.go, NULL);
    me.next = *list;
    *list = &me;
    serve_all(r);
    while (!me.served)
        pthread_cond_wait(&me.go, &r->lock);
    pthread_cond_destroy(&me.go);
    pthread_mutex_unlock(&r->lock);
}

void rw_before_read(rw *r)
{
    ask(r, &r->readers);
}

void rw_before_write(rw *r)
{
    ask(r, &r->writers);
}

void rw_after_read(rw *r)
{
    pthread_mutex_lock(&r->lock);
    r->reading--;
    serve_all(r);
    pthread_mutex_unlock(&r->lock);
}

void rw_after_write(rw *r)
{
    pthread_mutex_lock(&r->lock);
    r->writing--;
    serve_all(r);
    pthread_mutex_unlock(&r->lock);
}

void rw_destroy(rw *r)
{
    pthread_mutex_destroy(&r->lock);
    free(r);
}
