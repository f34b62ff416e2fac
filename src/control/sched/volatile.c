/* volatile.c -- what accesses to volatile variables mean where data races are looked for.
 *
 * To the C standard they are accesses like any other.  Code older than C11 makes flags, queues and
 * locks of them, and compilers keep their order; so do CPUs that order all stores and all loads,
 * and on others there are barriers beside them.  So by default a volatile store releases and a
 * volatile load acquires.  Inline assembly is taken likewise: its moves are what other compilers
 * make of volatile accesses. */
#include "control/sched/inner.h"
#include "control/sched/track.h"

unsigned rdl__volatile_as = RDL__HOW_ATOMIC;
static bool orders = true;

void rdl__volatile_begin(uint32_t volatiles)
{
    rdl__volatile_as = volatiles == RDL__VOLATILE_PLAIN ? 0 : RDL__HOW_ATOMIC;
    orders = volatiles == RDL__VOLATILE_ACQ_REL;
}

void rdl__volatile_order(struct rdl__track *track, uintptr_t address, uintptr_t size, unsigned how)
{
    if (how & RDL__HOW_WRITE)
        rdl__order_store(track, address, size, orders);
    else if (rdl__order_load(track, address, size, orders))
        rdl__sched.summary->volatile_ordered = true;
}
