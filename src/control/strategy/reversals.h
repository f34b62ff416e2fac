/* reversals.h -- which operations of an execution could have come in another order?
 *
 * The analysis behind dynamic partial order reduction.  Two operations of different
 * threads race if they conflict and nothing else orders them.  For each race we see
 * to it that the other order will be tried: at the turn of the earlier one somebody
 * is to be tried with whom an execution can begin that has the later one first. */
#ifndef RDL__REVERSALS_H
#define RDL__REVERSALS_H

#include "control/strategy/path.h"
#include "control/strategy/touched.h"

/* A thread's number is used again when it has ended, so here threads are counted
 * anew: as lives.  Numbers of log entries are kept plus one; 0 means none. */
struct rdl__reversals {
    uint32_t *clocks; /* per log entry: for each life, its last entry that happened before */
    uint32_t lives_room, clock_room;

    struct rdl__happened *events; /* per log entry */
    struct rdl__touched touched;  /* if the log is long */

    /* While a log is read. */
    bool by_calls, is_long;
    bool breaks;          /* there is an operation that depends on all others */
    bool exits;           /* the last one ended the process */
    uint64_t effort;      /* entries looked at to find out whom to try */
    uint32_t life_of[64]; /* thread to life, plus one */
    uint32_t created[64]; /* where it was created */
    uint32_t waker[64];   /* whose operation made it able to go, while it stands before one */
    uint32_t lives;
    uint32_t *last;   /* per life: its last entry so far */
    uint32_t *latest; /* per life: its last entry that conflicts with the one looked at */
    uint32_t *first;  /* per life: its first entry among those to be had first */
    struct rdl__found *found;
    uint32_t found_count, found_room;
};

void rdl__reversals_release(struct rdl__reversals *known);

/* Look at the path's turns from `first` on, those before are as they were, and mark
 * whom to try.  False: it would take too long. */
bool rdl__reversals_find(struct rdl__reversals *known, struct rdl__path *path,
                         const struct rdl__summary *summary, uint32_t first, bool by_calls);

#endif
