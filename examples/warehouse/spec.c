/* spec.c -- robots pass through a row of warehouses, none of which must be overloaded.
 *
 * The example of Fredlund, Mariño, Alborodo and Herranz, "A testing-based approach to
 * ensure the safety of shared resource concurrent systems" (2016).  A robot enters
 * warehouse 0, takes on cargo, exits to the corridor that leads to warehouse 1, enters
 * that, and so on, until it exits the last.  The floor of a warehouse carries MAX_WEIGHT,
 * a corridor has room for one robot.  Whoever cannot go on waits: the two operations are
 * how a robot asks the controller for permission, and return when it has it.
 *
 * To grade implementations of warehouse.h by this spec:
 *     raddle grade --spec examples/warehouse examples/warehouse/implementations/...  */
#include <raddle.h>

#include "warehouse.h"

enum { WAREHOUSES = 4, MAX_WEIGHT = 1000, LAST = WAREHOUSES - 1 };

/* ---- What the controller knows ------------------------------------------------------ */

struct plant {
    int weight[WAREHOUSES];    /* of all robots in the warehouse */
    bool occupied[WAREHOUSES]; /* is there a robot in the corridor that leads to it? */
};

static bool nothing_is_overloaded(const struct plant *s)
{
    for (int n = 0; n < WAREHOUSES; n++)
        if (s->weight[n] < 0 || s->weight[n] > MAX_WEIGHT)
            return false;
    return true;
}

/* ---- What a robot asks for ----------------------------------------------------------- */

struct move {
    int n, weight;
};

static bool is_possible(const struct plant *s, const struct move *a)
{
    (void)s;
    return a->n >= 0 && a->n < WAREHOUSES && a->weight >= 0;
}

static bool enter_cpre(const struct plant *s, const struct move *a)
{
    return s->weight[a->n] + a->weight <= MAX_WEIGHT;
}

/* The robot leaves the corridor behind.  None leads to warehouse 0, so none is occupied. */
static void enter_post(struct plant *s, const struct move *a)
{
    s->weight[a->n] += a->weight;
    s->occupied[a->n] = false;
}

static void enter_call(warehouse *w, const struct move *a)
{
    warehouse_enter(w, a->n, a->weight);
}

/* Outdoors, behind the last warehouse, is room for all. */
static bool exit_cpre(const struct plant *s, const struct move *a)
{
    return a->n == LAST || !s->occupied[a->n + 1];
}

static void exit_post(struct plant *s, const struct move *a)
{
    s->weight[a->n] -= a->weight;
    if (a->n < LAST)
        s->occupied[a->n + 1] = true;
}

static void exit_call(warehouse *w, const struct move *a)
{
    warehouse_exit(w, a->n, a->weight);
}

/* ---- Where a robot is ------------------------------------------------------------------ */

/* The number of calls that it has made on its way: before an even one it stands before
 * a warehouse, before an odd one it is inside.  Who has left the last warehouse begins
 * another tour, so that those who follow meet traffic wherever they are. */
struct robot {
    int step, weight;
};

static bool is_outside(const struct robot *me)
{
    return me->step % 2 == 0;
}

static bool is_inside(const struct robot *me)
{
    return me->step % 2 == 1;
}

static void step_on(struct robot *me, const struct move *a)
{
    me->step = (me->step + 1) % (2 * WAREHOUSES);
    me->weight = a->weight;
}

/* Most weights are hundreds, so that often the floor carries exactly what it can; but
 * who calculates in hundreds has to be found out too. */
static int draw_weight(struct rdl_case *t, int hundreds_min, int hundreds_max)
{
    int weight = 100 * (int)rdl_int(t, hundreds_min, hundreds_max);

    return rdl_chance(t, 0.15) ? weight + (int)rdl_int(t, -99, 99) : weight;
}

/* A few robots are too heavy for any warehouse, and wait for ever.  Cargo is only added:
 * half of the time none, or soon nobody could go on. */
static void enter_args(struct rdl_case *t, const struct robot *me, struct move *a)
{
    a->n = me->step / 2;
    if (me->step == 0)
        a->weight = draw_weight(t, 1, 11);
    else
        a->weight = rdl_bool(t) ? me->weight + draw_weight(t, 1, 4) : me->weight;
}

/* It weighs what it weighed when it entered: cargo counts from the next warehouse on. */
static void exit_args(struct rdl_case *t, const struct robot *me, struct move *a)
{
    (void)t;
    a->n = me->step / 2;
    a->weight = me->weight;
}

static warehouse *create(struct rdl_case *t, const struct plant *s)
{
    (void)t, (void)s;
    return warehouse_create(WAREHOUSES, MAX_WEIGHT);
}

RDL_TYPES(warehouse, struct plant, warehouse, struct robot);
RDL_OP(warehouse, enter, struct move, .may = is_outside, .client_args = enter_args,
       .pre = is_possible, .cpre = enter_cpre, .post = enter_post, .call = enter_call,
       .returned = step_on);
RDL_OP(warehouse, exit, struct move, .may = is_inside, .client_args = exit_args, .pre = is_possible,
       .cpre = exit_cpre, .post = exit_post, .call = exit_call, .returned = step_on);
RDL_SPEC(warehouse, RDL_OPS(warehouse, enter, exit), .create = create, .destroy = warehouse_destroy,
         .invariant = nothing_is_overloaded);

/* Of those who could go on, any may be the next. */
RDL_TEST_RESOURCE(robots_are_let_in_when_and_only_when_there_is_room, warehouse, .clients = 10,
                  .concurrent = 4, .phases = 40, .tags = "grade");

/* The same, of the controller that Raddle makes from the spec: is it what we mean? */
RDL_TEST_RESOURCE(the_spec_is_such_a_controller, warehouse, .clients = 10, .concurrent = 4,
                  .phases = 40, .reference = true);

/* ---- The spec itself --------------------------------------------------------------------- */

/* With fewer weights, all states can be looked at; and if nobody is too heavy, nobody
 * need wait for ever: whoever is ahead of all others can go on. */
static void enter_a_few_args(struct rdl_case *t, const struct robot *me, struct move *a)
{
    const int weights[] = {400, 700};

    a->n = me->step / 2;
    a->weight = me->step == 0 ? rdl_sample(t, weights) : me->weight;
    if (a->weight + 300 <= MAX_WEIGHT && rdl_bool(t))
        a->weight += 300;
}

RDL_TYPES(few_weights, struct plant, warehouse, struct robot);
RDL_OP(few_weights, enter, struct move, .may = is_outside, .client_args = enter_a_few_args,
       .pre = is_possible, .cpre = enter_cpre, .post = enter_post, .call = enter_call,
       .returned = step_on);
RDL_OP(few_weights, exit, struct move, .may = is_inside, .client_args = exit_args,
       .pre = is_possible, .cpre = exit_cpre, .post = exit_post, .call = exit_call,
       .returned = step_on);
RDL_SPEC(few_weights, RDL_OPS(few_weights, enter, exit), .create = create,
         .destroy = warehouse_destroy, .invariant = nothing_is_overloaded);

/* That light robots may overtake a heavy one for ever is how it is: where that matters,
 * the policy has to be another. */
RDL_TEST_SPEC(somebody_can_always_go_on, few_weights, .clients = 2, .may_starve = true);

RDL_MAIN
