/* fair.h -- for a systematic search: nobody waits politely for ever.
 *
 * A thread that asks again and again whether another is done would make infinitely
 * many schedules.  So, as in fair stateless model checking (Musuvathi and Qadeer,
 * PLDI 2008): a thread that was polite, went on, and is polite again has to let
 * those go first who could have gone in between and did not.  The first time at each
 * place in the code is free: what is not a loop loses no schedule.  No cycle can
 * arise: who goes is nobody's debtor's creditor any more.
 *
 * Only threads below 64 are looked at. */
#ifndef RDL__FAIR_H
#define RDL__FAIR_H

#include <stdbool.h>
#include <stdint.h>

#include "control/sched/op.h"

struct rdl__fair {
    uint64_t polite;     /* threads that have been polite: the fields below are theirs */
    uint64_t debtors;    /* those who owe anybody a turn */
    uint64_t owes[64];   /* to whom */
    uint64_t able[64];   /* who could have gone since it was polite last */
    uint64_t went[64];   /* who has */
    uint64_t places[64]; /* where it was polite */
};

static inline void rdl__fair_begin(struct rdl__fair *fair)
{
    fair->polite = fair->debtors = 0;
}

/* Who of those enabled has to let another go first? */
static inline uint64_t rdl__fair_withheld(const struct rdl__fair *fair, uint64_t enabled)
{
    uint64_t withheld = 0;

    for (uint64_t rest = fair->debtors & enabled; rest; rest &= rest - 1)
        if (fair->owes[__builtin_ctzll(rest)] & enabled)
            withheld |= rest & -rest;
    return withheld;
}

/* This thread goes, one of the enabled, and does this. */
void rdl__fair_goes(struct rdl__fair *fair, uint64_t enabled, uint32_t thread,
                    const struct rdl__op *op);

#endif
