/* ring.c -- a queue that grows, and the spec of that. */
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

static void put_args(struct rdl_case *t, const struct items *s, struct item *a)
{
    (void)s;
    a->value = (int)rdl_int(t, 0, 9);
}

static bool put_pre(const struct items *s, const struct item *a)
{
    (void)a;
    return !rdl_is_full(&s->fifo);
}

static void put_post(struct items *s, const struct item *a)
{
    rdl_fifo_put(&s->fifo, a->value);
}

static bool get_pre(const struct items *s, const struct rdl_nothing *a)
{
    (void)a;
    return !rdl_is_empty(&s->fifo);
}

static void get_post(struct items *s, const struct rdl_nothing *a, int *answer)
{
    (void)a;
    *answer = rdl_fifo_get(&s->fifo);
}

/* ---- How it is called ----------------------------------------------------------------- */

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

static void put_call(struct ring *r, const struct item *a)
{
    ring_put(r, a->value);
}

static void get_call(struct ring *r, const struct rdl_nothing *a, int *answer)
{
    (void)a;
    *answer = ring_get(r);
}

RDL_TYPES(ring, struct items, struct ring);
RDL_OP(ring, put, struct item, .args = put_args, .pre = put_pre, .post = put_post,
       .call = put_call);
RDL_OP_RETURNS(ring, get, struct rdl_nothing, int, .pre = get_pre, .post = get_post,
               .call = get_call);
RDL_SPEC(ring, RDL_OPS(ring, put, get), .create = create, .destroy = destroy);

RDL_TEST_MODEL(what_is_put_first_is_got_first, ring, .calls = {1, 50});

RDL_MAIN
