/* spinlock.c -- spin locks.  They do not spin here, but wait like any other lock,
 * so that a thread that would spin for ever is a deadlock.
 *
 * They look as the C library has them: 1 is free, less is locked. */
#include <errno.h>

#include "control/sched/primitive.h"

RDL__ASKED_FOR(spinlock);

enum { FREE = 1, LOCKED = 0, WAITERS_MAX = 65535, DESTROYED = INT32_MIN / 3 };

static bool is_free(int lock)
{
    return lock == FREE;
}

static bool is_locked(int lock)
{
    return lock <= LOCKED && lock >= LOCKED - WAITERS_MAX;
}

static const char *name_of(pthread_spinlock_t *lock)
{
    return rdl__object_name((uintptr_t)lock, "spin lock");
}

static void look_at(struct rdl__thread *self, pthread_spinlock_t *lock, const char *verb,
                    uintptr_t pc)
{
    if (!is_free(*lock) && !is_locked(*lock))
        rdl__wrong_use(pc, "%s %s %s, which %s", rdl__thread_name(self), verb, name_of(lock),
                       *lock == DESTROYED ? "has been destroyed" : "was never initialised");
}

/* Who waits for a lock that is none any more must not wait any longer. */
static bool can_go_on(void *what)
{
    pthread_spinlock_t *lock = what;

    return !is_locked(*lock);
}

static void take(struct rdl__thread *self, pthread_spinlock_t *lock, uintptr_t pc)
{
    *lock = LOCKED;
    rdl__got(self, (uintptr_t)lock, pc, false);
    rdl__hb_acquire(self, (uintptr_t)lock);
    rdl__changed((uintptr_t)lock);
}

/* ---- Interposed ------------------------------------------------------------------- */

RDL__INTERPOSE int pthread_spin_lock(pthread_spinlock_t *lock)
{
    struct rdl__thread *self = rdl__self();
    struct rdl__op op;

    if (!self)
        return RDL__NEXT(pthread_spin_lock)(lock);
    op = rdl__op_on(RDL__OP_LOCK, RDL__ON_SPIN_LOCK, lock, RDL__CALLER);
    rdl__await(self, &op, can_go_on, (void *)lock, RDL__FOREVER);
    look_at(self, lock, "locks", op.pc);
    take(self, lock, op.pc);
    return 0;
}

RDL__INTERPOSE int pthread_spin_trylock(pthread_spinlock_t *lock)
{
    struct rdl__thread *self = rdl__self();
    struct rdl__op op;

    if (!self)
        return RDL__NEXT(pthread_spin_trylock)(lock);
    op = rdl__op_try(self, RDL__ON_SPIN_LOCK, lock, RDL__CALLER);
    rdl__point(self, &op);
    look_at(self, lock, "tries to lock", op.pc);
    if (rdl__is_refused(self, &op, *lock != FREE || rdl__fault(RDL__FAULT_TRYLOCK)))
        return EBUSY;
    take(self, lock, op.pc);
    return 0;
}

RDL__INTERPOSE int pthread_spin_unlock(pthread_spinlock_t *lock)
{
    struct rdl__thread *self = rdl__self(), *holder;
    struct rdl__op op;

    if (!self)
        return RDL__NEXT(pthread_spin_unlock)(lock);
    op = rdl__op_on(RDL__OP_UNLOCK, RDL__ON_SPIN_LOCK, lock, RDL__CALLER);
    rdl__point(self, &op);
    look_at(self, lock, "unlocks", op.pc);
    if (*lock == FREE)
        rdl__wrong_use(op.pc, "%s unlocks %s, which is not locked", rdl__thread_name(self),
                       name_of(lock));
    if (rdl__held_by(self, (uintptr_t)lock))
        rdl__gave(self, (uintptr_t)lock);
    else if ((holder = rdl__holder((uintptr_t)lock)))
        rdl__wrong_use(op.pc, "%s unlocks %s, which %s holds", rdl__thread_name(self),
                       name_of(lock), rdl__thread_name(holder));
    rdl__hb_release(self, (uintptr_t)lock);
    *lock = FREE;
    rdl__changed((uintptr_t)lock);
    rdl__after(self, op.pc);
    return 0;
}

RDL__INTERPOSE int pthread_spin_destroy(pthread_spinlock_t *lock)
{
    struct rdl__thread *self = rdl__self(), *holder;
    struct rdl__op op;

    if (!self)
        return RDL__NEXT(pthread_spin_destroy)(lock);
    op = rdl__op_on(RDL__OP_DESTROY, RDL__ON_SPIN_LOCK, lock, RDL__CALLER);
    rdl__point(self, &op);
    look_at(self, lock, "destroys", op.pc);
    holder = rdl__holder((uintptr_t)lock);
    if (*lock != FREE && holder)
        rdl__wrong_use(op.pc, "%s destroys %s, which %s holds", rdl__thread_name(self),
                       name_of(lock), rdl__thread_name(holder));
    *lock = DESTROYED;
    return 0;
}
