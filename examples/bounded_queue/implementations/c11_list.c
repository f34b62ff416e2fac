/* correct: a linked list, with the threads of C11; everybody is woken at every change. */
#include <stdlib.h>
#include <threads.h>

#include "bounded_queue.h"

struct node {
    int value;
    struct node *next;
};

struct queue {
    mtx_t lock;
    cnd_t changed;
    int capacity, count;
    struct node *first, **end; /* where the next node goes */
};

queue *queue_create(int capacity)
{
    queue *q = calloc(1, sizeof *q);

    mtx_init(&q->lock, mtx_plain);
    cnd_init(&q->changed);
    q->capacity = capacity;
    q->end = &q->first;
    return q;
}

static void append(queue *q, int value)
{
    struct node *node = malloc(sizeof *node);

    *node = (struct node){.value = value};
    *q->end = node;
    q->end = &node->next;
    q->count++;
    cnd_broadcast(&q->changed);
}

static int take(queue *q)
{
    struct node *node = q->first;
    int value = node->value;

    q->first = node->next;
    if (!q->first)
        q->end = &q->first;
    q->count--;
    free(node);
    cnd_broadcast(&q->changed);
    return value;
}

void queue_put(queue *q, int value)
{
    mtx_lock(&q->lock);
    while (q->count == q->capacity)
        cnd_wait(&q->changed, &q->lock);
    append(q, value);
    mtx_unlock(&q->lock);
}

int queue_get(queue *q)
{
    int value;

    mtx_lock(&q->lock);
    while (q->count == 0)
        cnd_wait(&q->changed, &q->lock);
    value = take(q);
    mtx_unlock(&q->lock);
    return value;
}

bool queue_try_put(queue *q, int value)
{
    bool room;

    mtx_lock(&q->lock);
    room = q->count < q->capacity;
    if (room)
        append(q, value);
    mtx_unlock(&q->lock);
    return room;
}

bool queue_try_get(queue *q, int *out_value)
{
    bool there;

    mtx_lock(&q->lock);
    there = q->count > 0;
    if (there)
        *out_value = take(q);
    mtx_unlock(&q->lock);
    return there;
}

int queue_size(queue *q)
{
    int size;

    mtx_lock(&q->lock);
    size = q->count;
    mtx_unlock(&q->lock);
    return size;
}

void queue_destroy(queue *q)
{
    while (q->count > 0)
        take(q);
    cnd_destroy(&q->changed);
    mtx_destroy(&q->lock);
    free(q);
}
