/* components.c -- a box that keeps its things in a store, right and wrong, each with a spec, alone
 * and together.  tests/test_components.c says what is to come of each test. */
#include <raddle.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4 };

/* ---- The store ------------------------------------------------------------------------------ */

struct store {
    int things[MOST], count, room;
};

static struct store the_store;

void store_open(int room);
int store_put(int thing);
int store_take(int *out_thing);

__attribute__((noinline)) void store_open(int room)
{
    the_store = (struct store){.room = room};
}

__attribute__((noinline)) int store_put(int thing)
{
    if (the_store.count == the_store.room)
        return 1;
    the_store.things[the_store.count++] = thing;
    return 0;
}

__attribute__((noinline)) int store_take(int *out_thing)
{
    if (the_store.count == 0)
        return 1;
    *out_thing = the_store.things[--the_store.count];
    return 0;
}

struct stored {
    int room;
    rdl_vec(int, MOST) things;
};
struct room {
    int room;
};
struct thing {
    int thing;
};
struct taken {
    int status, thing;
};

RDL_EXTERN_OP(store, open, struct room);
RDL_EXTERN_OP_RETURNS(store, put, struct thing, int);
RDL_EXTERN_OP_RETURNS(store, take, struct rdl_nothing, struct taken);

static void open_args(struct rdl_case *t, const struct stored *s, struct room *a)
{
    (void)s;
    a->room = (int)rdl_int(t, 1, MOST);
}

static bool open_pre(const struct stored *s, const struct room *a)
{
    return s->room == 0 && a->room > 0 && a->room <= MOST;
}

static void open_post(struct stored *s, const struct room *a)
{
    s->room = a->room;
}

static void open_call(struct store *o, const struct room *a)
{
    (void)o;
    store_open(a->room);
}

static void open_mock(int room)
{
    rdl_mocked(store, open, (&(struct room){room}), rdl_real(store_open)(room));
}

static void put_args(struct rdl_case *t, const struct stored *s, struct thing *a)
{
    (void)s;
    a->thing = (int)rdl_int(t, 0, 99);
}

static bool put_pre(const struct stored *s, const struct thing *a)
{
    (void)a;
    return s->room > 0 && (int)s->things.count < s->room;
}

static void put_post(struct stored *s, const struct thing *a, int *r)
{
    rdl_vec_push(&s->things, a->thing);
    *r = 0;
}

static void put_call(struct store *o, const struct thing *a, int *r)
{
    (void)o;
    *r = store_put(a->thing);
}

static int put_mock(int thing)
{
    return rdl_mocked_returns(store, put, (&(struct thing){thing}), rdl_real(store_put)(thing));
}

static bool take_pre(const struct stored *s, const struct rdl_nothing *a)
{
    (void)a;
    return s->things.count > 0;
}

static void take_post(struct stored *s, const struct rdl_nothing *a, struct taken *r)
{
    (void)a;
    r->thing = rdl_vec_pop(&s->things);
}

static void take_call(struct store *o, const struct rdl_nothing *a, struct taken *r)
{
    (void)o;
    (void)a;
    r->status = store_take(&r->thing);
}

static struct taken really_take(int *out_thing)
{
    struct taken r = {rdl_real(store_take)(out_thing), 0};

    r.thing = *out_thing;
    return r;
}

static int take_mock(int *out_thing)
{
    struct taken r =
        rdl_mocked_returns(store, take, (&(struct rdl_nothing){}), really_take(out_thing));

    *out_thing = r.thing;
    return r.status;
}

static struct store *store_create(struct rdl_case *t, const struct stored *s)
{
    (void)t;
    (void)s;
    memset(&the_store, 0, sizeof the_store);
    return &the_store;
}

RDL_TYPES(store, struct stored, struct store);
RDL_OP(store, open, struct room, .args = open_args, .pre = open_pre, .post = open_post,
       .call = open_call, RDL_MOCKS(store_open, open_mock),
       .callers = "box boundless_box unclear_box");
RDL_OP_RETURNS(store, put, struct thing, int, .args = put_args, .pre = put_pre, .post = put_post,
               .call = put_call, RDL_MOCKS(store_put, put_mock), .callers = "box boundless_box");
RDL_OP_RETURNS(store, take, struct rdl_nothing, struct taken, .pre = take_pre, .post = take_post,
               .call = take_call, RDL_MOCKS(store_take, take_mock), .callers = "box");
RDL_SPEC(store, RDL_OPS(store, open, put, take), .create = store_create);

RDL_DEVIATION(store, put, "only two fit", s->things.count >= 2, *r = 1);
RDL_DEVIATION(store, put, "forgets the number 7", a->thing == 7, rdl_vec_push(&s->things, 0));
RDL_DEVIATION(store, take, "gives the oldest", s->things.count > 0, {
    r->thing = s->things.items[0];
    rdl_vec_remove(&s->things, 0);
});

