/* broken: deadlock: put and get take the same two locks in opposite orders. */
#include <pthread.h>
#include <stdlib.h>

#include "multibuffer.h"

struct multibuffer {
    pthread_mutex_t items_lock, room_lock;
    pthread_cond_t more_items, more_room;
    int capacity, first, count; /* guarded by items_lock */
    int room;                   /* guarded by room_lock */
    int items[];
};

multibuffer *multibuffer_create(int capacity)
{
    multibuffer *m = calloc(1, sizeof *m + (size_t)capacity * sizeof m->items[0]);

    pthread_mutex_init(&m->items_lock, NULL);
    pthread_mutex_init(&m->room_lock, NULL);
    pthread_cond_init(&m->more_items, NULL);
    pthread_cond_init(&m->more_room, NULL);
    m->capacity = m->room = capacity;
    return m;
}

static void append(multibuffer *m, const int *items, int n)
{
    for (int i = 0; i < n; i++)
        m->items[(m->first + m->count++) % m->capacity] = items[i];
    pthread_cond_broadcast(&m->more_items);
}

static void take(multibuffer *m, int *items, int n)
{
    for (int i = 0; i < n; i++)
        items[i] = m->items[(m->first + i) % m->capacity];
    m->first = (m->first + n) % m->capacity;
    m->count -= n;
}

void multibuffer_put(multibuffer *m, const int *items, int n)
{
    pthread_mutex_lock(&m->room_lock);
    while (m->room < n)
        pthread_cond_wait(&m->more_room, &m->room_lock);
    m->room -= n;
    pthread_mutex_lock(&m->items_lock);
    append(m, items, n);
    pthread_mutex_unlock(&m->items_lock);
    pthread_mutex_unlock(&m->room_lock);
}

void multibuffer_get(multibuffer *m, int *items, int n)
{
    pthread_mutex_lock(&m->items_lock);
    while (m->count < n)
        pthread_cond_wait(&m->more_items, &m->items_lock);
    take(m, items, n);
    pthread_mutex_lock(&m->room_lock);
    m->room += n;
    pthread_cond_broadcast(&m->more_room);
    pthread_mutex_unlock(&m->room_lock);
    pthread_mutex_unlock(&m->items_lock);
}

void multibuffer_destroy(multibuffer *m)
{
    pthread_cond_destroy(&m->more_room);
    pthread_cond_destroy(&m->more_items);
    pthread_mutex_destroy(&m->room_lock);
    pthread_mutex_destroy(&m->items_lock);
    free(m);
}
