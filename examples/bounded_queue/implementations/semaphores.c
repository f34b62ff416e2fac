/* correct: semaphores only; the right to look at the queue is passed on like a baton. */
#include <semaphore.h>
#include <stdlib.h>

#include "bounded_queue.h"

struct queue {
    sem_t baton;       /* who has it may look at the rest, and change it */
    sem_t value, room; /* where those wait who need one */
    int gets, puts;    /* how many of them */
    int capacity, first, count;
    int values[];
};

queue *queue_create(int capacity)
{
    queue *q = calloc(1, sizeof *q + (size_t)capacity * sizeof q->values[0]);

    sem_init(&q->baton, 0, 1);
    sem_init(&q->value, 0, 0);
    sem_init(&q->room, 0, 0);
    q->capacity = capacity;
    return q;
}

/* Pass the baton to one that can go on; if there is none, put it down. */
static void pass_baton(queue *q)
{
    if (q->gets > 0 && q->count > 0) {
        q->gets--;
        sem_post(&q->value);
    } else if (q->puts > 0 && q->count < q->capacity) {
        q->puts--;
        sem_post(&q->room);
    } else {
        sem_post(&q->baton);
    }
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

void queue_put(queue *q, int value)
{
    sem_wait(&q->baton);
    if (q->count == q->capacity) {
        q->puts++;
        sem_post(&q->baton);
        sem_wait(&q->room);
    }
    append(q, value);
    pass_baton(q);
}

int queue_get(queue *q)
{
    int value;

    sem_wait(&q->baton);
    if (q->count == 0) {
        q->gets++;
        sem_post(&q->baton);
        sem_wait(&q->value);
    }
    value = take(q);
    pass_baton(q);
    return value;
}

bool queue_try_put(queue *q, int value)
{
    bool room;

    sem_wait(&q->baton);
    room = q->count < q->capacity;
    if (room)
        append(q, value);
    pass_baton(q);
    return room;
}

bool queue_try_get(queue *q, int *out_value)
{
    bool there;

    sem_wait(&q->baton);
    there = q->count > 0;
    if (there)
        *out_value = take(q);
    pass_baton(q);
    return there;
}

int queue_size(queue *q)
{
    int size;

    sem_wait(&q->baton);
    size = q->count;
    pass_baton(q);
    return size;
}

void queue_destroy(queue *q)
{
    sem_destroy(&q->room);
    sem_destroy(&q->value);
    sem_destroy(&q->baton);
    free(q);
}
