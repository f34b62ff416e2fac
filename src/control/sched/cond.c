/* cond.c -- condition variables.
 *
 * Who waits is not kept in the condition: waiters are sleepers (sleeper.h).  So one
 * that was woken never looks at the condition again, which may be gone by then.  Of
 * the C library's fields we read only which clock was chosen; all others stay as
 * they are while nobody waits.
 *
 * A signal wakes any one of those who wait: which one is a choice, the simplest
 * being the one that has waited longest.  It orders no memory; only the mutex
 * does, since a wake-up might have been a spurious one. */
#include "control/sched/cond.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "control/meet.h"
#include "control/sched/cond_free.h"
#include "control/sched/inner.h"
#include "control/sched/mutex.h"
#include "control/sched/primitive.h"
#include "control/sched/sleeper.h"

enum {
    MUTEX_KIND = 3, /* in __kind */
    MUTEX_ROBUST = 16,
};

/* A destroyed condition begins with this; a counter that the C library begins at 0. */
#define DESTROYED UINT64_C(0xdead0c04d0dead0c)

struct waiter {
    struct rdl__sleeper sleeper; /* first: a waiter is a sleeper */
    pthread_mutex_t *mutex;
    bool has_mutex;
    uintptr_t pc;
};

/* Conditions that were last signalled while nobody waited; the latest ones. */
static struct rdl__vain_signal in_vain[16];
static unsigned in_vain_count;

void rdl__conds_begin(void)
{
    if (in_vain_count > 0)
        memset(in_vain, 0, sizeof in_vain);
    in_vain_count = 0;
}

const struct rdl__vain_signal *rdl__signalled_in_vain(uintptr_t condition)
{
    for (size_t i = 0; i < sizeof in_vain / sizeof *in_vain; i++)
        if (in_vain[i].condition == condition)
            return &in_vain[i];
    return NULL;
}

static void note_signal(const struct rdl__thread *self, const pthread_cond_t *cond, bool heard,
                        uintptr_t pc)
{
    struct rdl__vain_signal *signal;

    for (size_t i = 0; i < sizeof in_vain / sizeof *in_vain; i++)
        if (in_vain[i].condition == (uintptr_t)cond)
            in_vain[i].condition = 0;
    if (heard)
        return;
    signal = &in_vain[in_vain_count++ % (sizeof in_vain / sizeof *in_vain)];
    *signal = (struct rdl__vain_signal){.condition = (uintptr_t)cond, .pc = rdl__blamed(self, pc)};
    snprintf(signal->by, sizeof signal->by, "%s", rdl__thread_name(self));
}

static uint64_t *mark_of(pthread_cond_t *cond)
{
    return (uint64_t *)&cond->__data.__wseq;
}

static void look_at(const struct rdl__thread *self, pthread_cond_t *cond, const char *verb,
                    uintptr_t pc)
{
    if (*mark_of(cond) == DESTROYED)
        rdl__wrong_use(pc, "%s %s %s, which has been destroyed", rdl__thread_name(self), verb,
                       rdl__object_name((uintptr_t)cond, "condition"));
}

static bool is_cancelled(const struct rdl__thread *thread)
{
    return thread->cancelled && thread->cancel_state == PTHREAD_CANCEL_ENABLE && !thread->exiting;
}

/* The next one after this one (NULL: the first) that waits and has been neither
 * signalled nor cancelled: a signal must not go to who does not need it any more. */
static struct rdl__sleeper *next_waiter(const pthread_cond_t *cond,
                                        const struct rdl__sleeper *after)
{
    struct rdl__sleeper *waiter = rdl__next_sleeper((uintptr_t)cond, after);

    while (waiter && is_cancelled(waiter->thread))
        waiter = rdl__next_sleeper((uintptr_t)cond, waiter);
    return waiter;
}

/* Mutexes that know their owner refuse by themselves to be unlocked by others. */
static void look_at_mutex(struct rdl__thread *self, pthread_cond_t *cond, pthread_mutex_t *mutex,
                          uintptr_t pc)
{
    int kind = mutex->__data.__kind & MUTEX_KIND;
    struct rdl__thread *holder;
    const char *condition;

    if (rdl__held_by(self, (uintptr_t)mutex) || kind == PTHREAD_MUTEX_RECURSIVE ||
        kind == PTHREAD_MUTEX_ERRORCHECK || mutex->__data.__kind & MUTEX_ROBUST)
        return;
    holder = rdl__holder((uintptr_t)mutex);
    if (!holder && mutex->__data.__lock != 0)
        return; /* locked before control began */
    condition = rdl__object_name((uintptr_t)cond, "condition");
    rdl__wrong_use(pc, "%s waits on %s with %s, which %s%s", rdl__thread_name(self), condition,
                   rdl__object_name((uintptr_t)mutex, "mutex"),
                   holder ? rdl__thread_name(holder) : "is not locked", holder ? " holds" : "");
}

