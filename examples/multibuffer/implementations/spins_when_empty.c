/* broken: livelock: get looks again and again, with the lock in its hands.
 *
 * The put that it waits for waits for the lock. */
#include <pthread.h>
#include <stdlib.h>

#include "multibuffer.h"

struct multibuffer {
    pthread_mutex_t lock;
    pthread_cond_t more_items, more_room;
    int capacity, first;
    volatile int count;
    int items[];
};

multibuffer *multibuffer_create(int capacity)
{
    multibuffer *m = calloc(1, sizeof *m + (size_t)capacity * sizeof m->items[0]);

    pthread_mutex_init(&m->lock, NULL);
    pthread_cond_init(&m->more_items, NULL);
    pthread_cond_init(&m->more_room, NULL);
    m->capacity = capacity;
    return m;
}

void multibuffer_put(multibuffer *m, const int *items, int n)
{
    pthread_mutex_lock(&m->lock);
    while (m->count + n > m->capacity)
        pthread_cond_wait(&m->more_room, &m->lock);
    for (int i = 0; i < n; i++)
        m->items[(m->first + m->count++) % m->capacity] = items[i];
    pthread_cond_broadcast(&m->more_items);
    pthread_mutex_unlock(&m->lock);
}

void multibuffer_get(multibuffer *m, int *items, int n)
{
    pthread_mutex_lock(&m->lock);
    while (m->count < n)
        continue;
    for (int i = 0; i < n; i++)
        items[i] = m->items[(m->first + i) % m->capacity];
    m->first = (m->first + n) % m->capacity;
    m->count -= n;
    pthread_cond_broadcast(&m->more_room);
    pthread_mutex_unlock(&m->lock);
}

void multibuffer_destroy(multibuffer *m)
{
    pthread_cond_destroy(&m->more_room);
    pthread_cond_destroy(&m->more_items);
    pthread_mutex_destroy(&m->lock);
    free(m);
}
