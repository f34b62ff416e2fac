/* broken: race: an enter changes what the lock of another warehouse guards.
 *
 * The corridor belongs to the warehouse that it leads away from.  Without its lock, one
 * that is about to wait for it may miss that it has become free. */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "warehouse.h"

struct place {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int weight;
    bool left; /* is there a robot in the corridor that leads away? */
};

struct warehouse {
    int last, max_weight;
    struct place at[];
};

warehouse *warehouse_create(int warehouses, int max_weight)
{
    warehouse *w = calloc(1, sizeof *w + (size_t)warehouses * sizeof w->at[0]);

    for (int n = 0; n < warehouses; n++) {
        pthread_mutex_init(&w->at[n].lock, NULL);
        pthread_cond_init(&w->at[n].changed, NULL);
    }
    w->last = warehouses - 1;
    w->max_weight = max_weight;
    return w;
}

void warehouse_enter(warehouse *w, int n, int weight)
{
    struct place *here = &w->at[n];

    pthread_mutex_lock(&here->lock);
    while (here->weight + weight > w->max_weight)
        pthread_cond_wait(&here->changed, &here->lock);
    here->weight += weight;
    if (n > 0) {
        here[-1].left = false;
        pthread_cond_broadcast(&here[-1].changed);
    }
    pthread_mutex_unlock(&here->lock);
}

void warehouse_exit(warehouse *w, int n, int weight)
{
    struct place *here = &w->at[n];

    pthread_mutex_lock(&here->lock);
    while (here->left)
        pthread_cond_wait(&here->changed, &here->lock);
    here->left = n < w->last;
    here->weight -= weight;
    pthread_cond_broadcast(&here->changed);
    pthread_mutex_unlock(&here->lock);
}

void warehouse_destroy(warehouse *w)
{
    for (int n = 0; n <= w->last; n++) {
        pthread_cond_destroy(&w->at[n].changed);
        pthread_mutex_destroy(&w->at[n].lock);
    }
    free(w);
}
