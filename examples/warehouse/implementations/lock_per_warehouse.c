/* correct: a lock for each warehouse and the corridor that leads away from it.
 *
 * So an exit needs one lock.  An enter needs two, one after the other: a robot that is
 * in has left the corridor, at the latest when it returns. */
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

static void leave_corridor(struct place *before)
{
    pthread_mutex_lock(&before->lock);
    before->left = false;
    pthread_cond_broadcast(&before->changed);
    pthread_mutex_unlock(&before->lock);
}

void warehouse_enter(warehouse *w, int n, int weight)
{
    struct place *here = &w->at[n];

    pthread_mutex_lock(&here->lock);
    while (here->weight + weight > w->max_weight)
        pthread_cond_wait(&here->changed, &here->lock);
    here->weight += weight;
    pthread_mutex_unlock(&here->lock);
    if (n > 0)
        leave_corridor(here - 1);
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
