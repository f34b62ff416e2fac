/* correct: a ring, a lock, and a condition for either end.
 *
 * A value that is put lets one get go on, so one is woken; likewise for room. */
#include <pthread.h>
#include <stdlib.h>

#include "bounded_queue.h"

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t not_empty, not_full;
    int capacity, first, count;
    int values[];
};

queue *queue_create(int capacity)
{
    queue *q = calloc(1, sizeof *q + (size_t)capacity * sizeof q->values[0]);

    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->not_empty, NULL);
    pthread_cond_init(&q->not_full, NULL);
    q->capacity = capacity;
    return q;
}

static void append(queue *q, int value)
{
    q->values[(q->first + q->count++) % q->capacity] = value;
    pthread_cond_signal(&q->not_empty);
}

static int take(queue *q)
{
    int value = q->values[q->first];

    q->first = (q->first + 1) % q->capacity;
    q->count--;
    pthread_cond_signal(&q->not_full);
    return value;
}

void queue_put(queue *q, int value)
{
    pthread_mutex_lock(&q->lock);
    while (q->count == q->capacity)
        pthread_cond_wait(&q->not_full, &q->lock);
    append(q, value);
    pthread_mutex_unlock(&q->lock);
}

int queue_get(queue *q)
{
    int value;

    pthread_mutex_lock(&q->lock);
    while (q->count == 0)
        pthread_cond_wait(&q->not_empty, &q->lock);
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
    pthread_cond_destroy(&q->not_full);
    pthread_cond_destroy(&q->not_empty);
    pthread_mutex_destroy(&q->lock);
    free(q);
}
