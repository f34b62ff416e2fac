/* script.h -- a failing schedule as an order of a few events: `--export` and `--order`.
 *
 * script.c        what is written is tried: which constraints are needed, does it fail freely?
 * constraints.c   from the steps of a schedule to what must come before what */
#ifndef RDL__SCRIPT_H
#define RDL__SCRIPT_H

#include "check/plan.h"
#include "control/gate/script.h"

/* Texts as in rdl_order. */
struct rdl__constraint {
    char *before, *after;
    bool is_dropped; /* it is not needed */
};

struct rdl__constraints {
    struct rdl__constraint *items;
    size_t count;
    struct rdl__text remarks; /* what cannot be said exactly, a line each */
    struct rdl__text waits;   /* what cannot be said at all, if it should matter */
};

/* Each stretch of the schedule begins when the one before it has ended: where the thread of the
 * one waits at a line, until that of the other stands, waits, or has come to its end.  `starts` are
 * the lines that threads begin with; NULL: not known. */
void rdl__constraints_make(struct rdl__constraints *out, const struct rdl__steps *steps,
                           const struct rdl__probe *probe, char *const starts[RDL__PROBE_THREADS]);

/* As rdl_order takes it, or as lines. */
void rdl__constraints_write(struct rdl__text *out, const struct rdl__constraints *constraints,
                            const char *between);
void rdl__constraints_release(struct rdl__constraints *constraints);

/* What makes up schedules of such a test: free threads know no strategy either. */
#define RDL__ANYHOW "random"

/* The test, under this order; with free threads, or controlled.  One at a time. */
struct rdl_test *rdl__test_in_order(const struct rdl_test *test, const char *order, bool is_free);

#endif
