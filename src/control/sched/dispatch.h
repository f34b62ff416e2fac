/* dispatch.h -- system calls that code makes itself, without the C library.
 *
 * Only where there is such code.  Then, while an execution runs, the kernel hands them
 * to us, and they are as if the code had called syscall(). */
#ifndef RDL__DISPATCH_H
#define RDL__DISPATCH_H

#include "control/sched/sched.h"
#include "port/kernel.h"

/* Is there such code?  Looked for once, and again when something has been loaded. */
void rdl__dispatch_prepare(void);
void rdl__dispatch_loaded(void);
bool rdl__dispatch_is_needed(void);

/* A module with code that seems to wait in such calls, which this kernel would not hand
 * to us; NULL: there is none. */
const char *rdl__dispatch_lacking(void);

/* Around an execution, in the thread it runs in. */
void rdl__dispatch_begin(void);
void rdl__dispatch_end(void);

/* The kernel reads here whether it is to hand them to us.  Unless there is a call just
 * now that only the code itself can make, it is. */
enum { RDL__HAND_OVER = 1 };
extern volatile char rdl__dispatch_selector;

/* The signal by which they are handed to us, as a set, if they are; it must never be
 * blocked.  What the program does with that signal is only written down. */
extern rdl__signals rdl__never_blocked;
int rdl__dispatch_sigaction(const struct sigaction *action, struct sigaction *old);

#endif
