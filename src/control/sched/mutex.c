/* mutex.c -- mutexes of all kinds.
 *
 * They look as the C library has them: __lock is not 0 while locked, __owner and
 * __count say by whom and how often, __kind what kind it is. */
#include "control/sched/mutex.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "control/sched/next.h"
#include "control/sched/primitive.h"

enum {
    KIND_MASK = 3, /* PTHREAD_MUTEX_NORMAL, RECURSIVE, ERRORCHECK, ADAPTIVE */
    ROBUST = 16,
    DESTROYED = -1,
    KNOWN_BITS = 0x3ff,
    LOCKED = 1,
    OWNER_DIED = 0x40000000,   /* in __lock, as the kernel marks it */
    NOT_RECOVERABLE = INT_MAX, /* in __owner */
};

static int owner_mark(const struct rdl__thread *self)
{
    return (int)self->id + 1;
}

static bool is_free(void *what)
{
    const pthread_mutex_t *mutex = what;

    return (mutex->__data.__lock & ~OWNER_DIED) == 0;
}

static int kind_of(const pthread_mutex_t *mutex)
{
    return mutex->__data.__kind & KIND_MASK;
}

static bool is_mine(const struct rdl__thread *self, const pthread_mutex_t *mutex)
{
    return !is_free((void *)mutex) && mutex->__data.__owner == owner_mark(self);
}

/* Is it one at all? */
static void look_at(const struct rdl__thread *self, const pthread_mutex_t *mutex, uintptr_t pc,
                    const char *verb)
{
    if (__builtin_expect(!(mutex->__data.__kind & ~KNOWN_BITS), 1))
        return;
    rdl__wrong_use(pc, "%s %s %s, which %s", rdl__thread_name(self), verb,
                   rdl__object_name((uintptr_t)mutex, "mutex"),
                   mutex->__data.__kind == DESTROYED ? "has been destroyed"
                                                     : "was never initialised");
}

/* It is free, and becomes ours. */
static int become_owner(struct rdl__thread *self, pthread_mutex_t *mutex, uintptr_t pc)
{
    bool died = mutex->__data.__lock & OWNER_DIED;

    if (mutex->__data.__kind & ROBUST && mutex->__data.__owner == NOT_RECOVERABLE)
        return ENOTRECOVERABLE;
    mutex->__data.__lock = LOCKED | (died ? OWNER_DIED : 0);
    mutex->__data.__owner = owner_mark(self);
    mutex->__data.__count = 1;
    mutex->__data.__nusers++;
    rdl__got(self, (uintptr_t)mutex, pc, false);
    if (__builtin_expect(mutex->__data.__kind & ROBUST, 0))
        rdl__held_by(self, (uintptr_t)mutex)->robust = true;
    rdl__hb_acquire(self, (uintptr_t)mutex);
    rdl__changed((uintptr_t)mutex);
    return died ? EOWNERDEAD : 0;
}

/* A thread that locks what it has locked: 0 if it may, -1 if it has to wait (for
 * ever), else an error number. */
static int lock_again(pthread_mutex_t *mutex)
{
    switch (kind_of(mutex)) {
    case PTHREAD_MUTEX_RECURSIVE:
        if (mutex->__data.__count == UINT_MAX)
            return EAGAIN;
        mutex->__data.__count++;
        return 0;
    case PTHREAD_MUTEX_ERRORCHECK:
        return EDEADLK;
    default:
        return -1;
    }
}

int rdl__mutex_take(struct rdl__thread *self, pthread_mutex_t *mutex, uintptr_t pc,
                    uint64_t deadline)
{
    struct rdl__op op = rdl__op_on(RDL__OP_LOCK, RDL__ON_MUTEX, mutex, pc);
    int again;

    look_at(self, mutex, pc, "locks");
    if (is_mine(self, mutex) && (again = lock_again(mutex)) >= 0)
        return again;
    if (rdl__await(self, &op, is_free, mutex, deadline) != RDL__READY)
        return ETIMEDOUT;
    look_at(self, mutex, pc, "locks"); /* it may have been destroyed meanwhile */
    return become_owner(self, mutex, pc);
}

/* 0 if the thread may unlock it, else an error number. */
static int may_unlock(const struct rdl__thread *self, const pthread_mutex_t *mutex, uintptr_t pc)
{
    const char *me = rdl__thread_name(self);
    struct rdl__thread *holder;

    look_at(self, mutex, pc, "unlocks");
    if (is_mine(self, mutex))
        return 0;
    if (kind_of(mutex) == PTHREAD_MUTEX_ERRORCHECK || kind_of(mutex) == PTHREAD_MUTEX_RECURSIVE ||
        mutex->__data.__kind & ROBUST)
        return EPERM;
    if (is_free((void *)mutex))
        rdl__wrong_use(pc, "%s unlocks %s, which is not locked", me,
                       rdl__object_name((uintptr_t)mutex, "mutex"));
    holder = rdl__holder((uintptr_t)mutex);
    if (holder)
        rdl__wrong_use(pc, "%s unlocks %s, which %s holds", me,
                       rdl__object_name((uintptr_t)mutex, "mutex"), rdl__thread_name(holder));
    return 0; /* locked before control began, by nobody we know */
}