RDL_TEST_MODEL(a_store, store);

/* ---- The box -------------------------------------------------------------------------------- */

/* How a box goes about it. */
enum manner {
    RIGHT,
    PUTS_TWICE,
    FORGETS_TO_PUT,
    PUTS_SOMETHING_ELSE,
    TAKES_FIRST,
    IGNORES_THE_STATUS,
    PUTS_THOUGH_IT_IS_FULL,
};

struct box {
    enum manner manner;
    int count, room;
};

static void box_open(struct box *b, int room)
{
    b->room = room;
    store_open(room);
}

static int box_put(struct box *b, int thing)
{
    int unused;

    if (b->count == b->room && b->manner != PUTS_THOUGH_IT_IS_FULL)
        return 1;
    if (b->manner == PUTS_SOMETHING_ELSE && thing > 50)
        thing = 50;
    if (b->manner == TAKES_FIRST && b->count > 1)
        store_take(&unused);
    if (b->manner != FORGETS_TO_PUT || b->count < 3)
        if (store_put(thing) != 0 && b->manner != IGNORES_THE_STATUS)
            return 1;
    if (b->manner == PUTS_TWICE && thing == 13)
        store_put(thing);
    b->count++;
    return 0;
}

static int box_take(struct box *b, int *out_thing)
{
    if (b->count == 0)
        return 1;
    b->count--;
    return store_take(out_thing);
}

struct boxed {
    int room;
    rdl_vec(int, MOST) things;
};

static void box_open_args(struct rdl_case *t, const struct boxed *s, struct room *a)
{
    (void)s;
    a->room = (int)rdl_int(t, 1, MOST);
}

static bool box_open_pre(const struct boxed *s, const struct room *a)
{
    (void)a;
    return s->room == 0;
}

static void box_open_post(struct boxed *s, const struct room *a)
{
    s->room = a->room;
}

static void box_open_callouts(const struct boxed *s, const struct room *a)
{
    (void)s;
    rdl_callouts(rdl_call(store, open, .room = a->room));
}

static void box_open_call(struct box *o, const struct room *a)
{
    box_open(o, a->room);
}

static void box_put_args(struct rdl_case *t, const struct boxed *s, struct thing *a)
{
    (void)s;
    a->thing = (int)rdl_int(t, 0, 99);
}

static bool is_open(const struct boxed *s)
{
    return s->room > 0;
}

static bool box_put_pre(const struct boxed *s, const struct thing *a)
{
    (void)a;
    return is_open(s);
}

static bool is_full(const struct boxed *s)
{
    return (int)s->things.count == s->room;
}

static void box_put_post(struct boxed *s, const struct thing *a, int *r)
{
    *r = is_full(s);
    if (!is_full(s))
        rdl_vec_push(&s->things, a->thing);
}

static void box_put_callouts(const struct boxed *s, const struct thing *a)
{
    if (!is_full(s))
        rdl_callouts(rdl_call_returns(store, put, 0, .thing = a->thing));
}

static void box_put_call(struct box *o, const struct thing *a, int *r)
{
    *r = box_put(o, a->thing);
}

static bool box_take_pre(const struct boxed *s, const struct rdl_nothing *a)
{
    (void)a;
    return is_open(s);
}

static void box_take_post(struct boxed *s, const struct rdl_nothing *a, struct taken *r)
{
    (void)a;
    r->status = s->things.count == 0;
    if (s->things.count > 0)
        r->thing = rdl_vec_pop(&s->things);
}

static void box_take_callouts(const struct boxed *s, const struct rdl_nothing *a)
{
    (void)a;
    if (s->things.count > 0)
        rdl_callouts(rdl_call_returns(store, take,
                                      ((struct taken){0, s->things.items[s->things.count - 1]})));
}

static void box_take_call(struct box *o, const struct rdl_nothing *a, struct taken *r)
{
    (void)a;
    r->status = box_take(o, &r->thing);
}

static struct box *make_box(struct rdl_case *t, enum manner manner)
{
    struct box *box = rdl_new(t, struct box);

    box->manner = manner;
    return box;
}

static enum manner the_manner;

static int refuse(int thing)
{
    (void)thing;
    return 1;
}

/* Functions that specs play are mocked besides; or one that Raddle needs as much as the box. */
static void mock_by_hand(struct rdl_case *t, const char *how)
{
    if (strcmp(how, "injected") == 0)
        rdl_inject(t, store_put, rdl_returns(1));
    else if (strcmp(how, "certain") == 0)
        rdl_mock(t, store_put, rdl_at_call(2), rdl_returns(1));
    else if (strcmp(how, "agreeing") == 0)
        rdl_mock(t, store_put, rdl_returns(0));
    else if (strcmp(how, "replaced") == 0)
        rdl_replace(t, store_put, refuse);
    else if (strcmp(how, "spied") == 0)
        rdl_spy(t, store_put);
    else
        rdl_mock(t, malloc, rdl_returns(NULL));
}

