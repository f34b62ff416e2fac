/* broken: deadlock: who enters and who exits take the same two locks in opposite orders. */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "warehouse.h"

struct warehouse {
    pthread_mutex_t weights, corridors; /* each guards a part of what follows */
    pthread_cond_t lighter, freed;
    int last, max_weight;
    struct {
        int weight;
        bool occupied; /* the corridor that leads here */
    } at[];
};

warehouse *warehouse_create(int warehouses, int max_weight)
{
    warehouse *w = calloc(1, sizeof *w + (size_t)warehouses * sizeof w->at[0]);

    pthread_mutex_init(&w->weights, NULL);
    pthread_mutex_init(&w->corridors, NULL);
    pthread_cond_init(&w->lighter, NULL);
    pthread_cond_init(&w->freed, NULL);
    w->last = warehouses - 1;
    w->max_weight = max_weight;
    return w;
}

void warehouse_enter(warehouse *w, int n, int weight)
{
    pthread_mutex_lock(&w->weights);
    while (w->at[n].weight + weight > w->max_weight)
        pthread_cond_wait(&w->lighter, &w->weights);
    pthread_mutex_lock(&w->corridors);
    w->at[n].weight += weight;
    w->at[n].occupied = false;
    pthread_cond_broadcast(&w->freed);
    pthread_mutex_unlock(&w->corridors);
    pthread_mutex_unlock(&w->weights);
}

void warehouse_exit(warehouse *w, int n, int weight)
{
    pthread_mutex_lock(&w->corridors);
    while (n < w->last && w->at[n + 1].occupied)
        pthread_cond_wait(&w->freed, &w->corridors);
    pthread_mutex_lock(&w->weights);
    if (n < w->last)
        w->at[n + 1].occupied = true;
    w->at[n].weight -= weight;
    pthread_cond_broadcast(&w->lighter);
    pthread_mutex_unlock(&w->weights);
    pthread_mutex_unlock(&w->corridors);
}

void warehouse_destroy(warehouse *w)
{
    pthread_cond_destroy(&w->freed);
    pthread_cond_destroy(&w->lighter);
    pthread_mutex_destroy(&w->corridors);
    pthread_mutex_destroy(&w->weights);
    free(w);
}
