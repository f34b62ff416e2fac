/* meet.h -- where the threads of a test wait for each other: for the test clock, at gates.
 *
 * Threads may be controlled or free.  Of the controlled ones one runs at a time, so nothing needs
 * a lock; of free ones, the kernel is asked who is blocked (port/blocked.h).  When all wait,
 * whoever knows what happens next says so: the clock goes on, say. */
#ifndef RDL__MEET_H
#define RDL__MEET_H

#include <limits.h>
#include <stdbool.h>

#include "case/case.h"
#include "control/sched/op.h"

/* A test, or the code under test, starts a free thread; or comes to a place where threads meet. */
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

/* For free threads: wait until it is ready, or all wait and nothing happens then; or, at once when
 * all wait.  False: it is not ready.  What it is about need not be told of by rdl__meet_changed. */
bool rdl__meet_until(struct rdl_case *t, bool (*ready)(void *what), void *what, bool at_once);

/* Wait until every other free thread has ended or waits, be it here; how many do. */
int rdl__meet_until_quiet(struct rdl_case *t);

/* This object of an operation has changed: who waits for it may be ready. */
void rdl__meet_changed(const void *object);

/* What the thread that calls is called: "main", "worker" as named, or "thread 2". */
enum { RDL__MEET_NAME = 48 };
void rdl__meet_name(char out[RDL__MEET_NAME]);

/* When all wait: what a thread of that name does. */
enum rdl__meet_state { RDL__MEET_NOBODY, RDL__MEET_WAITS, RDL__MEET_ENDED };
enum rdl__meet_state rdl__meet_state(const char *name);

/* A choice from 0 to max, when all wait; and what was chosen by it, for the story of free threads:
 * that of controlled ones is their schedule. */
uint32_t rdl__meet_pick(struct rdl_case *t, uint32_t max);
void rdl__meet_picked(struct rdl_case *t, const char *what, const char *picked);

/* All threads wait: what happens now?  False: nothing.  Here in the order in which they are
 * asked. */
bool rdl__clock_ticks(void);
bool rdl__alone_go_on(void);
bool rdl__orders_go_on(struct rdl_case *t);
bool rdl__gates_give_up(void);

/* Nothing: if free threads wait at gates, that is a failure. */
#define RDL__INFEASIBLE "infeasible: all threads wait, some of them at gates"
void rdl__gates_stuck(struct rdl_case *t);

/* So it is if the case ends well, and some still do. */
void rdl__gates_left(struct rdl_case *t);

/* Who waits at gates, for what and perhaps where (RDL__AT), a line each. */
struct rdl__text;
void rdl__gates_tell(struct rdl__text *text, bool with_places);
void rdl__gates_note(char *out, size_t room); /* the same, with places */

/* What a thread waits for that waits at a gate; false: it does not.  And for whom; NULL: it is not
 * known. */
bool rdl__gates_describe(const char *thread, char *out, size_t room);
const char *rdl__order_blocker(const char *thread);

/* An order of this case says when threads go on from waiting for a condition: the thread that calls
 * has been woken, and has not taken the mutex back, which it must not before it is its turn; which
 * of several that wait is woken: the one with the lowest rank. */
extern bool rdl__wakes_ordered;
#define RDL__WAKE_UNNAMED UINT_MAX /* the order does not say */
void rdl__wake_pass(uintptr_t pc);
unsigned rdl__wake_rank(const char *thread);

/* A case begins: if there is a file of gates for its test, they are placed.  It is NAME.gdb beside
 * the source of test NAME; or in this folder, or this file itself, or there is "none". */
extern const char *rdl__gates_file;
void rdl__gates_begin(struct rdl_case *t);

/* Forget what was before. */
void rdl__clock_reset(void);
void rdl__gates_end(void);

#endif
