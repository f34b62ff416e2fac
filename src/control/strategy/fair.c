/* fair.c -- for a systematic search: nobody waits politely for ever. */
#include "control/strategy/fair.h"

static void be_polite(struct rdl__fair *fair, uint64_t enabled, uint32_t thread)
{
    uint64_t bit = UINT64_C(1) << thread;

    fair->owes[thread] =
        fair->polite & bit ? (fair->able[thread] | enabled) & ~fair->went[thread] & ~bit : 0;
    fair->polite |= bit;
    fair->debtors = fair->owes[thread] ? fair->debtors | bit : fair->debtors & ~bit;
    fair->able[thread] = fair->went[thread] = 0;
}

void rdl__fair_goes(struct rdl__fair *fair, uint64_t enabled, uint32_t thread, bool polite)
{
    for (uint64_t rest = fair->polite; rest; rest &= rest - 1) {
        int t = __builtin_ctzll(rest);

        fair->able[t] |= enabled;
        fair->went[t] |= UINT64_C(1) << thread;
        fair->owes[t] &= ~(UINT64_C(1) << thread);
        if (!fair->owes[t])
            fair->debtors &= ~(rest & -rest);
    }
    if (polite)
        be_polite(fair, enabled, thread);
}
