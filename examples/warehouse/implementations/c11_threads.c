/* correct: as monitor.c, with the threads of C11. */
#include <stdbool.h>
#include <stdlib.h>
#include <threads.h>

#include "warehouse.h"

struct warehouse {
    mtx_t lock;
    cnd_t changed;
    int last, max_weight;
    struct {
        int weight;
        bool occupied; /* the corridor that leads here */
    } at[];
};

warehouse *warehouse_create(int warehouses, int max_weight)
{
    warehouse *w = calloc(1, sizeof *w + (size_t)warehouses * sizeof w->at[0]);

    mtx_init(&w->lock, mtx_plain);
    cnd_init(&w->changed);
    w->last = warehouses - 1;
    w->max_weight = max_weight;
    return w;
}

void warehouse_enter(warehouse *w, int n, int weight)
{
    mtx_lock(&w->lock);
    while (w->at[n].weight + weight > w->max_weight)
        cnd_wait(&w->changed, &w->lock);
    w->at[n].weight += weight;
    w->at[n].occupied = false;
    cnd_broadcast(&w->changed);
    mtx_unlock(&w->lock);
}

void warehouse_exit(warehouse *w, int n, int weight)
{
    mtx_lock(&w->lock);
    while (n < w->last && w->at[n + 1].occupied)
        cnd_wait(&w->changed, &w->lock);
    w->at[n].weight -= weight;
    if (n < w->last)
        w->at[n + 1].occupied = true;
    cnd_broadcast(&w->changed);
    mtx_unlock(&w->lock);
}

void warehouse_destroy(warehouse *w)
{
    cnd_destroy(&w->changed);
    mtx_destroy(&w->lock);
    free(w);
}