static struct box *box_create(struct rdl_case *t, const struct boxed *s)
{
    const char *manner = getenv("MANNER");

    (void)s;
    if (getenv("BY_HAND"))
        mock_by_hand(t, getenv("BY_HAND"));
    the_manner = manner ? (enum manner)atoi(manner) : RIGHT;
    return make_box(t, the_manner);
}

RDL_TYPES(box, struct boxed, struct box);
RDL_OP(box, open, struct room, .args = box_open_args, .pre = box_open_pre, .post = box_open_post,
       .callouts = box_open_callouts, .call = box_open_call);
RDL_OP_RETURNS(box, put, struct thing, int, .args = box_put_args, .pre = box_put_pre,
               .post = box_put_post, .callouts = box_put_callouts, .call = box_put_call);
RDL_OP_RETURNS(box, take, struct rdl_nothing, struct taken, .pre = box_take_pre,
               .post = box_take_post, .callouts = box_take_callouts, .call = box_take_call);
RDL_SPEC(box, RDL_OPS(box, open, put, take), .create = box_create);

RDL_TEST_MODEL(a_box_alone, box, .mocked = RDL_SPECS(store));
RDL_TEST_MODEL(a_box_whose_store_plays, box, .stand_ins = RDL_SPECS(store),
               .mocked = RDL_SPECS(store));

RDL_CLUSTER(both, RDL_SPECS(box, store));
RDL_TEST_CLUSTER(the_specs_agree, both);
RDL_TEST_CLUSTER(the_box_is_real, both, .real = "box");
RDL_TEST_CLUSTER(the_store_is_real, both, .real = "store");
RDL_TEST_CLUSTER(both_are_real, both, .real = "all");

/* ---- A box that knows no limit --------------------------------------------------------------- */

/* Its spec says that anything fits: it agrees with its own code, but not with the store's spec. */
static void boundless_post(struct boxed *s, const struct thing *a, int *r)
{
    if (!rdl_is_full(&s->things))
        rdl_vec_push(&s->things, a->thing);
    *r = 0;
}

static bool boundless_pre(const struct boxed *s, const struct thing *a)
{
    (void)a;
    return is_open(s) && !rdl_is_full(&s->things);
}

static void boundless_callouts(const struct boxed *s, const struct thing *a)
{
    (void)s;
    rdl_callouts(rdl_call_returns(store, put, 0, .thing = a->thing));
}

RDL_TYPES(boundless_box, struct boxed, struct box);
RDL_OP(boundless_box, open, struct room, .args = box_open_args, .pre = box_open_pre,
       .post = box_open_post, .callouts = box_open_callouts, .call = box_open_call);
RDL_OP_RETURNS(boundless_box, put, struct thing, int, .args = box_put_args, .pre = boundless_pre,
               .post = boundless_post, .callouts = boundless_callouts, .call = box_put_call);
RDL_SPEC(boundless_box, RDL_OPS(boundless_box, open, put), .create = box_create);
RDL_CLUSTER(boundless, RDL_SPECS(boundless_box, store));
RDL_TEST_CLUSTER(the_specs_disagree, boundless);

/* ---- A box that may open its store once more ------------------------------------------------- */

/* The first call is one of both. */
static void unclear_callouts(const struct boxed *s, const struct room *a)
{
    const struct rdl_step *once = rdl_call(store, open, a->room);

    (void)s;
    rdl_callouts(rdl_either(once, rdl_sequence(rdl_call(store, open, a->room), once)));
}

RDL_TYPES(unclear_box, struct boxed, struct box);
RDL_OP(unclear_box, open, struct room, .args = box_open_args, .pre = box_open_pre,
       .post = box_open_post, .callouts = unclear_callouts, .call = box_open_call);
RDL_SPEC(unclear_box, RDL_OPS(unclear_box, open), .create = box_create);
RDL_TEST_MODEL(a_call_that_begins_two_branches, unclear_box, .mocked = RDL_SPECS(store));

/* ---- A box that the store does not know ------------------------------------------------------ */

RDL_TYPES(other_box, struct boxed, struct box);
RDL_OP(other_box, open, struct room, .args = box_open_args, .pre = box_open_pre,
       .post = box_open_post, .callouts = box_open_callouts, .call = box_open_call);
RDL_SPEC(other_box, RDL_OPS(other_box, open), .create = box_create);
RDL_CLUSTER(others, RDL_SPECS(other_box, store));
RDL_TEST_CLUSTER(another_that_may_not_call, others);

RDL_MAIN
