/* races.h -- the data races that an execution has met.
 *
 * A race does not end an execution, since its consequences say more than the race itself: a
 * crash, a failed check, a deadlock.  So races are collected while the execution goes on, and
 * judged when it is over (run/execute.c).  Only who looks for one race ends the execution there.
 *
 * A race is only suspected if it would be none, provided that code which does not tell of its
 * accesses puts all that comes before it in order with all that comes after it (order.c).  Such a
 * race is no failure.
 *
 * A race is known by its two places in the code, in whatever order they were reached.  It lies
 * on the board that a worker shares with its parent, and so it holds no pointers. */
#ifndef RDL__RACES_H
#define RDL__RACES_H

#include <stdbool.h>
#include <stdint.h>

#include "case/block.h"
#include "observe/steps.h"

enum {
    RDL__RACES_MAX = 64,     /* of one execution; */
    RDL__SUSPECTED_MAX = 32, /* when there are so many, none is taken in that is only suspected */
};

/* One of two accesses that race. */
struct rdl__racing {
    uintptr_t pc;
    uint32_t size; /* bytes */
    uint32_t how;  /* RDL__HOW_WRITE and the like */
    char thread[48];
    struct rdl__callers callers; /* of the earlier one: known only while steps are recorded */
};

struct rdl__race {
    /* Equal for races at the same two places, in no order; if races are told apart by their
     * callers, only if these and the variable are the same, too.  A suspected race is another one.
     * Never 0. */
    uint64_t origin;
    uintptr_t address; /* of the first byte that both access */
    uint32_t owner;    /* 1 + the thread on whose stack it lies; 0: it does not */
    bool suspected;    /* code that is not seen may put the two in order */
    uintptr_t frame,
        frame_pc;            /* of the function on that stack whose local it is: where its caller's
                                  begins, and how far it has come; 0: not known */
    struct rdl__block block; /* that it lies in */
    struct rdl__racing earlier, later;
};

struct rdl__races {
    uint32_t count; /* distinct ones, in the order in which they were met */
    struct rdl__race met[RDL__RACES_MAX];
};

/* Instead of an origin: of any race. */
#define RDL__ANY_RACE UINT64_MAX

#endif
