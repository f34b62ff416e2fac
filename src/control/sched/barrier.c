/* barrier.c -- barriers.
 *
 * They look as the C library has them.  Who waits is a sleeper (sleeper.h), and does
 * not look at the barrier when it leaves: that may have been destroyed by a thread
 * that left earlier.  Hence all of a round leave, as far as
 * the barrier is concerned, the moment the last one comes.  That one is the thread
 * that gets PTHREAD_BARRIER_SERIAL_THREAD, as it is in the C library. */
#include <errno.h>
#include <limits.h>

#include "control/sched/primitive.h"
#include "control/sched/sleeper.h"

RDL__ASKED_FOR(barrier);

/* What lies in a pthread_barrier_t. */
struct barrier {
    unsigned in;            /* arrivals so far */
    unsigned current_round; /* arrivals that belong to rounds that are complete */
    unsigned count;         /* how many make a round; 0: not a barrier */
    int shared;
    unsigned out; /* who has left */
};

_Static_assert(sizeof(struct barrier) <= sizeof(pthread_barrier_t), "too large");

static const char *name_of(const struct barrier *barrier)
{
    return rdl__object_name((uintptr_t)barrier, "barrier");
}

static void look_at(struct rdl__thread *self, const struct barrier *barrier, const char *verb,
                    uintptr_t pc)
{
    if (barrier->count == 0)
        rdl__wrong_use(pc, "%s %s %s, which was destroyed or never initialised",
                       rdl__thread_name(self), verb, name_of(barrier));
}

/* An address of its own for each of two rounds: who is slow to leave one must not
 * learn from those who have come for the next. */
static uintptr_t round_of(const struct barrier *barrier)
{
    return (uintptr_t)barrier + barrier->current_round / barrier->count % 2;
}

static void end_round(struct barrier *barrier)
{
    struct rdl__sleeper *waiter;

    barrier->current_round += barrier->count;
    barrier->out += barrier->count;
    if (barrier->in > UINT_MAX / 2 - barrier->count)
        barrier->in = barrier->current_round = barrier->out = 0;
    while ((waiter = rdl__next_sleeper((uintptr_t)barrier, NULL)))
        waiter->called = true;
    rdl__changed((uintptr_t)barrier);
}

static int meet(struct rdl__thread *self, struct barrier *barrier, uintptr_t pc)
{
    struct rdl__op op = rdl__op_on(RDL__OP_BARRIER, RDL__ON_BARRIER, barrier, pc);
    __attribute__((cleanup(rdl__get_up))) struct rdl__sleeper me = {.object = 0};
    uintptr_t meeting;

    rdl__point(self, &op);
    look_at(self, barrier, "waits at", pc);
    meeting = round_of(barrier);
    rdl__hb_release(self, meeting);
    if (++barrier->in == barrier->current_round + barrier->count) {
        rdl__hb_acquire(self, meeting);
        end_round(barrier);
        rdl__after(self, pc);
        return PTHREAD_BARRIER_SERIAL_THREAD;
    }
    op.touch = RDL__READS;
    rdl__lie_down(&me, self, (uintptr_t)barrier);
    rdl__await(self, &op, rdl__is_called, &me, RDL__FOREVER);
    rdl__hb_acquire(self, meeting);
    return 0;
}

static void nobody_waits(struct rdl__thread *self, const struct barrier *barrier, const char *verb,
                         uintptr_t pc)
{
    const struct rdl__sleeper *waiter = rdl__next_sleeper((uintptr_t)barrier, NULL);

    if (waiter)
        rdl__wrong_use(pc, "%s %s %s, at which %s waits", rdl__thread_name(self), verb,
                       name_of(barrier), rdl__thread_name(waiter->thread));
}

/* ---- Interposed ------------------------------------------------------------------- */

RDL__INTERPOSE int pthread_barrier_init(pthread_barrier_t *restrict barrier,
                                        const pthread_barrierattr_t *restrict attributes,
                                        unsigned count)
{
    struct rdl__thread *self = rdl__self();

    if (self)
        nobody_waits(self, (struct barrier *)barrier, "initialises", RDL__CALLER);
    return RDL__NEXT(pthread_barrier_init)(barrier, attributes, count);
}

RDL__INTERPOSE int pthread_barrier_wait(pthread_barrier_t *barrier)
{
    struct rdl__thread *self = rdl__self();

    if (!self)
        return RDL__NEXT(pthread_barrier_wait)(barrier);
    return meet(self, (struct barrier *)barrier, RDL__CALLER);
}

RDL__INTERPOSE int pthread_barrier_destroy(pthread_barrier_t *opaque)
{
    struct rdl__thread *self = rdl__self();
    struct barrier *barrier = (struct barrier *)opaque;
    struct rdl__op op;

    if (!self)
        return RDL__NEXT(pthread_barrier_destroy)(opaque);
    op = rdl__op_on(RDL__OP_DESTROY, RDL__ON_BARRIER, barrier, RDL__CALLER);
    rdl__point(self, &op);
    look_at(self, barrier, "destroys", op.pc);
    nobody_waits(self, barrier, "destroys", op.pc);
    barrier->count = 0;
    return 0;
}
