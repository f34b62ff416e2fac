/* broken: bad-spec-impl: promises the same room to several robots.
 *
 * Whoever could go on by itself is told to; that one after the other does so, and leaves
 * less room to the next, is not taken into account. */
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

/* Tell all who can go on to do so.  Is there one? */
static bool serve(warehouse *w)
{
    bool any = false;

    for (struct waiter *it = w->waiting; it; it = it->next)
        if (!it->served && can_go(w, it)) {
            it->served = any = true;
            pthread_cond_signal(&it->go);
        }
    for (struct waiter **at = &w->waiting; *at;)
        if ((*at)->served) {
            go(w, *at);
            *at = (*at)->next;
        } else {
            at = &(*at)->next;
        }
    return any;
}

static void ask(warehouse *w, struct waiter *me)
{
    pthread_mutex_lock(&w->lock);
    pthread_cond_init(&me->go, NULL);
    me->next = w->waiting;
    w->waiting = me;
    while (serve(w))
        continue;
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
