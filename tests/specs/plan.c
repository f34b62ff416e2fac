/* plan.c -- planned sequences and tables, of a slot for one item that is right or wrong in
 * several ways, and of specs that are hard to plan for.  tests/test_drive_plan.c runs them. */
#include <pthread.h>
#include <raddle.h>
#include <stdlib.h>

/* ---- The slot -------------------------------------------------------------------------------- */

enum flaw { RIGHT, ANSWERS_WRONG, NEVER_BLOCKS, TELLS_NOBODY, LETS_IN_TWO, KEEPS_THE_LOCK };

struct slot {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    enum flaw flaw;
    int item, puts;
    bool full;
};

static void slot_put(struct slot *slot, int item)
{
    int mine;

    pthread_mutex_lock(&slot->lock);
    mine = ++slot->puts;
    if (slot->flaw == LETS_IN_TWO)
        pthread_cond_broadcast(&slot->changed);
    while (slot->full && !(slot->flaw == LETS_IN_TWO && slot->puts > mine))
        pthread_cond_wait(&slot->changed, &slot->lock);
    slot->item = item;
    slot->full = true;
    if (slot->flaw != TELLS_NOBODY)
        pthread_cond_broadcast(&slot->changed);
    if (slot->flaw != KEEPS_THE_LOCK)
        pthread_mutex_unlock(&slot->lock);
}

static int slot_take(struct slot *slot)
{
    int item;

    pthread_mutex_lock(&slot->lock);
    while (!slot->full && slot->flaw != NEVER_BLOCKS)
        pthread_cond_wait(&slot->changed, &slot->lock);
    item = slot->item + (slot->flaw == ANSWERS_WRONG);
    slot->item = 0;
    slot->full = false;
    pthread_cond_broadcast(&slot->changed);
    pthread_mutex_unlock(&slot->lock);
    return item;
}

static void slot_free(struct slot *slot)
{
    pthread_mutex_destroy(&slot->lock);
    pthread_cond_destroy(&slot->changed);
    free(slot);
}

/* ---- Its spec -------------------------------------------------------------------------------- */

struct content {
    int item; /* 0: none */
};

struct item {
    int is;
};

static void put_args(struct rdl_case *t, const struct content *s, struct item *a)
{
    (void)s;
    a->is = (int)rdl_int(t, 1, 2);
}

static bool put_pre(const struct content *s, const struct item *a)
{
    (void)s;
    return a->is > 0;
}

static bool put_cpre(const struct content *s, const struct item *a)
{
    (void)a;
    return s->item == 0;
}

static void put_post(struct content *s, const struct item *a)
{
    s->item = a->is;
}

static void put_call(struct slot *slot, const struct item *a)
{
    slot_put(slot, a->is);
}

static bool take_cpre(const struct content *s, const struct rdl_nothing *a)
{
    (void)a;
    return s->item != 0;
}

static void take_post(struct content *s, const struct rdl_nothing *a, int *r)
{
    (void)a;
    *r = s->item;
    s->item = 0;
}

static void take_call(struct slot *slot, const struct rdl_nothing *a, int *r)
{
    (void)a;
    *r = slot_take(slot);
}

static bool delayed(const struct content *s, const struct item *a, const struct rdl_queue *q)
{
    (void)a, (void)q;
    return s->item != 0;
}

static bool awaited(const struct content *s, const struct item *a, const struct rdl_queue *q)
{
    (void)s, (void)a;
    return rdl_waiting(q, "take") > 0;
}

static bool empty(const struct content *s, const struct rdl_nothing *a, const struct rdl_queue *q)
{
    (void)a, (void)q;
    return s->item == 0;
}

static bool pushed(const struct content *s, const struct rdl_nothing *a, const struct rdl_queue *q)
{
    (void)s, (void)a;
    return rdl_waiting(q, "put") > 0;
}

static struct slot *create(enum flaw flaw)
{
    struct slot *slot = calloc(1, sizeof *slot);

    pthread_mutex_init(&slot->lock, NULL);
    pthread_cond_init(&slot->changed, NULL);
    slot->flaw = flaw;
    return slot;
}

RDL_TYPES(slot, struct content, struct slot);
RDL_OP(slot, put, struct item, .args = put_args, .pre = put_pre, .cpre = put_cpre, .post = put_post,
       .call = put_call,
       .preconditions = {{"P1: the slot is full", delayed}, {"P2: somebody takes", awaited}});
RDL_OP_RETURNS(slot, take, struct rdl_nothing, int, .cpre = take_cpre, .post = take_post,
               .call = take_call,
               .preconditions = {{"T1: there is nothing", empty}, {"T2: somebody puts", pushed}});

