/* correct: semaphores only; the right to look at the state is passed on like a baton.
 *
 * Who is woken has the baton already, so nothing can change between the moment when it
 * was found that this robot can go on and the moment when it does. */
#include <semaphore.h>
#include <stdbool.h>
#include <stdlib.h>

#include "warehouse.h"

struct place {
    int weight;
    bool occupied;      /* the corridor that leads here */
    int leaving;        /* robots that wait for it */
    sem_t freed;        /* where they wait */
    struct robot *come; /* robots that wait for the warehouse */
};

struct robot {
    int weight;
    sem_t go;
    struct robot *next;
};

struct warehouse {
    sem_t baton; /* who has it may look at all the rest, and change it */
    int last, max_weight;
    struct place at[];
};

warehouse *warehouse_create(int warehouses, int max_weight)
{
    warehouse *w = calloc(1, sizeof *w + (size_t)warehouses * sizeof w->at[0]);

    sem_init(&w->baton, 0, 1);
    for (int n = 0; n < warehouses; n++)
        sem_init(&w->at[n].freed, 0, 0);
    w->last = warehouses - 1;
    w->max_weight = max_weight;
    return w;
}

/* Take the first robot that fits off the list of those who want to enter. */
static struct robot *find_one_that_fits(const warehouse *w, struct place *here)
{
    for (struct robot **at = &here->come; *at; at = &(*at)->next)
        if (here->weight + (*at)->weight <= w->max_weight) {
            struct robot *found = *at;

            *at = found->next;
            return found;
        }
    return NULL;
}

/* Pass the baton to a robot that can go on; if there is none, put it down. */
static void pass_baton(warehouse *w)
{
    for (struct place *here = w->at; here <= &w->at[w->last]; here++) {
        struct robot *robot = find_one_that_fits(w, here);

        if (robot) {
            sem_post(&robot->go);
            return;
        }
        if (!here->occupied && here->leaving > 0) {
            here->leaving--;
            sem_post(&here->freed);
            return;
        }
    }
    sem_post(&w->baton);
}

void warehouse_enter(warehouse *w, int n, int weight)
{
    struct place *here = &w->at[n];

    sem_wait(&w->baton);
    if (here->weight + weight > w->max_weight) {
        struct robot me = {.weight = weight, .next = here->come};

        sem_init(&me.go, 0, 0);
        here->come = &me;
        sem_post(&w->baton);
        sem_wait(&me.go); /* whoever posted it gave us the baton */
        sem_destroy(&me.go);
    }
    here->weight += weight;
    here->occupied = false;
    pass_baton(w);
}

void warehouse_exit(warehouse *w, int n, int weight)
{
    struct place *next = n < w->last ? &w->at[n + 1] : NULL;

    sem_wait(&w->baton);
    if (next && next->occupied) {
        next->leaving++;
        sem_post(&w->baton);
        sem_wait(&next->freed);
    }
    w->at[n].weight -= weight;
    if (next)
        next->occupied = true;
    pass_baton(w);
}

void warehouse_destroy(warehouse *w)
{
    for (int n = 0; n <= w->last; n++)
        sem_destroy(&w->at[n].freed);
    sem_destroy(&w->baton);
    free(w);
}
