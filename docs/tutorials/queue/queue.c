/* queue.c -- a ring of items, one lock, one condition. */
#include "queue.h"

#include <pthread.h>
#include <stdlib.h>

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int capacity, first, count;
    int items[];
};

struct queue *queue_new(int capacity)
{
    struct queue *q = calloc(1, sizeof *q + (size_t)capacity * sizeof q->items[0]);

    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->changed, NULL);
    q->capacity = capacity;
    return q;
}

void queue_free(struct queue *q)
{
    pthread_cond_destroy(&q->changed);
    pthread_mutex_destroy(&q->lock);
    free(q);
}

void queue_put(struct queue *q, int item)
{
    pthread_mutex_lock(&q->lock);
    while (q->count == q->capacity)
        pthread_cond_wait(&q->changed, &q->lock);
    q->items[(q->first + q->count++) % q->capacity] = item;
    pthread_cond_signal(&q->changed);
    pthread_mutex_unlock(&q->lock);
}

int queue_take(struct queue *q)
{
    int item;

    pthread_mutex_lock(&q->lock);
    while (q->count == 0)
        pthread_cond_wait(&q->changed, &q->lock);
    item = q->items[q->first];
    q->first = (q->first + 1) % q->capacity;
    q->count--;
    pthread_cond_signal(&q->changed);
    pthread_mutex_unlock(&q->lock);
    return item;
}