/* A slot with this flaw, and its tests. */
#define SLOT(name, its_flaw)                                                                       \
    static struct slot *create_##name(struct rdl_case *t, const struct content *s)                 \
    {                                                                                              \
        (void)t, (void)s;                                                                          \
        return create(its_flaw);                                                                   \
    }                                                                                              \
    typedef rdl_state_slot rdl_state_##name;                                                       \
    typedef rdl_object_slot rdl_object_##name;                                                     \
    typedef rdl_client_slot rdl_client_##name;                                                     \
    RDL_SPEC(name, RDL_OPS(slot, put, take), .create = create_##name, .destroy = slot_free);       \
    RDL_TEST_PLAN(plan_##name, name);                                                              \
    RDL_TEST_TABLE(table_##name, name, {1, "taker", RDL_CALL(slot, take), RDL_BLOCKS},             \
                   {2, "putter", RDL_CALL(slot, put, {7}), RDL_RETURNS},                           \
                   {3, "taker", RDL_CONTINUED(slot, take), RDL_ANSWERS(slot, take, 7)},            \
                   {5, "putter", RDL_CALL(slot, put, {8})},                                        \
                   {6, "putter", RDL_CALL(slot, put, {9}), RDL_BLOCKS},                            \
                   {8, "taker", RDL_CALL(slot, take), RDL_ANSWERS(slot, take, 8)},                 \
                   {9, "putter", RDL_CONTINUED(slot, put)})

SLOT(right, RIGHT);
SLOT(answers_wrong, ANSWERS_WRONG);
SLOT(never_blocks, NEVER_BLOCKS);
SLOT(tells_nobody, TELLS_NOBODY);
SLOT(lets_in_two, LETS_IN_TWO);
SLOT(keeps_the_lock, KEEPS_THE_LOCK);

RDL_TEST_MODEL(in_one_thread, right);
RDL_TEST_LINEAR(in_any_order, right);
RDL_TEST_PLAN(plan_freely, right, .free_threads = true);
RDL_TEST_PLAN(plan_tells_nobody_freely, tells_nobody, .free_threads = true);
RDL_TEST_PLAN(plan_of_three, right, .clients = 3);
RDL_TEST_PLAN(plan_of_the_spec, tells_nobody, .reference = true);

/* ---- Tables that say something else than what is so ------------------------------------------ */

RDL_TEST_TABLE(expects_a_return, right, {1, "taker", RDL_CALL(slot, take), RDL_RETURNS});
RDL_TEST_TABLE(expects_to_block, right, {1, "putter", RDL_CALL(slot, put, {3}), RDL_BLOCKS},
               {2, "taker", RDL_CALL(slot, take)});
RDL_TEST_TABLE(expects_another_answer, right, {1, "putter", RDL_CALL(slot, put, {3})},
               {2, "taker", RDL_CALL(slot, take), RDL_ANSWERS(slot, take, 4)});
RDL_TEST_TABLE(expects_it_later, right, {1, "taker", RDL_CALL(slot, take), RDL_BLOCKS},
               {2, "putter", RDL_CALL(slot, put, {1})}, {3, "putter", RDL_CALL(slot, put, {2})},
               {4, "taker", RDL_CONTINUED(slot, take)});
RDL_TEST_TABLE(expects_it_earlier, right, {1, "taker", RDL_CALL(slot, take), RDL_BLOCKS},
               {2, "another", RDL_CALL(slot, take), RDL_BLOCKS},
               {3, "taker", RDL_CONTINUED(slot, take)}, {4, "putter", RDL_CALL(slot, put, {1})});
RDL_TEST_TABLE(calls_while_it_waits, right, {1, "taker", RDL_CALL(slot, take)},
               {2, "taker", RDL_CALL(slot, take)});
RDL_TEST_TABLE(two_are_let_in, lets_in_two, {1, "one", RDL_CALL(slot, put, {1})},
               {2, "two", RDL_CALL(slot, put, {2}), RDL_BLOCKS},
               {3, "three", RDL_CALL(slot, put, {3}), RDL_BLOCKS},
               {4, "four", RDL_CALL(slot, take)}, {5, "two", RDL_CONTINUED(slot, put)});

/* What is not said is left to the spec: who of them is first is open. */
RDL_TEST_TABLE(leaves_it_open, right, {1, "one", RDL_CALL(slot, take)},
               {2, "two", RDL_CALL(slot, take)}, {3, "three", RDL_CALL(slot, put, {1})},
               {4, "three", RDL_CALL(slot, put, {2})}, {5, "three", RDL_CALL(slot, put, {3})});

/* Which of two is continued first is open; here the rows say it, and what is between them. */
RDL_TEST_TABLE(says_who_is_first, right, {1, "one", RDL_CALL(slot, take), RDL_BLOCKS},
               {2, "two", RDL_CALL(slot, take), RDL_BLOCKS}, {3, "three", RDL_CALL(slot, put, {1})},
               {4, "one", RDL_CONTINUED(slot, take), RDL_ANSWERS(slot, take, 1)},
               {5, "three", RDL_CALL(slot, put, {2})},
               {6, "two", RDL_CONTINUED(slot, take), RDL_ANSWERS(slot, take, 2)});

/* A row need not be there for what follows by itself. */
RDL_TEST_TABLE(leaves_out_what_follows, right, {1, "1st", RDL_CALL(slot, take), RDL_BLOCKS},
               {2, "a \"b\"", RDL_CALL(slot, put, {1})}, {3, "a__b_", RDL_CALL(slot, put, {2})});

/* ---- Tables that make no sense --------------------------------------------------------------- */

RDL_TEST_TABLE(times_fall, right, {2, "one", RDL_CALL(slot, take)},
               {2, "two", RDL_CALL(slot, put, {1})});
RDL_TEST_TABLE(continues_nothing, right, {1, "one", RDL_CALL(slot, take)},
               {2, "two", RDL_CONTINUED(slot, put)});
RDL_TEST_TABLE(continues_what_returned, right, {1, "one", RDL_CALL(slot, put, {1}), RDL_RETURNS},
               {2, "one", RDL_CONTINUED(slot, put)});
RDL_TEST_TABLE(continued_to_block, right, {1, "one", RDL_CALL(slot, take)},
               {2, "one", RDL_CONTINUED(slot, take), RDL_BLOCKS});
RDL_TEST_TABLE(answers_for_another, right,
               {1, "one", RDL_CALL(slot, put, {1}), RDL_ANSWERS(slot, take, 1)});
RDL_TEST_TABLE(calls_nothing, right, {.time = 1, .thread = "one"});
RDL_TEST_TABLE(has_no_rows, right);
RDL_TEST_TABLE(nobody_calls, right, {1, "", RDL_CALL(slot, take)});
RDL_TEST_TABLE(not_allowed_at_all, right, {1, "one", RDL_CALL(slot, put)});

/* ---- Specs that are hard to plan for --------------------------------------------------------- */

struct number {
    int is;
};

static struct number *create_number(struct rdl_case *t, const struct number *s)
{
    return rdl_copy(t, s, sizeof *s);
}

static void add_args(struct rdl_case *t, const struct number *s, struct number *a)
{
    (void)s;
    a->is = (int)rdl_int(t, 1, 1000);
}

static void add_post(struct number *s, const struct number *a, int *r)
{
    *r = s->is += a->is;
}

static void add_call(struct number *n, const struct number *a, int *r)
{
    add_post(n, a, r);
}

#define HOLDS(name, condition)                                                                     \
    static bool name(const struct number *s, const struct number *a, const struct rdl_queue *q)    \
    {                                                                                              \
        (void)s, (void)a, (void)q;                                                                 \
        return condition;                                                                          \
    }
HOLDS(zero, s->is == 0)
HOLDS(negative, s->is < 0)
HOLDS(over_2000, s->is > 2000)
HOLDS(one, s->is == 1)
HOLDS(two, s->is == 2)

RDL_TYPES(sum, struct number, struct number);
RDL_OP_RETURNS(sum, add, struct number, int, .args = add_args, .post = add_post, .call = add_call,
               .preconditions = {{"zero", zero}, {"large", over_2000}, {"negative", negative}});
RDL_SPEC(sum, RDL_OPS(sum, add), .create = create_number);
/* All states are looked at that there may be, which takes long with sanitizers, and three times as
 * long on a machine that has other things to do. */
RDL_TEST_PLAN(plan_sum, sum, .timeout_ms = 240000);

/* Too many arguments to see where all of them lead; but only some make a difference to what is to
 * be tried. */
struct parcel {
    int weight, colour, from, to;
};

struct shelf {
    struct parcel parcels[5];
    int count;
};

static void shelve_args(struct rdl_case *t, const struct shelf *s, struct parcel *a)
{
    (void)s;
    a->weight = rdl_int(t, 0, 3);
    a->colour = rdl_int(t, 0, 2);
    a->from = rdl_int(t, 0, 2);
    a->to = rdl_int(t, 0, 7);
}

static void shelve_post(struct shelf *s, const struct parcel *a, bool *r)
{
    if ((*r = s->count < 5))
        s->parcels[s->count++] = *a;
}

static void shelve_call(struct shelf *s, const struct parcel *a, bool *r)
{
    shelve_post(s, a, r);
}

static struct shelf *create_shelf(struct rdl_case *t, const struct shelf *s)
{
    return rdl_copy(t, s, sizeof *s);
}

#define SHELF_HOLDS(name, condition)                                                               \
    static bool name(const struct shelf *s, const struct parcel *a, const struct rdl_queue *q)     \
    {                                                                                              \
        (void)s, (void)a, (void)q;                                                                 \
        return condition;                                                                          \
    }
SHELF_HOLDS(is_full, s->count == 5)
SHELF_HOLDS(is_blue, a->colour == 2)
SHELF_HOLDS(is_far, s->count > 1 && a->to == 7)

RDL_TYPES(shelf, struct shelf, struct shelf);
RDL_OP_RETURNS(shelf, shelve, struct parcel, bool, .args = shelve_args, .post = shelve_post,
               .call = shelve_call,
               .preconditions = {{"full", is_full}, {"blue", is_blue}, {"far", is_far}});
RDL_SPEC(shelf, RDL_OPS(shelf, shelve), .create = create_shelf);
RDL_TEST_PLAN(plan_shelf, shelf);

/* Once left, there is no way back: to try both takes two sequences. */
static void leave_args(struct rdl_case *t, const struct number *s, struct number *a)
{
    (void)s;
    a->is = (int)rdl_int(t, 1, 2);
}

static void leave_post(struct number *s, const struct number *a)
{
    if (s->is == 0)
        s->is = a->is;
}

static void leave_call(struct number *n, const struct number *a)
{
    leave_post(n, a);
}

RDL_TYPES(fork, struct number, struct number);
RDL_OP(fork, leave, struct number, .args = leave_args, .post = leave_post, .call = leave_call,
       .preconditions = {{"left", one}, {"right", two}, {"neither", negative}});
RDL_SPEC(fork, RDL_OPS(fork, leave), .create = create_number);
RDL_TEST_PLAN(plan_fork, fork);

/* Who waits for ever is in nobody's way: the second sequence has a slot of its own. */
static bool two_take(const struct content *s, const struct rdl_nothing *a,
                     const struct rdl_queue *q)
{
    (void)s, (void)a;
    return rdl_waiting(q, "take") > 0;
}

static bool two_put(const struct content *s, const struct item *a, const struct rdl_queue *q)
{
    (void)s, (void)a;
    return rdl_waiting(q, "put") > 0;
}

RDL_TYPES(pairs, struct content, struct slot);
RDL_OP(pairs, put, struct item, .args = put_args, .cpre = put_cpre, .post = put_post,
       .call = put_call, .preconditions = {{"P3", two_put}});
RDL_OP_RETURNS(pairs, take, struct rdl_nothing, int, .cpre = take_cpre, .post = take_post,
               .call = take_call, .preconditions = {{"T3", two_take}});
RDL_SPEC(pairs, RDL_OPS(pairs, put, take), .create = create_right, .destroy = slot_free);
RDL_TEST_PLAN(plan_pairs, pairs);
RDL_TEST_PLAN(plan_pairs_freely, pairs, .free_threads = true);

/* Who of three is let go on is open: that call is the last. */
static bool three_take(const struct content *s, const struct item *a, const struct rdl_queue *q)
{
    (void)s, (void)a;
    return rdl_waiting(q, "take") > 1;
}

RDL_TYPES(crowd, struct content, struct slot);
RDL_OP(crowd, put, struct item, .args = put_args, .cpre = put_cpre, .post = put_post,
       .call = put_call, .preconditions = {{"P4", three_take}});
RDL_OP_RETURNS(crowd, take, struct rdl_nothing, int, .cpre = take_cpre, .post = take_post,
               .call = take_call);
RDL_SPEC(crowd, RDL_OPS(crowd, put, take), .create = create_right, .destroy = slot_free);
RDL_TEST_PLAN(plan_crowd, crowd, .clients = 3);

/* The beginning decides. */
static void begin_somewhere(struct rdl_case *t, struct number *s)
{
    s->is = (int)rdl_int(t, 0, 2);
}

typedef struct number rdl_state_begun, rdl_object_begun;
typedef struct rdl_nothing rdl_client_begun;
RDL_OP(begun, look, struct number, .call = leave_call, .preconditions = {{"two", two}});
RDL_SPEC(begun, RDL_OPS(begun, look), .initial = begin_somewhere, .create = create_number);
RDL_TEST_PLAN(plan_begun, begun);

RDL_TYPES(plain, struct number, struct number);
RDL_OP(plain, leave, struct number, .call = leave_call);
RDL_SPEC(plain, RDL_OPS(plain, leave), .create = create_number);
RDL_TEST_PLAN(plan_plain, plain);

static bool any(struct number *s, const struct number *a)
{
    (void)s, (void)a;
    return true;
}

RDL_TYPES(judged, struct number, struct number);
RDL_OP(judged, leave, struct number, .call = leave_call, .judge = any,
       .preconditions = {{"one", one}});
RDL_SPEC(judged, RDL_OPS(judged, leave), .create = create_number);
RDL_TEST_PLAN(plan_judged, judged);
RDL_TEST_TABLE(table_judged, judged, {1, "one", RDL_CALL(judged, leave, {1}), RDL_RETURNS});

RDL_MAIN
