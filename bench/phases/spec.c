/* spec.c -- phases a second: the spec of examples/warehouse, with a counter of phases.
 *
 * All calls of a phase are drawn before the first of them is made, so the first call after
 * something was drawn begins a phase.  Workers share the counter with the parent. */
#include <sys/mman.h>

#include "../usage.h"

#undef RDL_MAIN
#define RDL_MAIN
#include "../../examples/warehouse/spec.c"

static struct {
    unsigned long phases;
    bool drawn;
} * seen;

__attribute__((constructor)) static void share(void)
{
    seen = mmap(NULL, sizeof *seen, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

/* Workers leave by _exit, so that only the parent gets here. */
__attribute__((destructor)) static void report(void)
{
    fprintf(stderr, "phases=%lu\n", seen->phases);
}

static void begin_phase(void)
{
    seen->phases += seen->drawn;
    seen->drawn = false;
}

static void draw_enter(struct rdl_case *t, const struct robot *me, struct move *a)
{
    seen->drawn = true;
    enter_args(t, me, a);
}

static void draw_exit(struct rdl_case *t, const struct robot *me, struct move *a)
{
    seen->drawn = true;
    exit_args(t, me, a);
}

static void call_enter(warehouse *w, const struct move *a)
{
    begin_phase();
    enter_call(w, a);
}

static void call_exit(warehouse *w, const struct move *a)
{
    begin_phase();
    exit_call(w, a);
}

RDL_TYPES(counted, struct plant, warehouse, struct robot);
RDL_OP(counted, enter, struct move, .may = is_outside, .client_args = draw_enter,
       .pre = is_possible, .cpre = enter_cpre, .post = enter_post, .call = call_enter,
       .returned = step_on);
RDL_OP(counted, exit, struct move, .may = is_inside, .client_args = draw_exit, .pre = is_possible,
       .cpre = exit_cpre, .post = exit_post, .call = call_exit, .returned = step_on);
RDL_SPEC(counted, RDL_OPS(counted, enter, exit), .create = create, .destroy = warehouse_destroy,
         .invariant = nothing_is_overloaded);

RDL_TEST_RESOURCE(robots, counted, .clients = 10, .concurrent = 4, .phases = 40);
