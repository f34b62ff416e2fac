/* ring.c -- a queue that grows, and a model of it. */
#include <raddle.h>
#include <stdlib.h>
#include <string.h>

struct ring {
    int *items;
    unsigned room, first, count;
};

static void ring_put(struct ring *r, int item)
{
    if (r->count == r->room) {
        int *larger = calloc(2 * r->room, sizeof *larger);

        memcpy(larger, r->items, r->room * sizeof *larger);
        free(r->items);
        r->items = larger;
        r->room *= 2;
    }
    r->items[(r->first + r->count++) % r->room] = item;
}

static int ring_get(struct ring *r)
{
    int item = r->items[r->first];

    r->first = (r->first + 1) % r->room;
    r->count--;
    return item;
}

/* ---- What it should do ------------------------------------------------------------- */

struct items {
    rdl_fifo(int, 50) fifo;
};

struct item {
    int value;
};

RDL_TYPES(ring, struct items, struct ring);

RDL_EXTERN_OP(ring, put, struct item);
RDL_ARGS(ring, put, a->value = rdl_int(t, 0, 9));
RDL_PRE(ring, put, !rdl_is_full(&s->fifo));
RDL_POST(ring, put, rdl_fifo_put(&s->fifo, a->value));
RDL_DO(ring, put, ring_put(o, a->value));

RDL_EXTERN_OP_RETURNS(ring, get, struct rdl_nothing, int);
RDL_PRE(ring, get, !rdl_is_empty(&s->fifo));
RDL_POST_RETURNS(ring, get, *r = rdl_fifo_get(&s->fifo));
RDL_DO_RETURNS(ring, get, *r = ring_get(o));

/* ---- The test ------------------------------------------------------------------------ */

static struct ring *create(struct rdl_case *t, const struct items *s)
{
    struct ring *r = rdl_new(t, struct ring);

    (void)s;
    r->room = 2;
    r->items = calloc(r->room, sizeof *r->items);
    return r;
}

static void destroy(struct ring *r)
{
    free(r->items);
}

RDL_OP(ring, put, struct item, .args = ring_put_args, .pre = ring_put_pre, .post = ring_put_post,
       .call = ring_put_call);
RDL_OP_RETURNS(ring, get, struct rdl_nothing, int, .pre = ring_get_pre, .post = ring_get_post,
               .call = ring_get_call);
RDL_SPEC(ring, RDL_OPS(ring, put, get), .create = create, .destroy = destroy);

RDL_TEST_MODEL(what_is_put_first_is_got_first, ring, .calls = {1, 50});

RDL_MAIN
