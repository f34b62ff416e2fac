/* trap.h -- a signal by which a breakpoint sends a thread elsewhere.
 *
 * The breakpoint is int3, the signal SIGTRAP.  Under a debugger, which takes these for its
 * own, it is hlt and SIGSEGV, which debuggers stop at and then pass on (in gdb,
 * "handle SIGSEGV nostop noprint" has it not stop).  A debugger that is attached later
 * does not get on with breakpoints of ours.
 *
 * The handler does no more than to look up where to go on: what is done there is then done
 * in no handler at all.  Signals that are none of ours are handed to whom the program said.
 *
 * The kernel ends the process if a thread comes to a breakpoint that has the signal blocked.
 * So from the first breakpoint on it must not be: who stands in for the C library's
 * functions asks here.  And from then on the handler stays: a trap may be on its way when
 * its breakpoint is removed. */
#ifndef RDL__TRAP_H
#define RDL__TRAP_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "port/kernel.h"

/* Before the first breakpoint.  Refused if a thread blocks the signal. */
bool rdl__trap_begin(struct rdl__error *error);

/* Threads that come to a breakpoint at this address go on there; for ever, since the
 * trap of one may be late.  Not from two threads at once. */
void rdl__trap_add(uintptr_t address, uintptr_t go_on_at);

/* Where a thread goes on that comes to a breakpoint here; 0: that is none of ours. */
uintptr_t rdl__trap_find(uintptr_t address);

/* Dispositions are changed by us now, not by the program. */
extern bool rdl__trap_begins;

/* Since the first breakpoint; before, 0. */
extern int rdl__trap_signal;
extern uint8_t rdl__trap_byte; /* the breakpoint itself */

/* Hooks may come: have threads that begin to block signals before that leave out this one. */
void rdl__trap_expect(void);

/* The signal that must not be blocked; 0: all may be. */
extern int rdl__trap_wanted;

/* Of signals to be blocked, those that may be. */
static inline rdl__signals rdl__trap_kept(rdl__signals set)
{
    return rdl__trap_wanted ? set & ~(UINT64_C(1) << (rdl__trap_wanted - 1)) : set;
}

static inline void rdl__trap_keep(sigset_t *set)
{
    if (rdl__trap_wanted)
        sigdelset(set, rdl__trap_wanted);
}

/* The same, of a mask that may be NULL and is not ours to change. */
static inline const sigset_t *rdl__trap_spare(const sigset_t *mask, sigset_t *copy)
{
    if (!mask || !rdl__trap_wanted)
        return mask;
    *copy = *mask;
    rdl__trap_keep(copy);
    return copy;
}

/* What the program says of the signal, as sigaction() would do it: only written down. */
void rdl__trap_sigaction(const struct sigaction *action, struct sigaction *old);

/* Code that must not have a breakpoint, since the way to the handler or back leads there. */
bool rdl__trap_needs(uintptr_t address);

/* Functions for which that holds are put together. */
#define RDL__PATCHER __attribute__((section("rdl__patcher"), no_sanitize("address", "undefined")))

#endif
