/* broken: bad-sched: a robot's weight is taken off when it enters the next warehouse.
 *
 * It should be when it exits: while the robot stands in the corridor, others wait for room
 * that is there. */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "warehouse.h"

struct warehouse {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int last, max_weight;
    struct {
        int weight;
        bool occupied; /* the corridor that leads here */
        int coming;    /* what the robot in it weighed */
    } at[];
};

warehouse *warehouse_create(int warehouses, int max_weight)
{
    warehouse *w = calloc(1, sizeof *w + (size_t)warehouses * sizeof w->at[0]);

    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->changed, NULL);
    w->last = warehouses - 1;
    w->max_weight = max_weight;
    return w;
}

void warehouse_enter(warehouse *w, int n, int weight)
{
    pthread_mutex_lock(&w->lock);
    while (w->at[n].weight + weight > w->max_weight)
        pthread_cond_wait(&w->changed, &w->lock);
    w->at[n].weight += weight;
    w->at[n].occupied = false;
    if (n > 0)
        w->at[n - 1].weight -= w->at[n].coming;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
}

void warehouse_exit(warehouse *w, int n, int weight)
{
    pthread_mutex_lock(&w->lock);
    while (n < w->last && w->at[n + 1].occupied)
        pthread_cond_wait(&w->changed, &w->lock);
    if (n < w->last) {
        w->at[n + 1].occupied = true;
        w->at[n + 1].coming = weight;
    } else {
        w->at[n].weight -= weight;
    }
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
}

void warehouse_destroy(warehouse *w)
{
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->lock);
    free(w);
}
