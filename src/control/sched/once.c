/* once.c -- what is done once: pthread_once and call_once.
 *
 * The control is as the C library has it: 0 is fresh, 1 in progress, 2 done.  A
 * routine that is left by cancellation, pthread_exit or a C++ exception was not
 * done: the next caller does it.  Hence this file is compiled with -fexceptions. */
#include <threads.h>

#include "control/sched/primitive.h"
#include "control/sched/seen.h"

RDL__ASKED_FOR(once);

enum { FRESH = 0, IN_PROGRESS = 1, DONE = 2 };

struct attempt {
    struct rdl__thread *self;
    int *control;
    int becomes; /* of the control, at the end */
};

static bool is_settled(void *what)
{
    return !(*(int *)what & IN_PROGRESS);
}

static void end_attempt(struct attempt *attempt)
{
    uintptr_t object = (uintptr_t)attempt->control;

    rdl__hb_release(attempt->self, object);
    rdl__gave(attempt->self, object);
    __atomic_store_n(attempt->control, attempt->becomes, __ATOMIC_RELEASE);
    rdl__changed(object);
}

static void try_to_do(struct rdl__thread *self, int *control, void (*routine)(void), uintptr_t pc)
{
    __attribute__((cleanup(end_attempt))) struct attempt attempt = {self, control, FRESH};

    *control = IN_PROGRESS;
    rdl__got(self, (uintptr_t)control, pc, false);
    rdl__changed((uintptr_t)control);
    rdl__entering(self, (uintptr_t)routine);
    routine();
    attempt.becomes = DONE;
}

static void do_once(struct rdl__thread *self, int *control, void (*routine)(void), uintptr_t pc)
{
    struct rdl__op op = rdl__op_on(RDL__OP_ONCE, RDL__ON_ONCE, control, pc);

    if (*control & DONE)
        op.touch = RDL__READS; /* that it will stay */
    rdl__await(self, &op, is_settled, control, RDL__FOREVER);
    rdl__hb_acquire(self, (uintptr_t)control);
    if (*control & DONE)
        return;
    try_to_do(self, control, routine, pc);
    rdl__after(self, pc);
}

/* ---- Interposed ------------------------------------------------------------------- */

RDL__INTERPOSE int pthread_once(pthread_once_t *control, void (*routine)(void))
{
    struct rdl__thread *self = rdl__self();

    if (!self)
        return RDL__NEXT(pthread_once)(control, routine);
    do_once(self, control, routine, RDL__CALLER);
    return 0;
}

RDL__INTERPOSE void call_once(once_flag *flag, void (*routine)(void))
{
    struct rdl__thread *self = rdl__self();

    if (self)
        do_once(self, &flag->__data, routine, RDL__CALLER);
    else
        RDL__NEXT(call_once)(flag, routine);
}
