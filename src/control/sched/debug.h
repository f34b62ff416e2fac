/* debug.h -- controlled threads, for debuggers.
 *
 * To a debugger all controlled threads are one, which changes its stack.  So it is told who there
 * is: it calls functions here, in the program that it has stopped, and reads the text they return
 * (scripts/raddle-gdb.py).  That needs no debugging information of Raddle's. */
#ifndef RDL__DEBUG_H
#define RDL__DEBUG_H

#include "control/sched/sched.h"
#include "raddle/base.h"

/* A debugger is there, and is to be told of switches. */
extern bool rdl__debugged;

/* A line for each thread, of fields with tabs between: its number, its name, what it is about
 * (fails, runs, is ready, waits, has ended), what it does in words, the object that it does it to
 * and the place in the code, as hexadecimal numbers; and the stack pointer and the base of its
 * thread-local variables, 0 if it runs. */
RDL_API const char *rdl__debug_threads(void);

/* A line for each thing that is held: the number of the thread, the object, where it was got, and
 * what it is in words. */
RDL_API const char *rdl__debug_holds(void);

/* Debuggers stop here: another thread has its turn, or a thread does its next operation. */
RDL_API void rdl__debug_switched(void);
RDL_API void rdl__debug_step(void);

/* The running thread does its operation. */
void rdl__debug_follow(const struct rdl__thread *self);

/* The case has failed, and this thread has seen it: say so, and stop for the debugger. */
void rdl__debug_stop(const char *what, const char *text);

#endif
