/* counters.c -- counters that are made and ended, and the spec of that. */
#include <raddle.h>

enum { COUNTERS = 3 };

struct counter {
    bool in_use;
    int total;
};

struct desk {
    struct counter counters[COUNTERS];
};

static struct counter *counter_new(struct desk *d)
{
    for (int i = 0; i < COUNTERS; i++)
        if (!d->counters[i].in_use) {
            d->counters[i].in_use = true;
            return &d->counters[i];
        }
    return NULL;
}

static int counter_add(struct counter *c, int n)
{
    return c->total += n;
}

static void counter_end(struct counter *c)
{
    c->in_use = false;
}

/* ---- What it should do ------------------------------------------------------------- */

struct totals {
    rdl_map(rdl_ref, int, COUNTERS) of; /* by the call that made the counter */
};

struct made {
    struct counter *counter; /* NULL: all are in use */
};

/* Which counter it is, is none of our business. */
static bool new_judge(struct totals *s, const struct rdl_nothing *a, const struct made *answer)
{
    (void)a;
    if (answer && (answer->counter == NULL) != rdl_is_full(&s->of))
        return false;
    if (!rdl_is_full(&s->of))
        rdl_map_put(&s->of, rdl_this(), 0);
    return true;
}

static void new_call(struct desk *d, const struct rdl_nothing *a, struct made *answer)
{
    (void)a;
    answer->counter = counter_new(d);
}

struct addition {
    rdl_ref counter;
    int n;
};

static unsigned if_there_is_one(const struct totals *s)
{
    return rdl_is_empty(&s->of) ? 0 : 3;
}

static rdl_ref draw_counter(struct rdl_case *t, const struct totals *s)
{
    return s->of.items[rdl_int(t, 0, s->of.count - 1)].key;
}

static void add_args(struct rdl_case *t, const struct totals *s, struct addition *a)
{
    a->counter = draw_counter(t, s);
    a->n = (int)rdl_int(t, 0, 9);
}

static bool add_pre(const struct totals *s, const struct addition *a)
{
    return rdl_map_has(&s->of, a->counter);
}

static void add_post(struct totals *s, const struct addition *a, int *answer)
{
    *answer = *rdl_map_get(&s->of, a->counter) += a->n;
}

static void add_call(struct desk *d, const struct addition *a, int *answer)
{
    (void)d;
    *answer = counter_add(rdl_result(a->counter, struct made).counter, a->n);
}

struct ending {
    rdl_ref counter;
};

static void end_args(struct rdl_case *t, const struct totals *s, struct ending *a)
{
    a->counter = draw_counter(t, s);
}

static bool end_pre(const struct totals *s, const struct ending *a)
{
    return rdl_map_has(&s->of, a->counter);
}

static void end_post(struct totals *s, const struct ending *a)
{
    rdl_map_remove(&s->of, a->counter);
}

static void end_call(struct desk *d, const struct ending *a)
{
    (void)d;
    counter_end(rdl_result(a->counter, struct made).counter);
}

static struct desk *create(struct rdl_case *t, const struct totals *s)
{
    (void)s;
    return rdl_new(t, struct desk);
}

/* An address says nothing, and is another one in every run. */
static void show_made(FILE *out, const struct made *answer)
{
    fputs(answer->counter ? "a counter" : "NULL", out);
}

RDL_TYPES(counters, struct totals, struct desk);
RDL_OP_RETURNS(counters, new, struct rdl_nothing, struct made, .judge = new_judge, .call = new_call,
               .show_answer = show_made);
RDL_OP_RETURNS(counters, add, struct addition, int, .weigh = if_there_is_one, .args = add_args,
               .pre = add_pre, .post = add_post, .call = add_call);
RDL_OP(counters, end, struct ending, .weigh = if_there_is_one, .args = end_args, .pre = end_pre,
       .post = end_post, .call = end_call);
RDL_SPEC(counters, RDL_OPS(counters, new, add, end), .create = create);

RDL_TEST_MODEL(counters_begin_at_zero, counters);

RDL_MAIN
