/* broken: livelock: waits by looking again and again, and keeps the lock while it does.
 *
 * Nothing it waits for can happen: whoever could bring it about waits for the lock. */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "warehouse.h"

struct warehouse {
    pthread_mutex_t lock;
    int last, max_weight;
    struct {
        volatile int weight;
        volatile bool occupied; /* the corridor that leads here */
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

void warehouse_enter(warehouse *w, int n, int weight)
{
    pthread_mutex_lock(&w->lock);
    while (w->at[n].weight + weight > w->max_weight)
        continue;
    w->at[n].weight += weight;
    w->at[n].occupied = false;
    pthread_mutex_unlock(&w->lock);
}

void warehouse_exit(warehouse *w, int n, int weight)
{
    pthread_mutex_lock(&w->lock);
    while (n < w->last && w->at[n + 1].occupied)
        continue;
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
