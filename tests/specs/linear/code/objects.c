/* objects.c -- small things that threads share.  What is broken has no data races. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "objects.h"

/* ---- A counter: the broken one reads and writes in two steps ------------------------------- */

struct counter {
    bool broken;
    atomic_int next;
};

struct counter *counter_new(bool broken)
{
    struct counter *c = calloc(1, sizeof *c);

    c->broken = broken;
    return c;
}

void counter_free(struct counter *c)
{
    free(c);
}

int counter_next(struct counter *c)
{
    int value;

    if (!c->broken)
        return atomic_fetch_add(&c->next, 1);
    value = atomic_load(&c->next);
    atomic_store(&c->next, value + 1);
    return value;
}

/* ---- A stack: the broken one forgets to look whether another was faster --------------------- */

struct node {
    int value;
    struct node *below, *all;
};

struct stack {
    bool broken;
    _Atomic(struct node *) top;
    _Atomic(struct node *) all; /* nodes are freed in the end */
};

struct stack *stack_new(bool broken)
{
    struct stack *s = calloc(1, sizeof *s);

    s->broken = broken;
    return s;
}

void stack_free(struct stack *s)
{
    for (struct node *node = atomic_load(&s->all), *next; node; node = next) {
        next = node->all;
        free(node);
    }
    free(s);
}

void stack_push(struct stack *s, int value)
{
    struct node *node = malloc(sizeof *node);

    node->value = value;
    node->all = atomic_load(&s->all);
    while (!atomic_compare_exchange_weak(&s->all, &node->all, node))
        ;
    node->below = atomic_load(&s->top);
    while (!atomic_compare_exchange_weak(&s->top, &node->below, node))
        ;
}

int stack_pop(struct stack *s)
{
    struct node *top = atomic_load(&s->top);

    if (s->broken) {
        if (top)
            atomic_store(&s->top, top->below);
        return top ? top->value : -1;
    }
    while (top && !atomic_compare_exchange_weak(&s->top, &top, top->below))
        ;
    return top ? top->value : -1;
}

/* ---- Registers: the broken ones write digit by digit ----------------------------------------- */

struct registers {
    bool broken;
    atomic_int values[REGISTERS];
    atomic_int digits[REGISTERS][2];
};

struct registers *registers_new(bool broken)
{
    struct registers *r = calloc(1, sizeof *r);

    r->broken = broken;
    return r;
}

void registers_free(struct registers *r)
{
    free(r);
}

void registers_write(struct registers *r, int key, int value)
{
    atomic_store(&r->values[key], value);
    atomic_store(&r->digits[key][0], value / 10);
    atomic_store(&r->digits[key][1], value % 10);
}

int registers_read(struct registers *r, int key)
{
    if (!r->broken)
        return atomic_load(&r->values[key]);
    return 10 * atomic_load(&r->digits[key][0]) + atomic_load(&r->digits[key][1]);
}

/* ---- A queue for two: the broken one wakes somebody only if it was empty, or full ----------- */

struct queue {
    bool broken;
    pthread_mutex_t lock;
    pthread_cond_t more, room;
    int values[2], first, count;
};

struct queue *queue_new(bool broken)
{
    struct queue *q = calloc(1, sizeof *q);

    q->broken = broken;
    return q;
}

void queue_free(struct queue *q)
{
    free(q);
}

void queue_put(struct queue *q, int value)
{
    pthread_mutex_lock(&q->lock);
    while (q->count == 2)
        pthread_cond_wait(&q->room, &q->lock);
    q->values[(q->first + q->count++) % 2] = value;
    if (!q->broken || q->count == 1)
        pthread_cond_signal(&q->more);
    pthread_mutex_unlock(&q->lock);
}

int queue_get(struct queue *q)
{
    int value;

    pthread_mutex_lock(&q->lock);
    while (q->count == 0)
        pthread_cond_wait(&q->more, &q->lock);
    value = q->values[q->first];
    q->first = (q->first + 1) % 2;
    q->count--;
    if (!q->broken || q->count == 1)
        pthread_cond_signal(&q->room);
    pthread_mutex_unlock(&q->lock);
    return value;
}
