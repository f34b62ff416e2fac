/* correct: a condition for each thing that can be waited for.
 *
 * All who wait for a corridor want the same, and one of them can have it: one is woken.
 * Those who wait for a warehouse differ in weight, and several may fit: all are woken. */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "warehouse.h"

struct place {
    int weight;
    bool occupied; /* the corridor that leads here */
    pthread_cond_t lighter, freed;
};

struct warehouse {
    pthread_mutex_t lock;
    int last, max_weight;
    struct place at[];
};

warehouse *warehouse_create(int warehouses, int max_weight)
{
    warehouse *w = calloc(1, sizeof *w + (size_t)warehouses * sizeof w->at[0]);

    pthread_mutex_init(&w->lock, NULL);
    for (int n = 0; n < warehouses; n++) {
        pthread_cond_init(&w->at[n].lighter, NULL);
        pthread_cond_init(&w->at[n].freed, NULL);
    }
    w->last = warehouses - 1;
    w->max_weight = max_weight;
    return w;
}

void warehouse_enter(warehouse *w, int n, int weight)
{
    struct place *here = &w->at[n];

    pthread_mutex_lock(&w->lock);
    while (here->weight + weight > w->max_weight)
        pthread_cond_wait(&here->lighter, &w->lock);
    here->weight += weight;
    here->occupied = false;
    pthread_cond_signal(&here->freed);
    pthread_mutex_unlock(&w->lock);
}

static void take_corridor(warehouse *w, struct place *next)
{
    while (next->occupied)
        pthread_cond_wait(&next->freed, &w->lock);
    next->occupied = true;
}

void warehouse_exit(warehouse *w, int n, int weight)
{
    struct place *here = &w->at[n];

    pthread_mutex_lock(&w->lock);
    if (n < w->last)
        take_corridor(w, here + 1);
    here->weight -= weight;
    pthread_cond_broadcast(&here->lighter);
    pthread_mutex_unlock(&w->lock);
}

void warehouse_destroy(warehouse *w)
{
    for (int n = 0; n <= w->last; n++) {
        pthread_cond_destroy(&w->at[n].lighter);
        pthread_cond_destroy(&w->at[n].freed);
    }
    pthread_mutex_destroy(&w->lock);
    free(w);
}
