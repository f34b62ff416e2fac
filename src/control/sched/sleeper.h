/* sleeper.h -- threads that sleep until another one calls them, in the order in which
 * they lay down.
 *
 * That an operation is awaited is known to the scheduler; but a thread is still
 * asleep while a signal handler runs on top of it, and awaits something else there.
 *
 * A sleeper lies on the stack of its thread, and is in one list with all others.
 * It has to be taken off that list even if the thread ends within a handler: by a
 * variable with the attribute `cleanup`, in a file compiled with -fexceptions. */
#ifndef RDL__SLEEPER_H
#define RDL__SLEEPER_H

#include "control/sched/sched.h"

struct rdl__sleeper {
    uintptr_t object;
    struct rdl__thread *thread;
    bool called;
    struct rdl__sleeper *next;
};

/* An execution begins: nobody sleeps. */
void rdl__sleepers_begin(void);

void rdl__lie_down(struct rdl__sleeper *sleeper, struct rdl__thread *self, uintptr_t object);
void rdl__get_up(struct rdl__sleeper *sleeper);

/* The next one after this one (NULL: the first) at the object who was not called. */
struct rdl__sleeper *rdl__next_sleeper(uintptr_t object, const struct rdl__sleeper *after);

/* A condition for rdl__await. */
bool rdl__is_called(void *sleeper);

#endif
