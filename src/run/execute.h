/* execute.h -- one case from tape to verdict; many, as a task says. */
#ifndef RDL__EXECUTE_H
#define RDL__EXECUTE_H

#include "run/board.h"

/* Set up t to work on this board.  abandon: see struct rdl_case. */
void rdl__case_init(struct rdl_case *t, struct rdl__board *board, void (*abandon)(void));
void rdl__case_release(struct rdl_case *t);

/* Do the task on the board.  Stops between two cases when *stop becomes set. */
void rdl__do_task(struct rdl__board *board, struct rdl_case *t, const volatile int *stop);

/* A process that the code under test forked must not go on as if it were ours:
 * from now on, one that comes back from its case ends there. */
void rdl__mind_forks(void);

/* Run one case whose tape has been started.  The verdict is on the board. */
void rdl__execute(struct rdl_case *t);

/* After a case of RDL__RUN_ALL: put the next one in order on the board.  False:
 * there is none. */
bool rdl__next_in_order(struct rdl__board *board);

/* How large the data of the n-th case of a run (from 0) is meant to be. */
uint32_t rdl__size_of_case(uint64_t n, uint64_t ramp);

#endif
