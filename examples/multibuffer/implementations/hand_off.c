/* correct: whoever changes something serves those who wait, each at a semaphore of its own. */
#include <semaphore.h>
#include <stdbool.h>
#include <stdlib.h>

#include "multibuffer.h"

struct waiter {
    const int *put; /* NULL: it gets */
    int *get;
    int n;
    sem_t served;
    struct waiter *next;
};

struct multibuffer {
    sem_t lock; /* 1: nobody is at it */
    struct waiter *waiting;
    int capacity, first, count;
    int items[];
};

multibuffer *multibuffer_create(int capacity)
{
    multibuffer *m = calloc(1, sizeof *m + (size_t)capacity * sizeof m->items[0]);

    sem_init(&m->lock, 0, 1);
    m->capacity = capacity;
    return m;
}

static bool can_go(const multibuffer *m, const struct waiter *it)
{
    return it->put ? m->count + it->n <= m->capacity : m->count >= it->n;
}

static void go(multibuffer *m, const struct waiter *it)
{
    for (int i = 0; i < it->n; i++)
        if (it->put) {
            m->items[(m->first + m->count++) % m->capacity] = it->put[i];
        } else {
            it->get[i] = m->items[m->first];
            m->first = (m->first + 1) % m->capacity;
            m->count--;
        }
}

/* Serve one of those who wait, if one can go on. */
static bool serve_one(multibuffer *m)
{
    for (struct waiter **at = &m->waiting; *at; at = &(*at)->next)
        if (can_go(m, *at)) {
            struct waiter *it = *at;

            *at = it->next;
            go(m, it);
            sem_post(&it->served);
            return true;
        }
    return false;
}

static void ask(multibuffer *m, struct waiter *me)
{
    sem_init(&me->served, 0, 0);
    sem_wait(&m->lock);
    me->next = m->waiting;
    m->waiting = me;
    while (serve_one(m))
        continue;
    sem_post(&m->lock);
    sem_wait(&me->served);
    sem_destroy(&me->served);
}

void multibuffer_put(multibuffer *m, const int *items, int n)
{
    ask(m, &(struct waiter){.put = items, .n = n});
}

void multibuffer_get(multibuffer *m, int *items, int n)
{
    ask(m, &(struct waiter){.get = items, .n = n});
}

void multibuffer_destroy(multibuffer *m)
{
    sem_destroy(&m->lock);
    free(m);
}
