/* spec.c -- what is put into a buffer by the batch comes out in order, by the batch.
 *
 * To grade implementations of multibuffer.h by this spec:
 *     raddle grade --spec examples/multibuffer examples/multibuffer/implementations/...  */
#include <raddle.h>

#include "multibuffer.h"

enum { CAPACITY = 6, BATCH_MAX = CAPACITY / 2 };

/* Slots that are not in use are 0, so that equal buffers have equal bytes. */
struct buffer {
    int count, items[CAPACITY];
};

struct batch {
    int n, items[BATCH_MAX];
};

struct size {
    int n;
};

static bool count_is_possible(const struct buffer *s)
{
    return s->count >= 0 && s->count <= CAPACITY;
}

/* ---- Put ------------------------------------------------------------------------------ */

/* No item is 0: one that was never written is not mistaken for one that was. */
static void put_args(struct rdl_case *t, const struct buffer *s, struct batch *a)
{
    (void)s;
    a->n = (int)rdl_int(t, 1, BATCH_MAX);
    for (int i = 0; i < a->n; i++)
        a->items[i] = (int)rdl_int(t, 1, 9);
}

static bool put_cpre(const struct buffer *s, const struct batch *a)
{
    return s->count + a->n <= CAPACITY;
}

static void put_post(struct buffer *s, const struct batch *a)
{
    for (int i = 0; i < a->n; i++)
        s->items[s->count++] = a->items[i];
}

static void put_call(multibuffer *m, const struct batch *a)
{
    multibuffer_put(m, a->items, a->n);
}

/* ---- Get ------------------------------------------------------------------------------ */

static void get_args(struct rdl_case *t, const struct buffer *s, struct size *a)
{
    (void)s;
    a->n = (int)rdl_int(t, 1, BATCH_MAX);
}

static bool get_cpre(const struct buffer *s, const struct size *a)
{
    return s->count >= a->n;
}

static void get_post(struct buffer *s, const struct size *a, struct batch *r)
{
    *r = (struct batch){.n = a->n};
    for (int i = 0; i < a->n; i++)
        r->items[i] = s->items[i];
    for (int i = 0; i < CAPACITY; i++)
        s->items[i] = i + a->n < s->count ? s->items[i + a->n] : 0;
    s->count -= a->n;
}

static void get_call(multibuffer *m, const struct size *a, struct batch *r)
{
    *r = (struct batch){.n = a->n};
    multibuffer_get(m, r->items, a->n);
}

/* ---- Tests ----------------------------------------------------------------------------- */

static multibuffer *create(struct rdl_case *t, const struct buffer *s)
{
    (void)t, (void)s;
    return multibuffer_create(CAPACITY);
}

RDL_TYPES(multibuffer, struct buffer, multibuffer);
RDL_OP(multibuffer, put, struct batch, .args = put_args, .cpre = put_cpre, .post = put_post,
       .call = put_call);
RDL_OP_RETURNS(multibuffer, get, struct size, struct batch, .args = get_args, .cpre = get_cpre,
               .post = get_post, .call = get_call);
RDL_SPEC(multibuffer, RDL_OPS(multibuffer, put, get), .create = create,
         .destroy = multibuffer_destroy, .invariant = count_is_possible);

RDL_TEST_RESOURCE(batches_wait_for_room_and_for_items, multibuffer, .clients = 6, .concurrent = 4,
                  .tags = "grade");

RDL_TEST_MODEL(batches_of_one_thread_come_out_in_order, multibuffer);

RDL_TEST_LINEAR(batches_of_many_threads_come_out_in_order, multibuffer, .clients = 3);

/* ---- The spec itself -------------------------------------------------------------------- */

/* For who waits for whom it does not matter what the items are. */
static void put_ones_args(struct rdl_case *t, const struct buffer *s, struct batch *a)
{
    (void)s;
    a->n = (int)rdl_int(t, 1, BATCH_MAX);
    for (int i = 0; i < a->n; i++)
        a->items[i] = 1;
}

RDL_TYPES(of_ones, struct buffer, multibuffer);
RDL_OP(of_ones, put, struct batch, .args = put_ones_args, .cpre = put_cpre, .post = put_post,
       .call = put_call);
RDL_OP_RETURNS(of_ones, get, struct size, struct batch, .args = get_args, .cpre = get_cpre,
               .post = get_post, .call = get_call);
RDL_SPEC(of_ones, RDL_OPS(of_ones, put, get), .create = create, .destroy = multibuffer_destroy,
         .invariant = count_is_possible);

/* All come to wait if all want the same, and a large batch may be overtaken by small ones. */
RDL_TEST_SPEC(the_count_stays_in_bounds, of_ones, .clients = 3, .may_block = true,
              .may_starve = true);

RDL_MAIN
