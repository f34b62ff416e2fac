/* broken: bad-sched: serves one of those who wait, and leaves it at that.
 *
 * A robot that is served leaves a corridor or a place, which another may be waiting for;
 * and a heavy one makes room for several. */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "warehouse.h"

struct waiter {
    bool enters, served;
    int n, weight;
    pthread_cond_t go;
    struct waiter *next;
};

struct warehouse {
    pthread_mutex_t lock;
    struct waiter *waiting;
    int last, max_weight;
    struct {
        int weight;
        bool occupied; /* the corridor that leads here */
    } at[];
};

warehouse *warehouse_create(int warehouses, int max_weight)
{
    warehouse *w = calloc(1, sizeof *w + (size_t)warehouses * sizeof w->at[0]);

    pthread_mutex_init(&w->lock, NULL);
    w->last = warehouses - 1;
    w->max_weight = max_weight;
    return w;
}

static bool can_go(const warehouse *w, const struct waiter *me)
{
    if (me->enters)
        return w->at[me->n].weight + me->weight <= w->max_weight;
    return me->n == w->last || !w->at[me->n + 1].occupied;
}

static void go(warehouse *w, const struct waiter *me)
{
    if (me->enters) {
        w->at[me->n].weight += me->weight;
        w->at[me->n].occupied = false;
    } else {
        w->at[me->n].weight -= me->weight;
        if (me->n < w->last)
            w->at[me->n + 1].occupied = true;
    }
}

/* Serve one of those who wait, if one can go on. */
static bool serve_one(warehouse *w)
{
    for (struct waiter **at = &w->waiting; *at; at = &(*at)->next)
        if (can_go(w, *at)) {
            struct waiter *it = *at;

            *at = it->next;
            go(w, it);
            it->served = true;
            pthread_cond_signal(&it->go);
            return true;
        }
    return false;
}

static void ask(warehouse *w, struct waiter *me)
{
    pthread_mutex_lock(&w->lock);
    pthread_cond_init(&me->go, NULL);
    me->next = w->waiting;
    w->waiting = me;
    if (serve_one(w))
        serve_one(w);
    while (!me->served)
        pthread_cond_wait(&me->go, &w->lock);
    pthread_cond_destroy(&me->go);
    pthread_mutex_unlock(&w->lock);
}

void warehouse_enter(warehouse *w, int n, int weight)
{
    ask(w, &(struct waiter){.enters = true, .n = n, .weight = weight});
}

void warehouse_exit(warehouse *w, int n, int weight)
{
    ask(w, &(struct waiter){.enters = false, .n = n, .weight = weight});
}

void warehouse_destroy(warehouse *w)
{
    pthread_mutex_destroy(&w->lock);
    free(w);
}
