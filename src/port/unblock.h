/* unblock.h -- where the C library blocks all signals for itself, one is left out.
 *
 * It does so while it makes, ends or signals a thread, or makes a process, by system calls of its
 * own that nobody can stand in for.  A thread that comes to a breakpoint then would end the
 * process.  So, before the first hook in the C library, these very system calls become
 * breakpoints, whose handler makes the call, without the signal that breakpoints need. */
#ifndef RDL__UNBLOCK_H
#define RDL__UNBLOCK_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "base/error.h"

/* There is to be a hook at this address: if it is in the C library, see to it that it can be.
 * Between rdl__sites_begin and rdl__sites_end; for ever. */
bool rdl__unblock_for(uintptr_t address, struct rdl__error *error);

/* Is it one of these calls?  There can be no hook. */
bool rdl__unblock_is_call(uintptr_t address);

/* For the handler: if it is, make the call; then the context is what it is behind it. */
bool rdl__unblock_call(uintptr_t address, ucontext_t *context);

#endif
