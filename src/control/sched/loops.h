/* loops.h -- loops of code that is not seen, in which threads wait. */
#ifndef RDL__LOOPS_H
#define RDL__LOOPS_H

#include <stdbool.h>
#include <stdint.h>

/* Processes that are forked from now on share what is known of them. */
void rdl__loops_prepare(void);

/* An execution has taken too long, and a thread was at the first of these instructions, called from
 * within the others.  If it was in such a loop, which was not known: from now on it is. */
bool rdl__loops_learn(const uintptr_t *frames, int count);

/* Before an execution: in the loops that are known, threads let others go on. */
void rdl__loops_mind(void);

#endif