/* All who wait at a time have to do so with the same mutex. */
static void look_at_others(struct rdl__thread *self, pthread_cond_t *cond, pthread_mutex_t *mutex,
                           uintptr_t pc)
{
    struct waiter *other = (struct waiter *)next_waiter(cond, NULL);
    const char *condition, *first, *second;

    if (!other || other->mutex == mutex)
        return;
    condition = rdl__object_name((uintptr_t)cond, "condition");
    first = rdl__object_name((uintptr_t)other->mutex, "mutex");
    second = rdl__object_name((uintptr_t)mutex, "mutex");
    rdl__wrong_use(pc, "%s waits on %s with %s while %s does with %s", rdl__thread_name(self),
                   condition, second, rdl__thread_name(other->sleeper.thread), first);
}

/* The end of a wait, also when the thread ends within a signal handler that ran
 * while it waited: whoever cleans up after it relies on the mutex being locked. */
static void end_wait(struct waiter *me)
{
    rdl__get_up(&me->sleeper);
    if (!me->has_mutex)
        rdl__mutex_take(me->sleeper.thread, me->mutex, me->pc, RDL__FOREVER);
}

static enum rdl__woken sleep_on(struct waiter *me, const pthread_cond_t *cond, uint64_t deadline)
{
    struct rdl__thread *self = me->sleeper.thread;
    struct rdl__op op = rdl__op_on(RDL__OP_WAIT, RDL__ON_CONDITION, cond, me->pc);
    enum rdl__woken woken;

    if (rdl__fault(RDL__FAULT_SPURIOUS))
        return RDL__READY;
    if (deadline == RDL__FOREVER)
        op.touch = RDL__READS; /* who is signalled has left already */
    for (;;) {
        woken = rdl__await_interruptibly(self, &op, rdl__is_called, me, deadline);
        if (woken != RDL__INTERRUPTED || is_cancelled(self))
            return woken;
        rdl__handle_signals(self);
    }
}

/* Give the mutex up, wait, and get it back. */
static int wait_without(struct rdl__thread *self, pthread_cond_t *cond, pthread_mutex_t *mutex,
                        uint64_t deadline, uintptr_t pc)
{
    __attribute__((cleanup(end_wait))) struct waiter me = {.mutex = mutex, .pc = pc};
    enum rdl__woken woken;
    int why;

    rdl__lie_down(&me.sleeper, self, (uintptr_t)cond);
    me.has_mutex = true;
    why = rdl__mutex_release(self, mutex, pc);
    if (why)
        return why;
    me.has_mutex = false;
    woken = sleep_on(&me, cond, deadline);
    rdl__get_up(&me.sleeper);
    rdl__wake_pass(pc);
    why = rdl__mutex_take(self, mutex, pc, RDL__FOREVER);
    me.has_mutex = true;
    if (woken == RDL__INTERRUPTED)
        rdl__test_cancel(self);
    rdl__miss_cancel(self);
    if (why)
        return why;
    return woken == RDL__TIMED_OUT ? ETIMEDOUT : 0;
}

int rdl__cond_wait(struct rdl__thread *self, pthread_cond_t *cond, pthread_mutex_t *mutex,
                   uint64_t deadline, uintptr_t pc)
{
    struct rdl__op op = rdl__op_on(RDL__OP_WAIT, RDL__ON_CONDITION, cond, pc);

    op.also = (uintptr_t)mutex;
    rdl__point(self, &op);
    rdl__test_cancel(self);
    look_at(self, cond, "waits on", pc);
    look_at_mutex(self, cond, mutex, pc);
    look_at_others(self, cond, mutex, pc);
    return wait_without(self, cond, mutex, deadline, pc);
}

/* Whom an order names, or any one; NULL: nobody waits. */
static struct rdl__sleeper *choose_waiter(const pthread_cond_t *cond)
{
    struct rdl__sleeper *waiter = NULL, *named = NULL;
    unsigned best = RDL__WAKE_UNNAMED;
    uint32_t count = 0;

    while ((waiter = next_waiter(cond, waiter))) {
        unsigned rank = rdl__wake_rank(rdl__thread_name(waiter->thread));

        if (rank < best)
            named = waiter;
        best = rank < best ? rank : best;
        count++;
    }
    if (named || count == 0)
        return named;
    waiter = next_waiter(cond, NULL);
    for (uint32_t chosen = rdl__pick_one(count - 1); chosen > 0; chosen--)
        waiter = next_waiter(cond, waiter);
    return waiter;
}

void rdl__cond_signal(struct rdl__thread *self, pthread_cond_t *cond, uintptr_t pc)
{
    struct rdl__op op = rdl__op_on(RDL__OP_SIGNAL, RDL__ON_CONDITION, cond, pc);
    struct rdl__sleeper *waiter;

    rdl__point(self, &op);
    look_at(self, cond, "signals", pc);
    note_signal(self, cond, next_waiter(cond, NULL), pc);
    if ((waiter = choose_waiter(cond))) {
        waiter->called = true;
        rdl__changed((uintptr_t)cond);
    }
    rdl__after(self, pc);
}

