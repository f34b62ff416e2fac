/* assembly_quick.c -- the way of inline assembly that has nothing to tell.
 *
 * This file is compiled without vector registers, so that nobody has to keep them: no function
 * of another file is called. */
#include "control/sched/assembly.h"
#include "control/sched/mappings.h"
#include "control/sched/track.h"

/* Is a point due, or is it the first such access?  Neither, if the thread has credit. */
static bool may_pass(struct rdl__thread *self, uintptr_t address,
                     const struct rdl__table_access *access, bool writes)
{
    unsigned how = writes ? RDL__HOW_WRITE : 0;
    bool known =
        !rdl__races_on || (access->size == 8   ? rdl__race_known(self->track, address, 8, how)
                           : access->size == 4 ? rdl__race_known(self->track, address, 4, how)
                           : access->size == 1 ? rdl__race_known(self->track, address, 1, how)
                                               : false);

    return known && rdl__point_fast(self, writes ? RDL__WRITES : RDL__READS);
}

bool rdl__access_quickly(uintptr_t address, const struct rdl__table_access *access)
{
    struct rdl__thread *self = rdl__self();
    struct rdl__track *track = self ? self->track : NULL;
    bool writes = rdl__access_writes(access), atomic = rdl__access_is_atomic(access);

    if (!self)
        return true;
    if (access->kind == RDL__ACCESS_ANYTHING) {
        track->changed = true;
        return rdl__is_alone();
    }
    if (access->kind == RDL__ACCESS_FENCE)
        return !rdl__races_on || rdl__alone;
    if (rdl__aliased)
        return false;
    if (access->kind == RDL__ACCESS_LOAD && address - track->mine_low < track->mine_size)
        return false;
    if (!atomic && address - track->mine_low < track->unwatched)
        return writes || !rdl__spin_suspects(track, address);
    if (!writes || atomic) {
        if (rdl__spin_suspects(track, address))
            return false;
    }
    if (atomic && (!rdl__alone || address - track->mine_low < track->mine_size))
        return false;
    track->changed |= writes;
    if (rdl__access_is_volatile(access) && !rdl__alone) /* it tells others something, or is told */
        return false;
    return rdl__alone || may_pass(self, address, access, writes);
}
