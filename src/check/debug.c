/* debug.c -- a failure that is seen in a debugger, while the stack is still as it was. */
#include <stddef.h>

#include "check/plan.h"
#include "control/sched/debug.h"

void rdl__debug_failure(const struct rdl__board *board)
{
    struct rdl__thread *running = rdl__running;
    struct rdl__outcome outcome = board->outcome;
    struct rdl__text what = {0};

    rdl__running = NULL; /* what is done here is not the program's doing */
    rdl__outcome_resolve_alone(&outcome, board);
    if (outcome.line > 0)
        rdl__text_add(&what, "%s:%d: ", outcome.file, outcome.line);
    rdl__text_add(&what, "%s", outcome.check);
    rdl__running = running;
    rdl__debug_stop(what.bytes, outcome.text);
}

/* Runs after the first serve to report it, and pass. */
static void stop_once(struct rdl_case *t)
{
    const char *outcome = (const char *)t->outcome;

    rdl__on_failure = NULL;
    rdl__debug_failure((const struct rdl__board *)(outcome - offsetof(struct rdl__board, outcome)));
}

void rdl__debug_tests(struct rdl__plan *plan)
{
    plan->no_fork = plan->no_capture = true;
    rdl__debugged = true;
    rdl__on_failure = stop_once;
    rdl__debug_begins();
}
