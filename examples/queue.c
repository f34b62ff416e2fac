/* queue.c -- a queue in a ring buffer, compared with the simplest queue there is.
 *
 * The queue keeps its elements in an array and wraps around at its end; when the
 * array is full, a larger one takes its place.  The model is an array that is
 * never wrapped: whatever leaves, leaves a gap at its front.  Both get the same
 * made-up calls and must hold the same elements after each.
 *
 * queue_broken grows the way most of us did it the first time. */
#include <raddle.h>
#include <stdlib.h>
#include <string.h>

/* Compile with -DPLANTED=false to be told of the bug as if nobody knew of it. */
#ifndef PLANTED
#define PLANTED true
#endif

/* ---- The code under test ----------------------------------------------------- */

struct queue {
    int *items;
    size_t room, first, count;
};

static void *resized(void *old, size_t size)
{
    void *new = realloc(old, size);

    if (!new)
        abort();
    return new;
}

static void queue_init(struct queue *q)
{
    *q = (struct queue){.items = resized(NULL, 2 * sizeof *q->items), .room = 2};
}

static void queue_release(struct queue *q)
{
    free(q->items);
}

/* Where the i-th element is. */
static int *queue_at(const struct queue *q, size_t i)
{
    return &q->items[(q->first + i) % q->room];
}

/* What had wrapped around to the front of the array goes on behind its old end. */
static void queue_grow(struct queue *q)
{
    q->items = resized(q->items, 2 * q->room * sizeof *q->items);
    memcpy(q->items + q->room, q->items, q->room * sizeof *q->items);
    q->room *= 2;
}

/* Here it stays at the front, and garbage gets into the middle of the queue. */
static void queue_broken_grow(struct queue *q)
{
    q->items = resized(q->items, 2 * q->room * sizeof *q->items);
    memset(q->items + q->room, 0, q->room * sizeof *q->items);
    q->room *= 2;
}

typedef void grow_function(struct queue *q);

static void queue_push(struct queue *q, int x, grow_function *grow)
{
    if (q->count == q->room)
        grow(q);
    *queue_at(q, q->count++) = x;
}

static bool queue_pop(struct queue *q, int *out_x)
{
    if (q->count == 0)
        return false;
    *out_x = *queue_at(q, 0);
    q->first = (q->first + 1) % q->room;
    q->count--;
    return true;
}

static void queue_clear(struct queue *q)
{
    q->first = q->count = 0;
}

/* ---- The model, and one call of both ------------------------------------------- */

enum { CALLS_MAX = 60 };

struct model {
    int items[CALLS_MAX];
    size_t first, end;
};

static size_t model_count(const struct model *m)
{
    return m->end - m->first;
}

static void push(struct rdl_case *t, struct queue *q, struct model *m, grow_function *grow)
{
    int x = (int)rdl_int(t, 0, 99);

    rdl_note("push(%d)", x);
    queue_push(q, x, grow);
    m->items[m->end++] = x;
}

static void pop(struct queue *q, struct model *m)
{
    int x = 0;
    bool popped = queue_pop(q, &x);

    rdl_note("pop() = %s", popped ? "true" : "false");
    rdl_check_eq(popped, model_count(m) > 0);
    if (popped)
        rdl_check_eq(x, m->items[m->first++]);
}

static void clear(struct queue *q, struct model *m)
{
    rdl_note("clear()");
    queue_clear(q);
    m->first = m->end;
}

static void compare(const struct queue *q, const struct model *m)
{
    rdl_check_eq(q->count, model_count(m));
    for (size_t i = 0; i < q->count; i++)
        rdl_check_eq(*queue_at(q, i), m->items[m->first + i]);
}

/* ---- The properties ---------------------------------------------------------------- */

static void release(void *q)
{
    queue_release(q);
}

static struct queue *new_queue(struct rdl_case *t)
{
    struct queue *q = rdl_new(t, struct queue);

    queue_init(q);
    rdl_defer(t, release, q);
    return q;
}

static void behaves_like_the_model(struct rdl_case *t, grow_function *grow)
{
    struct queue *q = new_queue(t);
    struct model *m = rdl_new(t, struct model);
    struct rdl_list calls = rdl_list(t, .length = {0, CALLS_MAX});

    while (rdl_more(&calls)) {
        bool pushing = rdl_bool(t);

        if (pushing)
            push(t, q, m, grow);
        else
            pop(q, m);
        compare(q, m);
    }
}

RDL_PROPERTY(queue_behaves_like_the_model)
{
    behaves_like_the_model(t, queue_grow);
}

RDL_PROPERTY(queue_broken_behaves_like_the_model, .expect_failure = PLANTED)
{
    behaves_like_the_model(t, queue_broken_grow);
}

/* With all three calls in every case the queue stays short: something is always
 * about to empty it.  A swarm leaves out some calls in some cases, and the
 * queues of those without clear and pop become long. */
static void calls(struct rdl_case *t, uint64_t used)
{
    enum { PUSH, POP, CLEAR };
    struct queue *q = new_queue(t);
    struct model *m = rdl_new(t, struct model);
    struct rdl_list list = rdl_list(t, .length = {0, CALLS_MAX});
    size_t longest = 0;

    while (rdl_more(&list)) {
        unsigned call = rdl_pick_of(t, used);

        if (call == PUSH)
            push(t, q, m, queue_grow);
        else if (call == POP)
            pop(q, m);
        else
            clear(q, m);
        compare(q, m);
        longest = q->count > longest ? q->count : longest;
    }
    rdl_classify(t, longest >= 16, "held 16 or more");
    rdl_measure(t, (double)longest, "longest");
}

RDL_PROPERTY(calls_of_all_kinds)
{
    calls(t, 7);
}

RDL_PROPERTY(calls_of_a_swarm)
{
    calls(t, rdl_swarm(t, 3));
}

RDL_MAIN
