/* broken: non-atomic: who is woken takes it for granted that the corridor is still free.
 *
 * Corridors have conditions of their own, and one robot is woken for each that becomes
 * free.  But until it has the lock again, another that just came may have taken it. */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "warehouse.h"

struct warehouse {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int last, max_weight;
    struct {
        pthread_cond_t freed;
        int weight;
        bool occupied; /* the corridor that leads here */
    } at[];
};

warehouse *warehouse_create(int warehouses, int max_weight)
{
    warehouse *w = calloc(1, sizeof *w + (size_t)warehouses * sizeof w->at[0]);

    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->changed, NULL);
    for (int n = 0; n < warehouses; n++)
        pthread_cond_init(&w->at[n].freed, NULL);
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
    pthread_cond_signal(&w->at[n].freed);
    pthread_mutex_unlock(&w->lock);
}

void warehouse_exit(warehouse *w, int n, int weight)
{
    pthread_mutex_lock(&w->lock);
    if (n < w->last && w->at[n + 1].occupied)
        pthread_cond_wait(&w->at[n + 1].freed, &w->lock);
    w->at[n].weight -= weight;
    if (n < w->last)
        w->at[n + 1].occupied = true;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
}

void warehouse_destroy(warehouse *w)
{
    for (int n = 0; n <= w->last; n++)
        pthread_cond_destroy(&w->at[n].freed);
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->lock);
    free(w);
}
