/* log.c -- what was done in an execution, for strategies. */
#include <string.h>

#include "control/sched/inner.h"

#define sched (&rdl__sched)

void rdl__log(const struct rdl__thread *self, const struct rdl__op *op, uint32_t chosen)
{
    struct rdl__summary *summary = sched->summary;
    struct rdl__log_entry *entry = &summary->log[summary->log_count];

    if (summary->log_count == RDL__LOG_ROOM) {
        summary->log_full = true;
        return;
    }
    summary->log_count++;
    *entry = (struct rdl__log_entry){.op = *op,
                                     .thread = self->id,
                                     .enabled_count = sched->view.enabled_count,
                                     .chosen = chosen};
    if (op->kind == RDL__OP_START)
        entry->other = sched->view.creator[self->id];
    if (op->kind == RDL__OP_JOIN)
        for (uint32_t id = 0; id < sched->view.threads; id++)
            if ((uintptr_t)sched->threads[id] == op->object)
                entry->other = id;
}