int rdl__mutex_release(struct rdl__thread *self, pthread_mutex_t *mutex, uintptr_t pc)
{
    int why = may_unlock(self, mutex, pc);

    if (why)
        return why;
    if (kind_of(mutex) == PTHREAD_MUTEX_RECURSIVE && --mutex->__data.__count > 0)
        return mutex->__data.__lock & OWNER_DIED ? ENOTRECOVERABLE : 0; /* it will be */
    mutex->__data.__owner = mutex->__data.__lock & OWNER_DIED ? NOT_RECOVERABLE : 0;
    mutex->__data.__count = 0;
    mutex->__data.__nusers--;
    rdl__hb_release(self, (uintptr_t)mutex);
    rdl__gave(self, (uintptr_t)mutex);
    mutex->__data.__lock = 0;
    rdl__changed((uintptr_t)mutex);
    return 0;
}

/* Does a thread that tries to lock what it has locked get another answer than EBUSY? */
static bool tells_its_owner(const pthread_mutex_t *mutex)
{
    return kind_of(mutex) == PTHREAD_MUTEX_RECURSIVE ||
           (kind_of(mutex) == PTHREAD_MUTEX_ERRORCHECK && mutex->__data.__kind & ROBUST);
}

int rdl__mutex_try(struct rdl__thread *self, pthread_mutex_t *mutex, uintptr_t pc)
{
    struct rdl__op op = rdl__op_try(self, RDL__ON_MUTEX, mutex, pc);

    look_at(self, mutex, pc, "tries to lock");
    rdl__point(self, &op);
    look_at(self, mutex, pc, "tries to lock");
    if (is_mine(self, mutex) && tells_its_owner(mutex))
        return lock_again(mutex);
    if (rdl__is_refused(self, &op, !is_free(mutex) || rdl__fault(RDL__FAULT_TRYLOCK)))
        return EBUSY;
    return become_owner(self, mutex, pc);
}

int rdl__mutex_unlock(struct rdl__thread *self, pthread_mutex_t *mutex, uintptr_t pc)
{
    struct rdl__op op = rdl__op_on(RDL__OP_UNLOCK, RDL__ON_MUTEX, mutex, pc);
    int why;

    rdl__point(self, &op);
    why = rdl__mutex_release(self, mutex, pc);
    if (!why)
        rdl__after(self, pc);
    return why;
}

int rdl__mutex_destroy(struct rdl__thread *self, pthread_mutex_t *mutex, uintptr_t pc)
{
    struct rdl__op op = rdl__op_on(RDL__OP_DESTROY, RDL__ON_MUTEX, mutex, pc);

    look_at(self, mutex, pc, "destroys");
    rdl__point(self, &op);
    if (!is_free(mutex)) {
        struct rdl__thread *holder = rdl__holder((uintptr_t)mutex);

        rdl__wrong_use(pc, "%s destroys %s, which %s holds", rdl__thread_name(self),
                       rdl__object_name((uintptr_t)mutex, "mutex"),
                       holder == self ? "it"
                       : holder       ? rdl__thread_name(holder)
                                      : "somebody else");
    }
    mutex->__data.__kind = DESTROYED;
    return 0;
}

/* ---- Interposed ------------------------------------------------------------------- */

RDL__INTERPOSE int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    struct rdl__thread *self = rdl__self();

    if (!self)
        return RDL__NEXT(pthread_mutex_lock)(mutex);
    return rdl__mutex_take(self, mutex, RDL__CALLER, RDL__FOREVER);
}

RDL__INTERPOSE int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *when)
{
    struct rdl__thread *self = rdl__self();

    if (!self)
        return RDL__NEXT(pthread_mutex_timedlock)(mutex, when);
    return pthread_mutex_clocklock(mutex, CLOCK_REALTIME, when);
}

RDL__INTERPOSE int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock,
                                           const struct timespec *when)
{
    struct rdl__thread *self = rdl__self();

    if (!self)
        return RDL__NEXT(pthread_mutex_clocklock)(mutex, clock, when);
    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
        return EINVAL;
    if (!is_free(mutex) && (when->tv_nsec < 0 || when->tv_nsec >= 1000000000))
        return EINVAL;
    return rdl__mutex_take(self, mutex, RDL__CALLER, rdl__deadline_at(clock, when));
}

RDL__INTERPOSE int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
    struct rdl__thread *self = rdl__self();

    if (!self)
        return RDL__NEXT(pthread_mutex_trylock)(mutex);
    return rdl__mutex_try(self, mutex, RDL__CALLER);
}

RDL__INTERPOSE int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    struct rdl__thread *self = rdl__self();

    if (!self)
        return RDL__NEXT(pthread_mutex_unlock)(mutex);
    return rdl__mutex_unlock(self, mutex, RDL__CALLER);
}

RDL__INTERPOSE int pthread_mutex_destroy(pthread_mutex_t *mutex)
{
    struct rdl__thread *self = rdl__self();

    if (!self)
        return RDL__NEXT(pthread_mutex_destroy)(mutex);
    return rdl__mutex_destroy(self, mutex, RDL__CALLER);
}

RDL__INTERPOSE int pthread_mutex_consistent(pthread_mutex_t *mutex)
{
    struct rdl__thread *self = rdl__self();

    if (!self)
        return RDL__NEXT(pthread_mutex_consistent)(mutex);
    if (!(mutex->__data.__kind & ROBUST) || !(mutex->__data.__lock & OWNER_DIED) ||
        !is_mine(self, mutex))
        return EINVAL;
    mutex->__data.__lock &= ~OWNER_DIED;
    return 0;
}

/* The thread ends while it holds this. */
void rdl__mutex_orphaned(struct rdl__thread *self, uintptr_t object)
{
    pthread_mutex_t *mutex = (pthread_mutex_t *)object;

    mutex->__data.__lock = OWNER_DIED;
    mutex->__data.__owner = 0;
    mutex->__data.__count = 0;
    rdl__hb_release(self, object);
    rdl__changed(object);
}
