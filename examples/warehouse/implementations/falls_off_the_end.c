/* broken: crash: behind the last warehouse comes a null pointer. */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "warehouse.h"

struct place {
    int weight;
    bool occupied; /* the corridor that leads here */
    struct place *next;
};

struct warehouse {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int max_weight;
    struct place *first;
};

warehouse *warehouse_create(int warehouses, int max_weight)
{
    warehouse *w = calloc(1, sizeof *w);

    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->changed, NULL);
    w->max_weight = max_weight;
    for (int i = 0; i < warehouses; i++) {
        struct place *place = calloc(1, sizeof *place);

        place->next = w->first;
        w->first = place;
    }
    return w;
}

static struct place *find(warehouse *w, int n)
{
    struct place *place = w->first;

    while (n-- > 0)
        place = place->next;
    return place;
}

void warehouse_enter(warehouse *w, int n, int weight)
{
    struct place *here = find(w, n);

    pthread_mutex_lock(&w->lock);
    while (here->weight + weight > w->max_weight)
        pthread_cond_wait(&w->changed, &w->lock);
    here->weight += weight;
    here->occupied = false;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
}

void warehouse_exit(warehouse *w, int n, int weight)
{
    struct place *here = find(w, n);

    pthread_mutex_lock(&w->lock);
    while (here->next->occupied)
        pthread_cond_wait(&w->changed, &w->lock);
    here->weight -= weight;
    here->next->occupied = true;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
}

void warehouse_destroy(warehouse *w)
{
    while (w->first) {
        struct place *place = w->first;

        w->first = place->next;
        free(place);
    }
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->lock);
    free(w);
}
