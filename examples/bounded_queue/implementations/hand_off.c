/* correct: values are handed over to those who wait; who is woken is done. */
#include <pthread.h>
#include <stdlib.h>

#include "bounded_queue.h"

/* A put or get that waits, oldest first.  Never do both wait at a time. */
struct waiter {
    int value; /* of a put: to be put; of a get: what it got */
    bool served;
    pthread_cond_t go;
    struct waiter *next;
};

struct queue {
    pthread_mutex_t lock;
    struct waiter *first_waiter, **last_waiter;
    int capacity, first, count;
    int values[];
};

queue *queue_create(int capacity)
{
    queue *q = calloc(1, sizeof *q + (size_t)capacity * sizeof q->values[0]);

    pthread_mutex_init(&q->lock, NULL);
    q->capacity = capacity;
    q->last_waiter = &q->first_waiter;
    return q;
}

static void wait_in_line(queue *q, struct waiter *me)
{
    pthread_cond_init(&me->go, NULL);
    *q->last_waiter = me;
    q->last_waiter = &me->next;
    while (!me->served)
        pthread_cond_wait(&me->go, &q->lock);
    pthread_cond_destroy(&me->go);
}

/* NULL: nobody waits. */
static struct waiter *serve_next(queue *q)
{
    struct waiter *it = q->first_waiter;

    if (!it)
        return NULL;
    q->first_waiter = it->next;
    if (!q->first_waiter)
        q->last_waiter = &q->first_waiter;
    it->served = true;
    pthread_cond_signal(&it->go);
    return it;
}

/* A get that waits is given the value; otherwise it is kept. */
static void hand_over(queue *q, int value)
{
    struct waiter *get = q->count == 0 ? serve_next(q) : NULL;

    if (get)
        get->value = value;
    else
        q->values[(q->first + q->count++) % q->capacity] = value;
}

/* A put that waits has its value put where the room is now. */
static int take(queue *q)
{
    bool full = q->count == q->capacity;
    int value = q->values[q->first];
    struct waiter *put;

    q->first = (q->first + 1) % q->capacity;
    q->count--;
    put = full ? serve_next(q) : NULL;
    if (put)
        q->values[(q->first + q->count++) % q->capacity] = put->value;
    return value;
}

void queue_put(queue *q, int value)
{
    pthread_mutex_lock(&q->lock);
    if (q->count < q->capacity)
        hand_over(q, value);
    else
        wait_in_line(q, &(struct waiter){.value = value});
    pthread_mutex_unlock(&q->lock);
}

int queue_get(queue *q)
{
    struct waiter me = {.value = 0};

    pthread_mutex_lock(&q->lock);
    if (q->count > 0)
        me.value = take(q);
    else
        wait_in_line(q, &me);
    pthread_mutex_unlock(&q->lock);
    return me.value;
}

bool queue_try_put(queue *q, int value)
{
    bool room;

    pthread_mutex_lock(&q->lock);
    room = q->count < q->capacity;
    if (room)
        hand_over(q, value);
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
