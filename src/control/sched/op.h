/* op.h -- what a thread is about to do: an operation that other threads can see.
 *
 * Threads are switched only before operations, so between two of them a thread
 * runs undisturbed.  Whoever decides which thread is next sees, of every thread,
 * the operation it stands before. */
#ifndef RDL__OP_H
#define RDL__OP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum rdl__op_kind {
    RDL__OP_START, /* of a thread: what it does before its first operation */
    RDL__OP_CREATE,
    RDL__OP_JOIN,
    RDL__OP_LOCK,
    RDL__OP_TRYLOCK,
    RDL__OP_UNLOCK,
    RDL__OP_READ_LOCK,
    RDL__OP_WRITE_LOCK,
    RDL__OP_WAIT, /* on a condition: gives up the mutex, too */
    RDL__OP_SIGNAL,
    RDL__OP_BROADCAST,
    RDL__OP_DOWN, /* of a semaphore */
    RDL__OP_UP,
    RDL__OP_BARRIER,
    RDL__OP_ONCE,
    RDL__OP_FUTEX_WAIT,
    RDL__OP_FUTEX_WAKE,
    RDL__OP_READ, /* of memory */
    RDL__OP_WRITE,
    RDL__OP_ATOMIC,
    RDL__OP_YIELD,
    RDL__OP_SLEEP,
    RDL__OP_IO,
    RDL__OP_SIGNAL_WAIT, /* for a signal of the process */
    RDL__OP_DESTROY,
    RDL__OP_QUIET,  /* wait until no other thread can run */
    RDL__OP_STEP,   /* between two operations: what cannot be seen may happen here */
    RDL__OP_TEAM,   /* what threads do together, in a library of its own */
    RDL__OP_CALL,   /* wait to be given something to do, and do it */
    RDL__OP_EMIT,   /* an event of a stream */
    RDL__OP_EVENT,  /* wait for one */
    RDL__OP_TICK,   /* wait for a time of the test clock */
    RDL__OP_GATE,   /* wait at a gate, or for somebody to come there */
    RDL__OP_MOCKED, /* call a function that is mocked, which may keep it waiting */
    RDL__OP_UNSEEN, /* enter code that does not tell of its accesses to memory */
    RDL__OP_LOOK,   /* look whether a thread has ended */
    RDL__OP_END,    /* of a thread, in executions in which others look */
    RDL__OP_EXIT,   /* end the process, and with it every thread where it stands */
};

/* What an operation is done to. */
enum rdl__thing {
    RDL__ON_MEMORY, /* memory, or something that has no name of its own */
    RDL__ON_MUTEX,
    RDL__ON_SPIN_LOCK,
    RDL__ON_RWLOCK,
    RDL__ON_STREAM,
    RDL__ON_CONDITION,
    RDL__ON_SEMAPHORE,
    RDL__ON_BARRIER,
    RDL__ON_ONCE,
    RDL__ON_FUTEX,
    RDL__ON_QUEUE,    /* of messages, or a semaphore of System V */
    RDL__ON_CRITICAL, /* section of OpenMP */
    RDL__ON_LOCK,     /* of OpenMP */
};

/* How an operation touches its objects. */
enum rdl__touch { RDL__TOUCHES_NOTHING, RDL__READS, RDL__WRITES };

struct rdl__op {
    uint8_t kind;
    uint8_t touch;
    uint8_t thing;    /* what the object is */
    uint8_t flags;    /* RDL__OP_POLITE and the like */
    uint32_t size;    /* bytes touched, from object on; at least 1 if it touches anything */
    uintptr_t object; /* an address; 0: none */
    uintptr_t also;   /* a second object that is written, such as a condition's mutex, or read
                         (RDL__OP_ALSO_READS); 0: none */
    uintptr_t pc;     /* where in the code under test: the return address of the call */
};

/* All but the object and the place.  An operation has just been written field by field, and whoever
 * copied two fields at once would have to wait for these writes. */
static inline void rdl__op_copy_manner(struct rdl__op *to, const struct rdl__op *from)
{
    memcpy(to, from, offsetof(struct rdl__op, object));
    to->also = from->also;
}

enum {
    RDL__OP_POLITE = 1,     /* the thread offers its turn to others */
    RDL__OP_WORLD = 2,      /* it may touch anything that another operation touches */
    RDL__OP_BREAKS = 4,     /* its order with every other operation matters: it ends or interrupts
                               what another thread does next, or touches what nobody can tell */
    RDL__OP_ALSO_READS = 8, /* the second object is read, not written */
};

static inline bool rdl__overlap(uintptr_t a, uint32_t a_size, uintptr_t b, uint32_t b_size)
{
    return a < b + b_size && b < a + a_size;
}

static inline bool rdl__also_writes(const struct rdl__op *op)
{
    return !(op->flags & RDL__OP_ALSO_READS);
}

/* Does the second object of one of them overlap with the first of the other? */
static inline bool rdl__conflict_also(const struct rdl__op *a, const struct rdl__op *b)
{
    return a->also && b->touch && (rdl__also_writes(a) || b->touch == RDL__WRITES) &&
           rdl__overlap(b->object, b->size, a->also, 1);
}

/* Does the order of these two, done by different threads, matter for what they touch? */
static inline bool rdl__conflict(const struct rdl__op *a, const struct rdl__op *b)
{
    if ((a->touch == RDL__WRITES || b->touch == RDL__WRITES) && a->touch && b->touch &&
        rdl__overlap(a->object, a->size, b->object, b->size))
        return true;
    if (a->also && a->also == b->also && (rdl__also_writes(a) || rdl__also_writes(b)))
        return true;
    return rdl__conflict_also(a, b) || rdl__conflict_also(b, a);
}

static inline bool rdl__touches(const struct rdl__op *op)
{
    return op->touch || op->also || op->flags & RDL__OP_WORLD;
}

/* Does the order of these two matter?  `by_calls`: code that is not seen is taken not to touch
 * what other threads touch. */
static inline bool rdl__depends(const struct rdl__op *a, const struct rdl__op *b, bool by_calls)
{
    if ((a->flags | b->flags) & RDL__OP_BREAKS)
        return true;
    if (!by_calls && (a->flags | b->flags) & RDL__OP_WORLD)
        return rdl__touches(a) && rdl__touches(b);
    return rdl__conflict(a, b);
}

#endif
