/* primitive.h -- what the files of primitives share. */
#ifndef RDL__PRIMITIVE_H
#define RDL__PRIMITIVE_H

#include <time.h>

#include "control/sched/next.h"
#include "control/sched/sched.h"

/* Bytes of an object: its fields can be read as any other memory. */
static inline uint32_t rdl__size_of(enum rdl__thing thing)
{
    switch (thing) {
    case RDL__ON_MUTEX:
        return sizeof(pthread_mutex_t);
    case RDL__ON_RWLOCK:
        return sizeof(pthread_rwlock_t);
    case RDL__ON_CONDITION:
        return sizeof(pthread_cond_t);
    case RDL__ON_BARRIER:
        return sizeof(pthread_barrier_t);
    default:
        return 1; /* one number, which is all there is to read */
    }
}

/* An operation that changes the object. */
static inline struct rdl__op rdl__op_on(enum rdl__op_kind kind, enum rdl__thing thing,
                                        const volatile void *object, uintptr_t pc)
{
    return (struct rdl__op){.kind = kind,
                            .touch = RDL__WRITES,
                            .thing = thing,
                            .size = rdl__size_of(thing),
                            .object = (uintptr_t)object,
                            .pc = pc};
}

/* To try to get a lock, and to try again after that was refused, is to wait. */
static inline struct rdl__op rdl__op_try(const struct rdl__thread *self, enum rdl__thing thing,
                                         const volatile void *object, uintptr_t pc)
{
    struct rdl__op op = rdl__op_on(RDL__OP_TRYLOCK, thing, object, pc);

    if (self->refused_at == pc)
        op.flags = RDL__OP_POLITE;
    return op;
}

/* Was it refused?  Remember that. */
static inline bool rdl__is_refused(struct rdl__thread *self, const struct rdl__op *op, bool refused)
{
    if (refused || self->refused_at == op->pc)
        self->refused_at = refused ? op->pc : 0;
    return refused;
}

/* Does the C library take this for the end of a wait? */
static inline bool rdl__is_time(clockid_t clock, const struct timespec *when)
{
    return (clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC) && when->tv_nsec >= 0 &&
           when->tv_nsec < 1000000000;
}

/* The next thread, from number *at on, that waits at this object for an operation
 * of this kind; NULL: there is none.  *at becomes the number after it. */
static inline struct rdl__thread *rdl__next_waiter(const volatile void *object,
                                                   enum rdl__op_kind kind, uint32_t *at)
{
    while (*at < rdl__sched.view.threads) {
        uint32_t id = (*at)++;

        if (rdl__sched.awaited[id] == (uintptr_t)object && rdl__sched.view.ops[id].kind == kind &&
            rdl__sched.threads[id] != rdl__running)
            return rdl__sched.threads[id];
    }
    return NULL;
}

#endif
