/* alike.h -- executions of a test that begin alike, though they are made in one process.
 *
 * Before each execution, the traces of earlier ones are removed: static variables and the heap are
 * put back (port/statics.h, port/heap.h), and state of the C library and the kernel
 * (control/sched/undo.h).  Traces that cannot be removed are found (control/sched/left.h),
 * and limit the claims of a pass (observe/limits.h). */
#ifndef RDL__ALIKE_H
#define RDL__ALIKE_H

#include <stdbool.h>

struct rdl_case;
struct rdl_test;

/* An execution is about to begin, in this process: its set-up comes next.  The first one
 * decides what the others find. */
void rdl__alike_begin(const struct rdl_test *test);

/* It has ended. */
void rdl__alike_end(const struct rdl_case *t);

/* Another test comes next, perhaps with a setup_once.  Its executions begin with the state that
 * this leaves; the traces of executions before it are removed now. */
void rdl__alike_anew(void);

/* In the execution: add a fact for each trace that was not removed. */
void rdl__alike_tell(void);

/* After the last execution of a task: add the facts that only it has led to. */
struct rdl__limits;
void rdl__alike_last(struct rdl__limits *to);

/* Executions are left as they are.  For programs that have somebody else's variables in them, as
 * fuzzers do. */
void rdl__alike_never(void);

#endif