void rdl__cond_broadcast(struct rdl__thread *self, pthread_cond_t *cond, uintptr_t pc)
{
    struct rdl__op op = rdl__op_on(RDL__OP_BROADCAST, RDL__ON_CONDITION, cond, pc);
    struct rdl__sleeper *waiter;

    rdl__point(self, &op);
    look_at(self, cond, "broadcasts on", pc);
    note_signal(self, cond, next_waiter(cond, NULL), pc);
    while ((waiter = next_waiter(cond, NULL)))
        waiter->called = true;
    rdl__changed((uintptr_t)cond);
    rdl__after(self, pc);
}

static void nobody_waits(struct rdl__thread *self, pthread_cond_t *cond, const char *verb,
                         uintptr_t pc)
{
    const struct rdl__sleeper *waiter = next_waiter(cond, NULL);

    if (waiter)
        rdl__wrong_use(pc, "%s %s %s, on which %s waits", rdl__thread_name(self), verb,
                       rdl__object_name((uintptr_t)cond, "condition"),
                       rdl__thread_name(waiter->thread));
}

void rdl__cond_destroy(struct rdl__thread *self, pthread_cond_t *cond, uintptr_t pc)
{
    struct rdl__op op = rdl__op_on(RDL__OP_DESTROY, RDL__ON_CONDITION, cond, pc);

    rdl__point(self, &op);
    look_at(self, cond, "destroys", pc);
    nobody_waits(self, cond, "destroys", pc);
    *mark_of(cond) = DESTROYED;
}

/* ---- Interposed ------------------------------------------------------------------- */

RDL__INTERPOSE int pthread_cond_init(pthread_cond_t *restrict cond,
                                     const pthread_condattr_t *restrict attributes)
{
    struct rdl__thread *self = rdl__self();

    if (self)
        nobody_waits(self, cond, "initialises", RDL__CALLER);
    else
        rdl__cond_forget_freely(cond);
    return RDL__NEXT(pthread_cond_init)(cond, attributes);
}

RDL__INTERPOSE int pthread_cond_destroy(pthread_cond_t *cond)
{
    struct rdl__thread *self = rdl__self();

    if (!self)
        return RDL__NEXT(pthread_cond_destroy)(cond);
    rdl__cond_destroy(self, cond, RDL__CALLER);
    return 0;
}

RDL__INTERPOSE int pthread_cond_wait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex)
{
    struct rdl__thread *self = rdl__self();

    if (!self)
        return rdl__waits_in_order() ? rdl__cond_wait_freely(cond, mutex, 0, NULL, RDL__CALLER)
                                     : RDL__NEXT(pthread_cond_wait)(cond, mutex);
    return rdl__cond_wait(self, cond, mutex, RDL__FOREVER, RDL__CALLER);
}

RDL__INTERPOSE int pthread_cond_timedwait(pthread_cond_t *restrict cond,
                                          pthread_mutex_t *restrict mutex,
                                          const struct timespec *restrict when)
{
    struct rdl__thread *self = rdl__self();
    clockid_t clock;

    if (!self)
        return rdl__waits_in_order()
                   ? rdl__cond_wait_freely(cond, mutex, rdl__cond_clock(cond), when, RDL__CALLER)
                   : RDL__NEXT(pthread_cond_timedwait)(cond, mutex, when);
    clock = rdl__cond_clock(cond);
    if (!rdl__is_time(clock, when))
        return EINVAL;
    return rdl__cond_wait(self, cond, mutex, rdl__deadline_at(clock, when), RDL__CALLER);
}

RDL__INTERPOSE int pthread_cond_clockwait(pthread_cond_t *restrict cond,
                                          pthread_mutex_t *restrict mutex, clockid_t clock,
                                          const struct timespec *restrict when)
{
    struct rdl__thread *self = rdl__self();

    if (!self)
        return rdl__waits_in_order() ? rdl__cond_wait_freely(cond, mutex, clock, when, RDL__CALLER)
                                     : RDL__NEXT(pthread_cond_clockwait)(cond, mutex, clock, when);
    if (!rdl__is_time(clock, when))
        return EINVAL;
    return rdl__cond_wait(self, cond, mutex, rdl__deadline_at(clock, when), RDL__CALLER);
}

RDL__INTERPOSE int pthread_cond_signal(pthread_cond_t *cond)
{
    struct rdl__thread *self = rdl__self();

    if (!self)
        return rdl__cond_signal_freely(cond) ? 0 : RDL__NEXT(pthread_cond_signal)(cond);
    rdl__cond_signal(self, cond, RDL__CALLER);
    return 0;
}

RDL__INTERPOSE int pthread_cond_broadcast(pthread_cond_t *cond)
{
    struct rdl__thread *self = rdl__self();

    if (!self) {
        rdl__cond_broadcast_freely(cond);
        return RDL__NEXT(pthread_cond_broadcast)(cond);
    }
    rdl__cond_broadcast(self, cond, RDL__CALLER);
    return 0;
}
