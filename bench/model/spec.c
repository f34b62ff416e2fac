/* spec.c -- commands a second against a model, and a long failing case to shrink.
 *
 * A ring buffer and the spec of one.  As in peers/: `basic` has small buffers and as many
 * puts as gets; `large` has large ones and five puts to a get; `small` is the same with a
 * bug in the buffer. */
#include <sys/mman.h>

#include "../usage.h"

#include "ring.h"

struct buffer {
    int size;
    rdl_fifo(uint8_t, 256) items;
};

struct item {
    int value;
};

static void put_args(struct rdl_case *t, const struct buffer *s, struct item *a)
{
    (void)s;
    a->value = (int)rdl_int(t, 0, 255);
}

static void put_post(struct buffer *s, const struct item *a, bool *r)
{
    *r = (int)s->items.count < s->size;
    if (*r)
        rdl_fifo_put(&s->items, (uint8_t)a->value);
}

static void put_call(struct ring *o, const struct item *a, bool *r)
{
    *r = ring_put(o, a->value);
}

static void get_post(struct buffer *s, const struct rdl_nothing *a, int *r)
{
    (void)a;
    *r = s->items.count ? rdl_fifo_get(&s->items) : -1;
}

static void get_call(struct ring *o, const struct rdl_nothing *a, int *r)
{
    (void)a;
    *r = ring_get(o);
}

static struct ring *create(struct rdl_case *t, const struct buffer *s)
{
    (void)t;
    return ring_new(s->size);
}

/* ---- Small buffers ------------------------------------------------------------------- */

static void draw_size(struct rdl_case *t, struct buffer *s)
{
    s->size = (int)rdl_int(t, 1, 16);
}

RDL_TYPES(basic, struct buffer, struct ring);
RDL_OP_RETURNS(basic, put, struct item, bool, .args = put_args, .post = put_post, .call = put_call);
RDL_OP_RETURNS(basic, get, struct rdl_nothing, int, .post = get_post, .call = get_call);
RDL_SPEC(basic, RDL_OPS(basic, put, get), .initial = draw_size, .create = create,
         .destroy = ring_free);
RDL_TEST_MODEL(basic, basic, .calls = {0, 50});

/* ---- Large ones ---------------------------------------------------------------------- */

static void draw_large_size(struct rdl_case *t, struct buffer *s)
{
    s->size = (int)rdl_int(t, 1, 256);
}

RDL_TYPES(large, struct buffer, struct ring);
RDL_OP_RETURNS(large, put, struct item, bool, .weight = 5, .args = put_args, .post = put_post,
               .call = put_call);
RDL_OP_RETURNS(large, get, struct rdl_nothing, int, .post = get_post, .call = get_call);
RDL_SPEC(large, RDL_OPS(large, put, get), .initial = draw_large_size, .create = create,
         .destroy = ring_free);
RDL_TEST_MODEL(large, large, .calls = {0, 500});

/* ---- With a bug ------------------------------------------------------------------------ */

/* Counted in memory that the workers share: all runs after the first that fails, also those
 * that make sure the failure is steady and explain it. */
static struct {
    unsigned long runs, first; /* the number of the first failing run */
    unsigned calls, length;    /* in this run; in the first failing one */
} * seen;

__attribute__((constructor)) static void share(void)
{
    seen = mmap(NULL, sizeof *seen, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

/* Workers leave by _exit, so that only the parent gets here. */
__attribute__((destructor)) static void report(void)
{
    fprintf(stderr, "found_at=%lu first_length=%u shrink_runs=%lu\n", seen->first, seen->length,
            seen->runs - seen->first);
}

static struct ring *create_small(struct rdl_case *t, const struct buffer *s)
{
    (void)t;
    seen->runs++;
    seen->calls = 0;
    return ring_new_small(s->size);
}

static bool is_same_answer(const bool *model, const bool *real)
{
    seen->calls++;
    if (*model != *real && !seen->first) {
        seen->first = seen->runs;
        seen->length = seen->calls;
    }
    return *model == *real;
}

static bool is_same_value(const int *model, const int *real)
{
    seen->calls++;
    return *model == *real;
}

RDL_TYPES(small, struct buffer, struct ring);
RDL_OP_RETURNS(small, put, struct item, bool, .weight = 5, .args = put_args, .post = put_post,
               .call = put_call, .same = is_same_answer);
RDL_OP_RETURNS(small, get, struct rdl_nothing, int, .post = get_post, .call = get_call,
               .same = is_same_value);
RDL_SPEC(small, RDL_OPS(small, put, get), .initial = draw_large_size, .create = create_small,
         .destroy = ring_free);
RDL_TEST_MODEL(small, small, .calls = {0, 500});
