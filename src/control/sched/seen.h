/* seen.h -- which code tells of its accesses to memory.
 *
 * Code that `raddle cc` compiled is seen: it calls Raddle before each access that another
 * thread could notice.  All other code of the program and its libraries is not.  An operation
 * that such code comes to may be preceded and followed by accesses to any memory, so it
 * depends on every other operation (RDL__OP_WORLD), and coverage is not complete. */
#ifndef RDL__SEEN_H
#define RDL__SEEN_H

#include <stdbool.h>
#include <stdint.h>

#include "control/sched/inner.h"
#include "filter/tables.h"

/* For tests of the scheduler, whose bodies do nothing but operations: all code is seen. */
extern bool rdl__see_all;

/* The function of the code under test that thread 0 runs: main, or the body of a test; 0: none. */
extern uintptr_t rdl__first_entry;

/* Places that were seen when they were asked for last, each where its lowest bits say. */
enum { RDL__SEEN_KEPT = 256 };
extern uintptr_t rdl__seen_kept[RDL__SEEN_KEPT];

/* Those of them, in instrumented code, that are never blamed on another place (rdl__blamed). */
extern uintptr_t rdl__plain_kept[RDL__SEEN_KEPT];

/* The same as rdl__is_seen, when the answer is not at hand. */
bool rdl__is_seen_slowly(uintptr_t pc);

/* Is this address in code that is seen, or in the C library or Raddle itself, whose effects
 * are known by other means?  A return address counts as the call before it.  0 is seen. */
static inline bool rdl__is_seen(uintptr_t pc)
{
    return rdl__seen_kept[pc % RDL__SEEN_KEPT] == pc || rdl__is_seen_slowly(pc);
}

/* Is this the path of a library whose functions are known one by one, or by other means? */
bool rdl__is_known_library(const char *path);

/* Is it code at all, of a module that is loaded? */
bool rdl__is_code(uintptr_t address);

/* Is the call that returns there one of code that `raddle cc` compiled? */
bool rdl__is_instrumented(uintptr_t pc);
bool rdl__is_of_sanitizer(uintptr_t pc); /* which calls for itself, with locks that it holds */

/* Is the code seen that makes this call?  A sanitizer's interceptors (its pthread_create, say) call
 * ours for the program, which is not, unless some of it is instrumented. */
static inline bool rdl__is_seen_for(uintptr_t pc)
{
    return rdl__is_seen(pc) && (rdl__instrumented || !rdl__is_of_sanitizer(pc));
}

/* The operation comes from code that is not seen: it may touch anything. */
void rdl__op_unseen(struct rdl__op *op);

/* The thread has come to an operation at op->pc: whose is it really, and is that code seen? */
void rdl__op_blame_slowly(const struct rdl__thread *self, struct rdl__op *op);
static inline bool rdl__is_plain(uintptr_t pc)
{
    return __builtin_expect(rdl__plain_kept[pc % RDL__SEEN_KEPT] == pc, 1);
}
static inline void rdl__op_blame(const struct rdl__thread *self, struct rdl__op *op)
{
    if (!rdl__is_plain(op->pc))
        rdl__op_blame_slowly(self, op);
}

/* The thread comes from code that is not seen, or is about to enter it: what others did before
 * they did the same may be known to it, and what it did is known to those that come later. */
void rdl__world_meet(struct rdl__thread *self);

/* The operation is to be followed by a call of this function.  0: it is not known. */
void rdl__op_enters(struct rdl__op *op, uintptr_t function);

/* The thread is about to call this function on behalf of the program: a handler, a routine
 * that is done once, a destructor.  If it is not seen, threads may be switched before it. */
void rdl__entering(struct rdl__thread *self, uintptr_t function);

/* The function that a thread starts with is known. */
void rdl__starts_with(struct rdl__thread *thread, uintptr_t function);

/* Calls of dlclose under way, which unload modules. */
extern unsigned rdl__closing;

/* Modules may have come or gone. */
void rdl__seen_is_stale(void);

/* Before an execution. */
void rdl__seen_begin(void);

/* ---- seen_cxx.c ----------------------------------------------------------------------------- */

bool rdl__is_library_of_cxx(const char *path);

/* Is there a module that uses the library of C++, and of which nothing is instrumented? */
bool rdl__cxx_is_used_unseen(const struct rdl__tables *const *modules, uint32_t count);

#endif
