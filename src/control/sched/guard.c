/* guard.c -- C++ variables that are initialised when control first comes to them.
 *
 * Compilers call these functions, of the Itanium C++ ABI, around the initialiser.
 * A guard looks as libstdc++ has it: bytes say whether it is done, in progress,
 * and awaited.  That library may be linked statically, and then there is no other
 * version to hand threads on to that we do not control: this one serves all. */
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "control/sched/primitive.h"

RDL__ASKED_FOR(guard);

enum { DONE = 1, PENDING = 0x100, AWAITED = 0x10000 };

int __cxa_guard_acquire(int *guard);
void __cxa_guard_release(int *guard);
void __cxa_guard_abort(int *guard);

static bool is_settled(void *what)
{
    return !(__atomic_load_n((int *)what, __ATOMIC_ACQUIRE) & PENDING);
}

/* Threads we do not control: 1 if the caller is to initialise. */
static int acquire(int *guard)
{
    int seen = 0;

    while (!__atomic_compare_exchange_n(guard, &seen, PENDING, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE)) {
        if (seen & DONE)
            return 0;
        if (__atomic_compare_exchange_n(guard, &seen, PENDING | AWAITED, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE) ||
            seen == (PENDING | AWAITED))
            syscall(SYS_futex, guard, FUTEX_WAIT, PENDING | AWAITED, NULL);
        seen = 0;
    }
    return 1;
}

static void settle(int *guard, int state, uintptr_t pc)
{
    struct rdl__thread *self = rdl__self();

    if (self) {
        rdl__hb_release(self, (uintptr_t)guard);
        rdl__gave(self, (uintptr_t)guard);
    }
    if (__atomic_exchange_n(guard, state, __ATOMIC_ACQ_REL) & AWAITED)
        syscall(SYS_futex, guard, FUTEX_WAKE, INT_MAX);
    if (self) {
        rdl__changed((uintptr_t)guard);
        rdl__after(self, pc);
    }
}

/* ---- Interposed ------------------------------------------------------------------- */

RDL__INTERPOSE int __cxa_guard_acquire(int *guard)
{
    struct rdl__thread *self = rdl__self();
    struct rdl__op op;

    if (!self)
        return acquire(guard);
    op = rdl__op_on(RDL__OP_ONCE, RDL__ON_ONCE, guard, RDL__CALLER);
    rdl__await(self, &op, is_settled, guard, RDL__FOREVER);
    rdl__hb_acquire(self, (uintptr_t)guard);
    if (*guard & DONE)
        return 0;
    *guard = PENDING;
    rdl__got(self, (uintptr_t)guard, op.pc, false);
    rdl__changed((uintptr_t)guard);
    return 1;
}

RDL__INTERPOSE void __cxa_guard_release(int *guard)
{
    settle(guard, DONE, RDL__CALLER);
}

RDL__INTERPOSE void __cxa_guard_abort(int *guard)
{
    settle(guard, 0, RDL__CALLER);
}
