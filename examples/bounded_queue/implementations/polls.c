/* correct: put and get ask again and again instead of waiting to be told. */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "bounded_queue.h"

struct queue {
    pthread_mutex_t lock;
    int capacity, first, count;
    int values[];
};

queue *queue_create(int capacity)
{
    queue *q = calloc(1, sizeof *q + (size_t)capacity * sizeof q->values[0]);

    pthread_mutex_init(&q->lock, NULL);
    q->capacity = capacity;
    return q;
}

static void append(queue *q, int value)
{
    q->values[(q->first + q->count++) % q->capacity] = value;
}

static int take(queue *q)
{
    int value = q->values[q->first];

    q->first = (q->first + 1) % q->capacity;
    q->count--;
    return value;
}

static void let_others_go(queue *q)
{
    pthread_mutex_unlock(&q->lock);
    sched_yield();
    pthread_mutex_lock(&q->lock);
}

void queue_put(queue *q, int value)
{
    pthread_mutex_lock(&q->lock);
    while (q->count == q->capacity)
        let_others_go(q);
    append(q, value);
    pthread_mutex_unlock(&q->lock);
}

int queue_get(queue *q)
{
    int value;

    pthread_mutex_lock(&q->lock);
    while (q->count == 0)
        let_others_go(q);
    value = take(q);
    pthread_mutex_unlock(&q->lock);
    return value;
}

bool queue_try_put(queue *q, int value)
{
    bool room;

    pthread_mutex_lock(&q->lock);
    room = q->count < q->capacity;
    if (room)
        append(q, value);
    pthread_mutex_unlock(&q->lock);
    return room;
}

bool queue_try_get(queue *q, int *out_value)
{
    bool there;

    pthread_mutex_lock(&q->lock);
    there = q->count > 0;
    if (there)
        *out_value = take(q);
    pthread_mutex_unlock(&q->lock);
    return there;
}

int queue_size(queue *q)
{
    int size;

    pthread_mutex_lock(&q->lock);
    size = q->count;
    pthread_mutex_unlock(&q->lock);
    return size;
}

void queue_destroy(queue *q)
{
    pthread_mutex_destroy(&q->lock);
    free(q);
}
