/* explore.h -- cases whose threads are controlled: one execution each.
 *
 * What is learned from one execution for the next (a strategy's state) lives in the
 * process that runs the cases. */
#ifndef RDL__EXPLORE_H
#define RDL__EXPLORE_H

#include "case/case.h"
#include "control/strategy/strategy.h"

enum { RDL__STRATEGY_ROOM = 32 };

/* What has been tried since the strategy was started, and the facts that limit what that means. */
struct rdl__explored {
    bool instrumented;                      /* some code of the process is */
    bool volatile_shared, volatile_ordered; /* see struct rdl__summary */
    struct rdl__tally tally;
    struct rdl__limits limits;
};

/* From now on, executions follow this strategy ("pct:3"; "": the default), unless
 * their tape decides.  An unknown name stops the process: check it before. */
void rdl__explorer_start(const char *strategy, uint64_t seed);

/* Before a case that is made up: what its token will have to say of how it is run. */
void rdl__explorer_settle(struct rdl_case *t);

/* Run the body of the case's test as thread 0 of an execution.  The outcome is in
 * t->outcome. */
void rdl__explore(struct rdl_case *t);

/* If set, every execution happens in a process of its own, a copy of this one, which
 * goes on as if nothing had happened; and this says what became of it, from the status
 * that it ended with, unless it has told that in the outcome itself. */
extern void (*rdl__explorer_judge)(struct rdl_case *t, int status, bool told);
extern void (*rdl__explorer_before)(void); /* called before each; may be NULL */

/* An execution has ended.  Was it ended because it took too long, in a loop in which, as is known
 * now, a thread only waits?  Then it begins anew. */
extern bool (*rdl__explorer_hung)(void);

/* One execution of the case's test as its tape says, in this process, which ends with
 * it: by itself, or by leave() when the execution fails. */
_Noreturn void rdl__explore_and_exit(struct rdl_case *t, void (*leave)(void));

/* The last execution has left threads behind: this process is not to be trusted. */
extern bool rdl__explorer_unclean;

/* All executions that the strategy would make have been made. */
extern bool rdl__explorer_exhausted;

/* The tally of all executions so far; and the facts of those since the last call. */
void rdl__explorer_tell(struct rdl__explored *out);

/* The process of the execution at hand, if it has one of its own; 0: none. */
extern volatile int *rdl__explorer_child;

#endif
