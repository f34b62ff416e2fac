/* debug.h -- controlled threads, for debuggers.
 *
 * To a debugger all controlled threads are one, which changes its stack.  So it is told who there
 * is: it reads texts here, in the program that it has stopped (scripts/raddle-gdb.py).  That needs
 * no debugging information of Raddle's, and it calls no function there, which not every gdb can do
 * on every processor: to put registers back that it does not know the size of. */
#ifndef RDL__DEBUG_H
#define RDL__DEBUG_H

#include "control/sched/sched.h"
#include "raddle/base.h"

/* A debugger is there, and is to be told of switches. */
extern bool rdl__debugged;

/* A line for each thread, of fields with tabs between: its number, its name, what it is about
 * (fails, is wrong, runs, is ready, waits, has ended), what it does in words, the object that it
 * does it to and the place in the code, as hexadecimal numbers; and the stack pointer and the base
 * of its thread-local variables, 0 if it runs. */
RDL__API_VAR const char *const rdl__debug_threads;

/* A line for each thing that is held: the number of the thread, the object, where it was got, and
 * what it is in words. */
RDL__API_VAR const char *const rdl__debug_holds;

/* Where a debugger has to stop another time, to see what was wrong while it happens: "step",
 * the number of the step, and of which thread it is; or "call", its number, and the address of the
 * function.  Empty: it is just there. */
RDL__API_VAR const char *const rdl__debug_blamed;

/* Something has changed: say it anew. */
void rdl__debug_note(void);

/* Debuggers stop here: tests begin, another thread has its turn, a thread does its next operation,
 * or a model is about to be compared with this call. */
RDL_API void rdl__debug_begins(void);
RDL_API void rdl__debug_switched(void);
RDL_API void rdl__debug_step(uint64_t number);
RDL_API void rdl__debug_call(uint64_t number);

/* The running thread does its operation. */
void rdl__debug_follow(const struct rdl__thread *self);

/* A judge says who has done wrong, which is to be seen rather than the judge: this thread, in a
 * call that it waits in (step is 0), or has returned from when it had done that step.  Or, if
 * there are no threads, in that call of a function. */
uint64_t rdl__debug_now(void); /* how many steps there were */
void rdl__debug_blame(struct rdl__thread *thread, uint64_t step);
void rdl__debug_blame_call(uint64_t number, uintptr_t function);

/* Back on the stack of a thread: is it only to be looked at? */
void rdl__debug_arrive(void);

/* The case has failed, and this thread has seen it: say so, and stop for the debugger. */
void rdl__debug_stop(const char *what, const char *text);

#endif
