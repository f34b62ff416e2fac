/* blocking_queue.c -- a queue with room for one item, in which takers wait for it.
 *
 * A test that take waits used to sleep, for as long as its author thought that take takes to come
 * to its wait.  Here it knows.
 *
 * After figures 3 and 4 of "Interleaving"; the broken queue looks for an item once, not until it is
 * there. */
#include <pthread.h>
#include <raddle.h>

#ifndef PLANTED
#define PLANTED true
#endif

/* ---- The code under test ------------------------------------------------------------------- */

enum { ROOM = 1 };

struct queue {
    bool asks_once; /* whether there is an item: a mistake */
    pthread_mutex_t lock;
    pthread_cond_t has_room, has_item;
    int items[ROOM], first, count;
};

static struct queue new_queue(bool asks_once)
{
    return (struct queue){.asks_once = asks_once,
                          .lock = PTHREAD_MUTEX_INITIALIZER,
                          .has_room = PTHREAD_COND_INITIALIZER,
                          .has_item = PTHREAD_COND_INITIALIZER};
}

static void put(struct queue *q, int item)
{
    pthread_mutex_lock(&q->lock);
    while (q->count == ROOM)
        pthread_cond_wait(&q->has_room, &q->lock);
    q->items[(q->first + q->count) % ROOM] = item;
    q->count++;
    pthread_mutex_unlock(&q->lock);
    pthread_cond_signal(&q->has_item);
}

static int take(struct queue *q)
{
    int item;

    pthread_mutex_lock(&q->lock);
    while (q->count == 0) {
        pthread_cond_wait(&q->has_item, &q->lock);
        if (q->asks_once)
            break;
    }
    item = q->items[q->first];
    q->first = (q->first + 1) % ROOM;
    q->count--;
    pthread_mutex_unlock(&q->lock);
    pthread_cond_signal(&q->has_room);
    return item;
}

static bool is_empty(struct queue *q)
{
    bool empty;

    pthread_mutex_lock(&q->lock);
    empty = q->count == 0;
    pthread_mutex_unlock(&q->lock);
    return empty;
}

/* ---- Take waits ---------------------------------------------------------------------------- */

struct visit {
    struct queue *queue;
    struct rdl_gate *has_put, *waits;
};

static void put_two(void *it)
{
    struct visit *visit = it;

    put(visit->queue, 1);
    rdl_gate_open(visit->has_put);
    rdl_gate_wait(visit->waits);
    put(visit->queue, 2);
}

/* The gate is opened by the queue itself, just before it waits. */
static void take_waits(struct rdl_case *t)
{
    struct queue queue = new_queue(false);
    struct visit visit = {&queue, rdl_gate(t, "has put"), rdl_gate(t, "waits")};
    struct rdl_thread *putter;

    rdl_at(t, "take:/pthread_cond_wait/", .open = visit.waits);
    putter = rdl_spawn(t, "putter", put_two, &visit);
    rdl_gate_wait(visit.has_put);
    rdl_check_eq(take(&queue), 1);
    rdl_check(is_empty(&queue));
    rdl_check_eq(take(&queue), 2);
    rdl_check(is_empty(&queue));
    rdl_join(putter);
}

RDL_SCHEDULE(take_waits_for_an_item)
{
    take_waits(t);
}

RDL_SCHEDULE(take_waits_for_an_item_free, .free_threads = true)
{
    take_waits(t);
}

/* ---- Somebody else takes it ---------------------------------------------------------------- */

struct taker {
    struct queue *queue;
    int item;
};

static void take_one(void *it)
{
    struct taker *taker = it;

    taker->item = take(taker->queue);
}

static void put_one(void *it)
{
    put(it, 1);
}

/* The first taker waits.  There is an item, but before the first one is told, the second one comes
 * and takes it. */
static void overtaken(struct rdl_case *t, bool asks_once)
{
    struct queue queue = new_queue(asks_once);
    struct taker first = {&queue, 0}, second = {&queue, 0};
    struct rdl_thread *one, *two, *putter;

    rdl_order(t, "[first blocked] -> putter:put,"
                 "putter:put:/pthread_mutex_unlock/ -> second:take,"
                 "[second ended] -> putter:put:/pthread_cond_signal/");
    one = rdl_spawn(t, "first", take_one, &first);
    two = rdl_spawn(t, "second", take_one, &second);
    putter = rdl_spawn(t, "putter", put_one, &queue);
    rdl_join(putter);
    rdl_until_quiet(t); /* the first has looked again */
    put(&queue, 2);
    rdl_join(one);
    rdl_join(two);
    rdl_check_eq(second.item, 1);
    rdl_check_eq(first.item, 2);
}

RDL_SCHEDULE(the_first_is_overtaken)
{
    overtaken(t, false);
}

RDL_SCHEDULE(the_first_is_overtaken_free, .free_threads = true)
{
    overtaken(t, false);
}

RDL_SCHEDULE(broken_the_first_is_overtaken, .expect_failure = PLANTED)
{
    overtaken(t, true);
}

RDL_SCHEDULE(broken_the_first_is_overtaken_free, .free_threads = true, .expect_failure = PLANTED)
{
    overtaken(t, true);
}

RDL_MAIN
