/* cond_free.c -- conditions that free threads wait for, in a case whose order says who is woken.
 *
 * The C library wakes whom it likes, and who is woken has the mutex before anybody could hold it.
 * So these threads wait for a bell of their own.  A signal rings that of the one that the order
 * names first, else of the one that has waited longest; and whoever is woken stands at a gate
 * before it takes the mutex back.  The rules of POSIX allow all of this.
 *
 * Invariant:  a waiter is in the list from before it gives up the mutex until it has been called
 *             or its time is over.  All of that under the lock. */
#include "control/sched/cond_free.h"

#include <errno.h>
#include <string.h>

#include "control/meet.h"
#include "control/sched/next.h"
#include "port/hook.h"

struct waiter {
    const pthread_cond_t *cond;
    pthread_mutex_t *mutex;
    char thread[RDL__MEET_NAME];
    pthread_cond_t bell;
    bool is_called;
    struct waiter *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct waiter *waiters; /* who has waited longest comes first */

bool rdl__waits_in_order(void)
{
    /* What we wait for ourselves is no matter of the order. */
    return rdl__wakes_ordered && !rdl__hooks_are_passed();
}

clockid_t rdl__cond_clock(const pthread_cond_t *cond)
{
    enum { IS_MONOTONIC = 2 }; /* in __wrefs, as the C library has it */

    return cond->__data.__wrefs & IS_MONOTONIC ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

/* ---- Waiting -------------------------------------------------------------------------------- */

static void append(struct waiter *waiter)
{
    struct waiter **at = &waiters;

    pthread_mutex_lock(&lock);
    while (*at)
        at = &(*at)->next;
    *at = waiter;
    pthread_mutex_unlock(&lock);
}

/* Under the lock. */
static void take_out(const struct waiter *waiter)
{
    struct waiter **at = &waiters;

    while (*at && *at != waiter)
        at = &(*at)->next;
    if (*at)
        *at = waiter->next;
}

/* A thread that is cancelled meanwhile has the lock, and is to have the mutex. */
static void give_up(void *it)
{
    const struct waiter *waiter = it;

    take_out(waiter);
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(waiter->mutex);
}

static int wait_for_bell(struct waiter *me, clockid_t clock, const struct timespec *when)
{
    int why = 0;

    pthread_mutex_lock(&lock);
    pthread_cleanup_push(give_up, me);
    while (!me->is_called && why == 0)
        why = when ? RDL__NEXT(pthread_cond_clockwait)(&me->bell, &lock, clock, when)
                   : RDL__NEXT(pthread_cond_wait)(&me->bell, &lock);
    pthread_cleanup_pop(0);
    take_out(me);
    pthread_mutex_unlock(&lock);
    return me->is_called ? 0 : why;
}

int rdl__cond_wait_freely(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock,
                          const struct timespec *when, uintptr_t pc)
{
    struct waiter me = {.cond = cond, .mutex = mutex, .bell = PTHREAD_COND_INITIALIZER};
    int why, again;

    rdl__meet_name(me.thread);
    append(&me);
    why = pthread_mutex_unlock(mutex);
    if (why) {
        pthread_mutex_lock(&lock);
        take_out(&me);
        pthread_mutex_unlock(&lock);
        return why;
    }
    why = wait_for_bell(&me, clock, when);
    rdl__wake_pass(pc);
    again = pthread_mutex_lock(mutex); /* its owner may have died meanwhile */
    return again ? again : why;
}

void rdl__cond_forget_freely(const pthread_cond_t *cond)
{
    if (!__atomic_load_n(&waiters, __ATOMIC_SEQ_CST))
        return;
    pthread_mutex_lock(&lock);
    for (struct waiter **at = &waiters; *at;)
        if ((*at)->cond == cond)
            *at = (*at)->next;
        else
            at = &(*at)->next;
    pthread_mutex_unlock(&lock);
}

/* ---- Waking --------------------------------------------------------------------------------- */

static void call(struct waiter *waiter)
{
    waiter->is_called = true;
    RDL__NEXT(pthread_cond_signal)(&waiter->bell);
}

static bool is_for(const struct waiter *waiter, const pthread_cond_t *cond)
{
    return waiter->cond == cond && !waiter->is_called;
}

bool rdl__cond_signal_freely(const pthread_cond_t *cond)
{
    struct waiter *best = NULL;
    unsigned best_rank = 0;

    if (!__atomic_load_n(&waiters, __ATOMIC_SEQ_CST))
        return false;
    pthread_mutex_lock(&lock);
    for (struct waiter *waiter = waiters; waiter; waiter = waiter->next) {
        unsigned rank = is_for(waiter, cond) ? rdl__wake_rank(waiter->thread) : 0;

        if (is_for(waiter, cond) && (!best || rank < best_rank)) {
            best = waiter;
            best_rank = rank;
        }
    }
    if (best)
        call(best);
    pthread_mutex_unlock(&lock);
    return best;
}

void rdl__cond_broadcast_freely(const pthread_cond_t *cond)
{
    if (!__atomic_load_n(&waiters, __ATOMIC_SEQ_CST))
        return;
    pthread_mutex_lock(&lock);
    for (struct waiter *waiter = waiters; waiter; waiter = waiter->next)
        if (is_for(waiter, cond))
            call(waiter);
    pthread_mutex_unlock(&lock);
}
