/* meet.h -- where the threads of a test wait for each other: for the test clock, at gates.
 *
 * Threads may be controlled or free.  Of the controlled ones one runs at a time, so nothing needs
 * a lock; of free ones, the kernel is asked who is blocked (port/blocked.h).  When all wait,
 * whoever knows what happens next says so: the clock goes on, say. */
#ifndef RDL__MEET_H
#define RDL__MEET_H

#include <stdbool.h>

#include "case/case.h"
#include "control/sched/op.h"

/* The body of a test starts a free thread, or comes to a place where threads meet. */
void rdl__meet_spawn(struct rdl_case *t);
void rdl__meet_begin(struct rdl_case *t);

/* The case is over, of which this says that anything is to be done. */
extern bool rdl__meeting;
void rdl__meet_end(void);

/* What threads wait for is looked at, and changed, between these two. */
void rdl__meet_lock(void);
void rdl__meet_unlock(void);

/* Wait until it is ready.  The operation is how controlled threads say it. */
void rdl__meet_await(struct rdl_case *t, const struct rdl__op *op, bool (*ready)(void *what),
                     void *what);

/* This object of an operation has changed: who waits for it may be ready. */
void rdl__meet_changed(const void *object);

/* All threads wait: what happens now?  False: nothing.  Here in the order in which they are
 * asked. */
bool rdl__clock_ticks(void);

/* Forget what was before. */
void rdl__clock_reset(void);

#endif
