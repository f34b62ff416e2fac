/* op.h -- what a thread is about to do: an operation that other threads can see.
 *
 * Threads are switched only before operations, so between two of them a thread
 * runs undisturbed.  Whoever decides which thread is next sees, of every thread,
 * the operation it stands before. */
#ifndef RDL__OP_H
#define RDL__OP_H

#include <stdbool.h>
#include <stdint.h>

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
    RDL__ON_CRITICAL, /* section of OpenMP */
    RDL__ON_LOCK,     /* of OpenMP */
};

/* How an operation touches its objects. */
enum rdl__touch { RDL__TOUCHES_NOTHING, RDL__READS, RDL__WRITES };

struct rdl__op {
    uint8_t kind;
    uint8_t touch;
    uint8_t thing;    /* what the object is */
    uint8_t flags;    /* RDL__OP_POLITE: the thread offers its turn to others */
    uint32_t size;    /* bytes touched, from object on; at least 1 if it touches anything */
    uintptr_t object; /* an address; 0: none */
    uintptr_t also;   /* a second object that is written, such as a condition's mutex; 0: none */
    uintptr_t pc;     /* where in the code under test: the return address of the call */
};

enum { RDL__OP_POLITE = 1 };

static inline bool rdl__overlap(uintptr_t a, uint32_t a_size, uintptr_t b, uint32_t b_size)
{
    return a < b + b_size && b < a + a_size;
}

/* Does the order of these two, done by different threads, matter? */
static inline bool rdl__conflict(const struct rdl__op *a, const struct rdl__op *b)
{
    if ((a->touch == RDL__WRITES || b->touch == RDL__WRITES) && a->touch && b->touch &&
        rdl__overlap(a->object, a->size, b->object, b->size))
        return true;
    if (a->also &&
        ((b->touch && rdl__overlap(b->object, b->size, a->also, 1)) || a->also == b->also))
        return true;
    return b->also && a->touch && rdl__overlap(a->object, a->size, b->also, 1);
}

#endif
