/* raddle/reproduce.h -- a case that failed, as a program.
 *
 * `raddle export TOKEN` writes such a program, for a bug report or for whoever is to repair the
 * code; nothing but what follows is used in it, so it can be read, changed and run by hand:
 *
 *     #include "examples/warehouse/spec.c"
 *
 *     static void calls(struct rdl_case *t)
 *     {
 *         rdl_client_calls(t, 0, warehouse, enter, {.n = 0, .weight = 600});
 *         rdl_client_calls(t, 1, warehouse, enter, {.n = 0, .weight = 600});
 *         rdl_clients_run(t); // returns: 0, 1
 *     }
 *
 *     static const struct rdl_decision decisions[] = {
 *         RDL_TURN(0, 0), // main
 *         RDL_TURN(1, 3), // client 0, until before warehouse.c:40
 *         RDL_TURN(2, 0), // client 1
 *     };
 *
 *     int main(int argc, char **argv)
 *     {
 *         return rdl_reproduce(argc, argv,
 *                              &(struct rdl_reproduction){.test = "no_warehouse_is_overloaded",
 *                                                         .calls = calls,
 *                                                         .decisions = decisions,
 *                                                         .count = 3});
 *     }
 *
 * The test itself, and the spec that judges the calls, are those of the test program. */
#ifndef RADDLE_REPRODUCE_H
#define RADDLE_REPRODUCE_H

#include <raddle/base.h>

#ifdef RDL__OF_THE_SYSTEM
#pragma GCC system_header
#endif

/* ---- What was decided ----------------------------------------------------------------------- */

/* What else the case came across, one after the other.  Threads are numbered from 0 as they are
 * started; who has ended leaves its number to another. */
struct rdl_decision {
    unsigned kind; /* by one of these: */
    uint64_t what, steps;
};

/* Now this thread runs: until it has to wait or ends (0), or until it has come to so many places
 * at which another one could have gone on. */
#define RDL_TURN(thread, steps)                                                                    \
    {                                                                                              \
        RDL__DECIDES_TURN, (thread), (steps)                                                       \
    }

/* Any other choice, as a token holds it: 0 is the simplest. */
#define RDL_CHOICE(index)                                                                          \
    {                                                                                              \
        RDL__DECIDES_CHOICE, (index), 0                                                            \
    }

enum { RDL__DECIDES_TURN, RDL__DECIDES_CHOICE };

/* ---- The case ------------------------------------------------------------------------------- */

struct rdl_reproduction {
    const char *test; /* what it is called in the program */

    /* Of RDL_TEST_MODEL, RDL_TEST_RESOURCE and RDL_TEST_LINEAR: calls that are made instead of
     * made up ones.  NULL: whatever the test does is decided below. */
    void (*calls)(struct rdl_case *t);

    const struct rdl_decision *decisions;
    size_t count;

    /* As it was then; 0: as tests have it. */
    unsigned size;       /* of data that is drawn, 1 to 100 */
    unsigned round;      /* of a resource */
    unsigned points_max; /* an execution with more places to switch at is endless */
    unsigned watched;    /* 1: threads may be switched at accesses to their own stacks, too;
                            2: where they end */
    unsigned volatiles;  /* what volatile accesses are: RDL_VOLATILE_ACQ_REL and the like */
    const char *deviation, *gates; /* as the options of these names */

    /* Of a program that knows nothing of Raddle: its arguments, and options of raddle replay;
     * each ends with NULL.  test is NULL. */
    const char *const *arguments, *const *options;
} RDL__FORM;

/* Run the test with this one case, and report.  Arguments are options as any test program has
 * them.  The exit status: 1 if it fails, 0 if it passes, 2 if it could not run. */
RDL_API int rdl_reproduce(int argc, char **argv, const struct rdl_reproduction *what);

/* Called before main, in a constructor: this program is run under that schedule, whatever main
 * does.  (In the shared library only.) */
RDL_API void rdl_reproduce_program(const struct rdl_reproduction *what);

/* ---- Calls ---------------------------------------------------------------------------------- */

/* A client, from 0 on, calls an operation.  RDL_TEST_MODEL makes the call and compares; in the
 * others it begins when clients are run.  Arguments as their type is initialised; none: zero
 * bytes. */
#define rdl_client_calls(t, client, spec, op, ...)                                                 \
    rdl__client_calls(                                                                             \
        (t), (client), &rdl_op_##spec##_##op,                                                      \
        RDL__LENT_ONE(__typeof__(*rdl_op_##spec##_##op.rdl__type_args), __VA_ARGS__))
RDL_API void rdl__client_calls(struct rdl_case *t, unsigned client, const void *op,
                               const void *args);

/* Let all clients run until each has returned or waits, and ask the spec whether it explains what
 * was seen. */
RDL_API void rdl_clients_run(struct rdl_case *t);

#endif
