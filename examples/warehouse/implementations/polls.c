/* correct: asks again and again instead of waiting to be told.
 *
 * It gives the lock back in between, so that others can go on, and gets there in the end.
 * But a robot that has to wait for an hour keeps a processor busy for an hour. */
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>

#include "warehouse.h"

struct warehouse {
    pthread_mutex_t lock;
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

static void let_others_go(warehouse *w)
{
    pthread_mutex_unlock(&w->lock);
    sched_yield();
    pthread_mutex_lock(&w->lock);
}

void warehouse_enter(warehouse *w, int n, int weight)
{
    pthread_mutex_lock(&w->lock);
    while (w->at[n].weight + weight > w->max_weight)
        let_others_go(w);
    w->at[n].weight += weight;
    w->at[n].occupied = false;
    pthread_mutex_unlock(&w->lock);
}

void warehouse_exit(warehouse *w, int n, int weight)
{
    pthread_mutex_lock(&w->lock);
    while (n < w->last && w->at[n + 1].occupied)
        let_others_go(w);
    w->at[n].weight -= weight;
    if (n < w->last)
        w->at[n + 1].occupied = true;
    pthread_mutex_unlock(&w->lock);
}

void warehouse_destroy(warehouse *w)
{
    pthread_mutex_destroy(&w->lock);
    free(w);
}
