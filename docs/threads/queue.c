/* queue.c -- a bounded queue that can be closed, and its tests. */
#include <pthread.h>
#include <raddle.h>
#include <stdatomic.h>

enum { ROOM = 2 };

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t filled, drained;
    int items[ROOM];
    int first, count;
    atomic_bool closed;
};

static void queue_init(struct queue *q)
{
    *q = (struct queue){.count = 0};
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->filled, NULL);
    pthread_cond_init(&q->drained, NULL);
}

/* Waits while the queue is full. */
static void queue_put(struct queue *q, int item)
{
    pthread_mutex_lock(&q->lock);
    while (q->count == ROOM)
        pthread_cond_wait(&q->drained, &q->lock);
    q->items[(q->first + q->count++) % ROOM] = item;
    pthread_cond_signal(&q->filled);
    pthread_mutex_unlock(&q->lock);
}

/* Waits while the queue is empty; false: nothing is left, and it has been closed. */
static bool queue_take(struct queue *q, int *out_item)
{
    bool found;

    pthread_mutex_lock(&q->lock);
    while (q->count == 0 && !q->closed)
        pthread_cond_wait(&q->filled, &q->lock);
    found = q->count > 0;
    if (found) {
        *out_item = q->items[q->first];
        q->first = (q->first + 1) % ROOM;
        q->count--;
        pthread_cond_signal(&q->drained);
    }
    pthread_mutex_unlock(&q->lock);
    return found;
}

/* Nothing more will be put. */
static void queue_close(struct queue *q)
{
    q->closed = true;
    pthread_cond_broadcast(&q->filled);
}

/* ---- Tests ------------------------------------------------------------------- */

struct work {
    struct queue queue;
    int sum;
};

static void add_up(void *it)
{
    struct work *work = it;
    int item;

    while (queue_take(&work->queue, &item))
        work->sum += item;
}

RDL_EXPLORE(what_is_put_is_taken)
{
    struct work *work = rdl_new(t, struct work);
    struct rdl_thread *consumer;

    queue_init(&work->queue);
    consumer = rdl_spawn(t, "consumer", add_up, work);
    queue_put(&work->queue, 7);
    queue_close(&work->queue);
    rdl_join(consumer);
    rdl_check_eq(work->sum, 7);
}

static void put_three(void *it)
{
    for (int i = 1; i <= 3; i++)
        queue_put(it, i);
}

static void fill(struct rdl_case *t)
{
    struct queue *q = rdl_new(t, struct queue);
    struct rdl_thread *producer;
    int item;

    queue_init(q);
    producer = rdl_spawn(t, "producer", put_three, q);
    rdl_check_eq(rdl_until_quiet(t), 1);
    rdl_check(rdl_is_blocked(producer));
    rdl_check(queue_take(q, &item));
    rdl_join(producer);
    rdl_check_eq(q->count, ROOM);
}

RDL_EXPLORE(who_finds_the_queue_full_waits)
{
    fill(t);
}

RDL_PROPERTY(who_finds_the_queue_full_waits_in_real_life, .cases = 100)
{
    fill(t);
}

RDL_MAIN
