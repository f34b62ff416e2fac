/* limits.h -- facts that limit what a pass may claim.
 *
 * A part of Raddle that meets something it cannot see, repeat or undo adds a fact here and
 * goes on.  Facts travel with the summary of an execution, then with the board of a worker,
 * to the parent, where one place composes the sentence about coverage (check/covered.h).
 * No part but that one claims anything. */
#ifndef RDL__LIMITS_H
#define RDL__LIMITS_H

#include <stdbool.h>
#include <stdint.h>

enum rdl__limit_kind {
    /* Code without instrumentation ran while another thread was alive.  `what` is the
     * function, or pc an address in it; `where` is its module. */
    RDL__LIMIT_UNSEEN,
    /* A call whose effect is not in the table of calls (control/sched/calls.def), or assembly in
     * the function `where` that may touch any memory. */
    RDL__LIMIT_UNKNOWN,
    /* A bound was met, so that some schedules were not tried.  `what` is a noun phrase that
     * names the bound: "time-outs end only when no thread can run". */
    RDL__LIMIT_BOUND,
    /* Executions do not begin alike.  `what` completes "executions do not begin alike: ...". */
    RDL__LIMIT_UNLIKE,
    /* A process that was started and not controlled.  `what` is its program. */
    RDL__LIMIT_PROCESS,
    RDL__LIMIT_KINDS,
};

enum { RDL__LIMITS_MAX = 128, RDL__LIMIT_ROOM = 96 };

struct rdl__limit {
    uint8_t kind;
    uint64_t count; /* how often it was met */
    uintptr_t pc;   /* 0: `what` is known */
    char what[RDL__LIMIT_ROOM];
    char where[RDL__LIMIT_ROOM]; /* "": nothing to say */
};

struct rdl__limits {
    uint32_t count;
    bool more; /* there was no room for some */
    struct rdl__limit all[RDL__LIMITS_MAX];
};

/* Facts that are equal in all but their count are one.  `where` may be NULL, which is as "". */
void rdl__limits_add(struct rdl__limits *to, enum rdl__limit_kind kind, const char *what,
                     const char *where);
void rdl__limits_add_pc(struct rdl__limits *to, enum rdl__limit_kind kind, uintptr_t pc);
void rdl__limits_merge(struct rdl__limits *to, const struct rdl__limits *from);

static inline void rdl__limits_clear(struct rdl__limits *limits)
{
    limits->count = 0;
    limits->more = false;
}

static inline bool rdl__limits_has(const struct rdl__limits *limits, enum rdl__limit_kind kind)
{
    for (uint32_t i = 0; i < limits->count; i++)
        if (limits->all[i].kind == kind)
            return true;
    return false;
}

#endif
