// test_queue.cc -- what the queue should do.
#include <raddle.h>

#include "queue.hpp"

struct contents {
    int capacity;
    rdl_fifo(int, 4) items;
};

struct item {
    int value;
};

RDL_TYPES(queue, contents, queue);
RDL_EXTERN_OP(queue, put, item);
RDL_EXTERN_OP_RETURNS(queue, take, rdl_nothing, int);

RDL_ARGS(queue, put, a->value = (int)rdl_int(t, 0, 9));
RDL_CPRE(queue, put, (int)s->items.count < s->capacity);
RDL_POST(queue, put, rdl_fifo_put(&s->items, a->value));
RDL_DO(queue, put, o->put(a->value));
RDL_OP(queue, put, item, .args = queue_put_args, .cpre = queue_put_cpre, .post = queue_put_post,
       .call = queue_put_call);

RDL_CPRE(queue, take, s->items.count > 0);
RDL_POST_RETURNS(queue, take, *r = rdl_fifo_get(&s->items));
RDL_DO_RETURNS(queue, take, *r = o->take());
RDL_OP_RETURNS(queue, take, rdl_nothing, int, .cpre = queue_take_cpre, .post = queue_take_post,
               .call = queue_take_call);

static void some_capacity(rdl_case *t, contents *s)
{
    s->capacity = (int)rdl_int(t, 1, 4);
}

static queue *create(rdl_case *, const contents *s)
{
    return new queue((size_t)s->capacity);
}

static void destroy(queue *q)
{
    delete q;
}

RDL_SPEC(queue, RDL_OPS(queue, put, take), .initial = some_capacity, .create = create,
         .destroy = destroy);
RDL_TEST_MODEL(a_queue_in_one_thread, queue);
RDL_TEST_RESOURCE(a_queue_under_concurrent_calls, queue, .clients = 4, .concurrent = 3);
RDL_MAIN
