/* deviations.c -- a queue that keeps its things in a store, and ways in which stores may differ
 * from what is said of them.  tests/test_deviations.c says what is to come of each. */
#include <raddle.h>
#include <stdlib.h>

/* ---- The store: there is none, but for its spec ---------------------------------------------- */

struct thing {
    int thing;
};

struct stored {
    int count;
    bool refused;
    rdl_vec(int, 4) spare;
};

RDL_EXTERN_OP_RETURNS(store, put, struct thing, int);
RDL_EXTERN_OP_RETURNS(store, take, struct rdl_nothing, int);
RDL_EXTERN_OP_RETURNS(store, size, struct rdl_nothing, int);

static int store_put(int thing)
{
    return rdl_mocked_returns(store, put, (&(struct thing){thing}), 0);
}

static int store_take(void)
{
    return rdl_mocked_returns(store, take, (&(struct rdl_nothing){}), 0);
}

static int store_size(void)
{
    return rdl_mocked_returns(store, size, (&(struct rdl_nothing){}), 0);
}

static void put_post(struct stored *s, const struct thing *a, int *r)
{
    (void)a;
    s->count++;
    s->refused = false;
    *r = 0;
}

static bool take_pre(const struct stored *s, const struct rdl_nothing *a)
{
    (void)a;
    return s->count > 0;
}

static void take_post(struct stored *s, const struct rdl_nothing *a, int *r)
{
    (void)a;
    s->count--;
    *r = 0;
}

static void size_post(struct stored *s, const struct rdl_nothing *a, int *r)
{
    (void)a;
    *r = s->count;
}

RDL_TYPES(store, struct stored, void);
RDL_OP_RETURNS(store, put, struct thing, int, .post = put_post, .callers = "queue wrong_queue");
RDL_OP_RETURNS(store, take, struct rdl_nothing, int, .pre = take_pre, .post = take_post,
               .callers = "queue wrong_queue");
RDL_OP_RETURNS(store, size, struct rdl_nothing, int, .post = size_post,
               .callers = "queue wrong_queue");
RDL_SPEC(store, RDL_OPS(store, put, take, size));

/* The queue tries again: it is tolerated. */
RDL_DEVIATION(store, put, "refuses once, where one thing is in it", s->count == 1 && !s->refused, {
    s->refused = true;
    *r = 1;
});

/* But not for ever. */
RDL_DEVIATION(store, put, "only three fit", s->count >= 3, *r = 1);

/* There are never as many calls. */
RDL_DEVIATION(store, put, "breaks at a thousand", s->count >= 1000, *r = 1);

/* If all of these are in force, nobody sees a difference; if one is left out, everybody does. */
RDL_DEVIATION(store, put, "counts in pairs", true, s->count += 2);
RDL_DEVIATION(store, take, "counts in pairs", true, s->count -= 2);
RDL_DEVIATION(store, size, "counts in pairs", true, *r = s->count / 2);

/* What a model cannot do. */
RDL_DEVIATION(store, take, "has no room", true, {
    for (int i = 0; i < 9; i++)
        rdl_vec_push(&s->spare, i);
});

/* ---- The queue ------------------------------------------------------------------------------ */

struct queue {
    int worst; /* the number that it cannot bear */
};

static int queue_put(struct queue *q, int thing)
{
    int status = store_put(thing);

    if (status != 0)
        status = store_put(thing);
    return thing == q->worst ? 7 : status;
}

struct queued {
    int count;
};

static void queue_put_args(struct rdl_case *t, const struct queued *s, struct thing *a)
{
    (void)s;
    a->thing = (int)rdl_int(t, 0, 9);
}

static void queue_put_post(struct queued *s, const struct thing *a, int *r)
{
    (void)a;
    s->count++;
    *r = 0;
}

static void queue_put_call(struct queue *o, const struct thing *a, int *r)
{
    *r = queue_put(o, a->thing);
}

static bool queue_take_pre(const struct queued *s, const struct rdl_nothing *a)
{
    (void)a;
    return s->count > 0;
}

static void queue_take_post(struct queued *s, const struct rdl_nothing *a, int *r)
{
    (void)a;
    s->count--;
    *r = 0;
}

static void queue_take_call(struct queue *o, const struct rdl_nothing *a, int *r)
{
    (void)o;
    (void)a;
    *r = store_take();
}

static void queue_size_post(struct queued *s, const struct rdl_nothing *a, int *r)
{
    (void)a;
    *r = s->count;
}

static void queue_size_call(struct queue *o, const struct rdl_nothing *a, int *r)
{
    (void)o;
    (void)a;
    *r = store_size();
}

static struct queue *queue_create(struct rdl_case *t, const struct queued *s)
{
    struct queue *queue = rdl_new(t, struct queue);

    (void)s;
    queue->worst = -1;
    return queue;
}

static struct queue *wrong_queue_create(struct rdl_case *t, const struct queued *s)
{
    struct queue *queue = queue_create(t, s);

    queue->worst = 5;
    return queue;
}

RDL_TYPES(queue, struct queued, struct queue);
RDL_OP_RETURNS(queue, put, struct thing, int, .args = queue_put_args, .post = queue_put_post,
               .call = queue_put_call);
RDL_OP_RETURNS(queue, take, struct rdl_nothing, int, .pre = queue_take_pre, .post = queue_take_post,
               .call = queue_take_call);
RDL_OP_RETURNS(queue, size, struct rdl_nothing, int, .post = queue_size_post,
               .call = queue_size_call);
RDL_SPEC(queue, RDL_OPS(queue, put, take, size), .create = queue_create);

RDL_TYPES(wrong_queue, struct queued, struct queue);
RDL_OP_RETURNS(wrong_queue, put, struct thing, int, .args = queue_put_args, .post = queue_put_post,
               .call = queue_put_call);
RDL_SPEC(wrong_queue, RDL_OPS(wrong_queue, put), .create = wrong_queue_create);

RDL_TEST_MODEL(a_queue, queue, .stand_ins = RDL_SPECS(store));
RDL_TEST_MODEL(a_queue_that_fails, wrong_queue, .stand_ins = RDL_SPECS(store));

/* Those that are about one deviation. */
RDL_TEST_MODEL(a_store_of_three, queue, .stand_ins = RDL_SPECS(store),
               .deviation = "only three fit", .expect_failure = true);
RDL_TEST_MODEL(a_store_that_refuses, queue, .stand_ins = RDL_SPECS(store),
               .deviation = "refuses once, where one thing is in it");
RDL_TEST_MODEL(a_store_of_a_thousand, queue, .stand_ins = RDL_SPECS(store),
               .deviation = "breaks at a thousand");
RDL_TEST_MODEL(misnamed, queue, .stand_ins = RDL_SPECS(store), .deviation = "only there fit");

RDL_CLUSTER(both, RDL_SPECS(queue, store));
RDL_TEST_CLUSTER(the_queue_is_real, both, .real = "queue");
RDL_TEST_CLUSTER(the_store_is_not_there, both, .real = "queue", .deviation = "only three fit",
                 .expect_failure = true);
RDL_TEST_CLUSTER(nobody_plays, both, .real = "all", .deviation = "only three fit");

/* The same text for two components; what the specs alone say. */
RDL_DEVIATION(queue, size, "loses count", s->count == 2, *r = 0);
RDL_DEVIATION(store, size, "loses count", s->count == 2, *r = 0);
RDL_TEST_CLUSTER(the_specs_alone, both);

RDL_PROPERTY(no_components)
{
    rdl_check(rdl_int(t, 0, 9) < 10);
}

RDL_MAIN
