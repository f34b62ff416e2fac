/* test_queue.c -- what a queue is, and whether queue.c is one. */
#include <raddle.h>

#include "queue.h"

/* What there is to know about a queue. */
struct contents {
    int capacity;
    rdl_fifo(int, 3) items;
};

RDL_TYPES(queue, struct contents, struct queue);

/* put: its argument, when it goes on, what it does, and how it is called. */
struct item {
    int value;
};

RDL_EXTERN_OP(queue, put, struct item);
RDL_ARGS(queue, put, a->value = rdl_int(t, 1, 9));
RDL_CPRE(queue, put, (int)s->items.count < s->capacity);
RDL_POST(queue, put, rdl_fifo_put(&s->items, a->value));
RDL_DO(queue, put, queue_put(o, a->value));
RDL_OP(queue, put, struct item, .args = queue_put_args, .cpre = queue_put_cpre,
       .post = queue_put_post, .call = queue_put_call);

/* take: the same, and an answer. */
RDL_EXTERN_OP_RETURNS(queue, take, struct rdl_nothing, int);
RDL_CPRE(queue, take, s->items.count > 0);
RDL_POST_RETURNS(queue, take, *r = rdl_fifo_get(&s->items));
RDL_DO_RETURNS(queue, take, *r = queue_take(o));
RDL_OP_RETURNS(queue, take, struct rdl_nothing, int, .cpre = queue_take_cpre,
               .post = queue_take_post, .call = queue_take_call);

/* How it begins, and the real one that begins like that. */
static void be_empty(struct rdl_case *t, struct contents *s)
{
    s->capacity = (int)rdl_int(t, 1, 3);
}

static struct queue *create(struct rdl_case *t, const struct contents *s)
{
    (void)t;
    return queue_new(s->capacity);
}

RDL_SPEC(queue, RDL_OPS(queue, put, take), .initial = be_empty, .create = create,
         .destroy = queue_free);

RDL_TEST_RESOURCE(a_queue_that_many_use, queue);

RDL_MAIN
