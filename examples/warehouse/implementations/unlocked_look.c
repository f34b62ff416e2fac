/* broken: non-atomic: to save time, a look without the lock comes first.
 *
 * By the time the lock is there, what was seen may no longer be so. */
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
    bool room = w->at[n].weight + weight <= w->max_weight;

    pthread_mutex_lock(&w->lock);
    while (!room && w->at[n].weight + weight > w->max_weight)
        pthread_cond_wait(&w->changed, &w->lock);
    w->at[n].weight += weight;
    w->at[n].occupied = false;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
}

void warehouse_exit(warehouse *w, int n, int weight)
{
    pthread_mutex_lock(&w->lock);
    while (n < w->last && w->at[n + 1].occupied)
        pthread_cond_wait(&w->changed, &w->lock);
    w->at[n].weight -= weight;
    if (n < w->last)
        w->at[n + 1].occupied = true;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
}

void warehouse_destroy(warehouse *w)
{
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->lock);
    free(w);
}
