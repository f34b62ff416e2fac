/* spec.c -- a bounded queue: some calls wait, others say that they would have to.
 *
 * To grade implementations of bounded_queue.h by this spec:
 *     raddle grade --spec examples/bounded_queue examples/bounded_queue/implementations/...  */
#include <raddle.h>

#include "bounded_queue.h"

enum { CAPACITY_MAX = 3 };

/* Slots that are not in use are 0, so that equal queues have equal bytes. */
struct items {
    int capacity;
    rdl_fifo(int, CAPACITY_MAX) fifo;
};

struct item {
    int value;
};

struct found {
    bool there;
    int value;
};

/* Small queues are full and empty more often, the smallest of all at any time. */
static void be_empty(struct rdl_case *t, struct items *s)
{
    *s = (struct items){.capacity = (int)rdl_int(t, 1, CAPACITY_MAX)};
}

static int count_of(const struct items *s)
{
    return (int)s->fifo.count;
}

static bool count_is_possible(const struct items *s)
{
    return count_of(s) <= s->capacity;
}

/* ---- Calls that wait ---------------------------------------------------------------------- */

/* No value is 0: one that was never written is not mistaken for one that was. */
static void put_args(struct rdl_case *t, const struct items *s, struct item *a)
{
    (void)s;
    a->value = (int)rdl_int(t, 1, 3);
}

static bool put_cpre(const struct items *s, const struct item *a)
{
    (void)a;
    return count_of(s) < s->capacity;
}

static void put_post(struct items *s, const struct item *a)
{
    rdl_fifo_put(&s->fifo, a->value);
}

static void put_call(queue *q, const struct item *a)
{
    queue_put(q, a->value);
}

static bool get_cpre(const struct items *s, const struct rdl_nothing *a)
{
    (void)a;
    return count_of(s) > 0;
}

static void get_post(struct items *s, const struct rdl_nothing *a, int *r)
{
    (void)a;
    *r = rdl_fifo_get(&s->fifo);
}

static void get_call(queue *q, const struct rdl_nothing *a, int *r)
{
    (void)a;
    *r = queue_get(q);
}

/* ---- Calls that never wait: they have no cpre --------------------------------------------- */

static void try_put_post(struct items *s, const struct item *a, bool *r)
{
    *r = count_of(s) < s->capacity;
    if (*r)
        rdl_fifo_put(&s->fifo, a->value);
}

static void try_put_call(queue *q, const struct item *a, bool *r)
{
    *r = queue_try_put(q, a->value);
}

static void try_get_post(struct items *s, const struct rdl_nothing *a, struct found *r)
{
    (void)a;
    *r = (struct found){.there = count_of(s) > 0};
    if (r->there)
        r->value = rdl_fifo_get(&s->fifo);
}

static void try_get_call(queue *q, const struct rdl_nothing *a, struct found *r)
{
    int value = 0;

    (void)a;
    *r = (struct found){.there = queue_try_get(q, &value)};
    if (r->there)
        r->value = value;
}

static void size_post(struct items *s, const struct rdl_nothing *a, int *r)
{
    (void)a;
    *r = count_of(s);
}

static void size_call(queue *q, const struct rdl_nothing *a, int *r)
{
    (void)a;
    *r = queue_size(q);
}

/* ---- Tests --------------------------------------------------------------------------------- */

static queue *create(struct rdl_case *t, const struct items *s)
{
    (void)t;
    return queue_create(s->capacity);
}

static bool sizes_agree(queue *q, const struct items *s)
{
    return queue_size(q) == count_of(s);
}

RDL_TYPES(queue, struct items, queue);
RDL_OP(queue, put, struct item, .weight = 3, .args = put_args, .cpre = put_cpre, .post = put_post,
       .call = put_call);
RDL_OP_RETURNS(queue, get, struct rdl_nothing, int, .weight = 3, .cpre = get_cpre, .post = get_post,
               .call = get_call);
RDL_OP_RETURNS(queue, try_put, struct item, bool, .args = put_args, .post = try_put_post,
               .call = try_put_call);
RDL_OP_RETURNS(queue, try_get, struct rdl_nothing, struct found, .post = try_get_post,
               .call = try_get_call);
RDL_OP_RETURNS(queue, size, struct rdl_nothing, int, .post = size_post, .call = size_call);
RDL_SPEC(queue, RDL_OPS(queue, put, get, try_put, try_get, size), .initial = be_empty,
         .create = create, .destroy = queue_destroy, .invariant = count_is_possible,
         .agrees = sizes_agree);

RDL_TEST_RESOURCE(a_queue_that_many_use, queue, .clients = 6, .concurrent = 4, .tags = "grade");

RDL_TEST_MODEL(a_queue_that_one_uses, queue);

RDL_TEST_LINEAR(answers_of_many_make_sense_in_some_order, queue, .clients = 3);

/* All come to wait if all want the same, and who waits may find that others were faster. */
RDL_TEST_SPEC(the_count_stays_in_bounds, queue, .may_block = true, .may_starve = true);

RDL_MAIN
