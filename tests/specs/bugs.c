/* bugs.c -- stacks with several bugs each, to be told apart by the check that fails. */
#include <raddle.h>

enum { ROOM = 8 };

struct stack {
    int count, items[ROOM];
    bool touchy;
};

struct items {
    rdl_vec(int, ROOM) kept;
    int pops;
};

struct item {
    int value;
};

static void push_args(struct rdl_case *t, const struct items *s, struct item *a)
{
    (void)s;
    a->value = rdl_int(t, 0, 99);
}

static void push_post(struct items *s, const struct item *a, bool *r)
{
    *r = !rdl_is_full(&s->kept);
    if (*r)
        rdl_vec_push(&s->kept, a->value);
}

/* Bug: it does not tell that it is full.  Bug: large values are not kept as they are. */
static void push_call(struct stack *o, const struct item *a, bool *r)
{
    *r = o->count < ROOM || !o->touchy;
    if (o->count < ROOM)
        o->items[o->count++] = a->value > 50 ? 50 : a->value;
}

static bool pop_pre(const struct items *s, const struct rdl_nothing *a)
{
    (void)a;
    return !rdl_is_empty(&s->kept);
}

static void pop_post(struct items *s, const struct rdl_nothing *a, int *r)
{
    (void)a;
    *r = rdl_vec_pop(&s->kept);
    s->pops++;
}

static void pop_call(struct stack *o, const struct rdl_nothing *a, int *r)
{
    (void)a;
    *r = o->items[--o->count];
}

static void size_post(struct items *s, const struct rdl_nothing *a, int *r)
{
    (void)a;
    *r = (int)s->kept.count;
}

/* Bug: it is wrong from 4 on.  Of a touchy one, it is always wrong. */
static void size_call(struct stack *o, const struct rdl_nothing *a, int *r)
{
    (void)a;
    *r = o->touchy ? -1 : o->count >= 4 ? o->count + 1 : o->count;
}

static void clear_post(struct items *s, const struct rdl_nothing *a)
{
    (void)a;
    rdl_clear(&s->kept);
}

/* Bug: what is above the second stays. */
static void clear_call(struct stack *o, const struct rdl_nothing *a)
{
    (void)a;
    o->count = o->count > 2 ? 1 : 0;
}

static bool agrees(struct stack *o, const struct items *s)
{
    return o->count == (int)s->kept.count;
}

/* Bug of the spec itself. */
static bool invariant(const struct items *s)
{
    return s->pops < 3;
}

static struct stack *create(struct rdl_case *t, const struct items *s)
{
    (void)s;
    return rdl_new(t, struct stack);
}

static struct stack *create_touchy(struct rdl_case *t, const struct items *s)
{
    struct stack *o = create(t, s);

    o->touchy = true;
    return o;
}

#define OPERATIONS(spec)                                                                           \
    RDL_OP_RETURNS(spec, push, struct item, bool, .args = push_args, .post = push_post,            \
                   .call = push_call);                                                             \
    RDL_OP_RETURNS(spec, pop, struct rdl_nothing, int, .pre = pop_pre, .post = pop_post,           \
                   .call = pop_call);                                                              \
    RDL_OP_RETURNS(spec, size, struct rdl_nothing, int, .post = size_post, .call = size_call);     \
    RDL_OP(spec, clear, struct rdl_nothing, .post = clear_post, .call = clear_call)

RDL_TYPES(stack, struct items, struct stack);
OPERATIONS(stack);
RDL_SPEC(stack, RDL_OPS(stack, push, pop, size, clear), .create = create, .agrees = agrees,
         .invariant = invariant);

RDL_TEST_MODEL(a_stack, stack);
RDL_TEST_MODEL(a_stack_that_asks_for_more, stack, .more_bugs = true);

/* One bug that nearly every case meets at once keeps others from being met. */
RDL_TYPES(touchy, struct items, struct stack);
OPERATIONS(touchy);
RDL_SPEC(touchy, RDL_OPS(touchy, push, pop, size, clear), .create = create_touchy,
         .agrees = agrees);

RDL_TEST_MODEL(a_touchy_stack, touchy);

RDL_TEST_RESOURCE(a_stack_for_many, touchy, .rounds = 1, .cases = 2000);

RDL_MAIN
