/* fair.c -- for a systematic search: nobody waits politely for ever. */
#include "control/strategy/fair.h"

#include "base/hash.h"

/* One bit for each place, or nearly so.  Where a program is loaded differs from run to
 * run, by whole pages. */
static uint64_t place_bit(uintptr_t pc)
{
    return UINT64_C(1) << (rdl__mix(pc & 0xfff) & 63);
}

static void be_polite(struct rdl__fair *fair, uint64_t enabled, uint32_t thread, uintptr_t pc)
{
    uint64_t bit = UINT64_C(1) << thread, place = place_bit(pc);

    if (!(fair->polite & bit))
        fair->places[thread] = 0;
    fair->owes[thread] = fair->places[thread] & place
                             ? (fair->able[thread] | enabled) & ~fair->went[thread] & ~bit
                             : 0;
    fair->places[thread] |= place;
    fair->polite |= bit;
    fair->debtors = fair->owes[thread] ? fair->debtors | bit : fair->debtors & ~bit;
    fair->able[thread] = fair->went[thread] = 0;
}

void rdl__fair_goes(struct rdl__fair *fair, uint64_t enabled, uint32_t thread,
                    const struct rdl__op *op)
{
    for (uint64_t rest = fair->polite; rest; rest &= rest - 1) {
        int t = __builtin_ctzll(rest);

        fair->able[t] |= enabled;
        fair->went[t] |= UINT64_C(1) << thread;
        fair->owes[t] &= ~(UINT64_C(1) << thread);
        if (!fair->owes[t])
            fair->debtors &= ~(rest & -rest);
    }
    if (op->flags & RDL__OP_POLITE)
        be_polite(fair, enabled, thread, op->pc);
}
