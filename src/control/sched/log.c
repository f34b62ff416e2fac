/* log.c -- what was done in an execution, for strategies. */
#include <string.h>

#include "base/hash.h"
#include "control/sched/inner.h"

#define sched (&rdl__sched)

/* What tells executions apart: operations, and where threads are switched.  Accesses to
 * memory are many, and follow from the rest; they are only counted. */
void rdl__hash_operation(const struct rdl__thread *self, unsigned kind)
{
    struct rdl__summary *summary = sched->summary;

    summary->hash =
        rdl__mix(summary->hash + (summary->steps << 20 | (uint64_t)self->id << 8 | kind));
}

/* A new entry at the end; NULL: there is no room. */
static struct rdl__log_entry *new_entry(uint32_t at, uint32_t thread, const struct rdl__op *op)
{
    struct rdl__log_entry *entry = &sched->summary->log[at];

    if (at >= RDL__LOG_ROOM) {
        sched->summary->log_full = true;
        return NULL;
    }
    *entry = (struct rdl__log_entry){.op = *op,
                                     .thread = thread,
                                     .enabled_count = sched->picked_from,
                                     .enabled = sched->view.enabled[0],
                                     .note = sched->view.note};
    return entry;
}

static uint32_t other_thread(const struct rdl__thread *self, const struct rdl__op *op)
{
    if (op->kind == RDL__OP_START)
        return sched->view.creator[self->id];
    if (op->kind == RDL__OP_CREATE)
        return self->created_last;
    if (op->kind == RDL__OP_JOIN || op->kind == RDL__OP_LOOK)
        for (uint32_t id = 0; id < sched->view.threads; id++)
            if ((uintptr_t)sched->threads[id] == op->object)
                return id;
    return UINT32_MAX;
}

void rdl__log(const struct rdl__thread *self, const struct rdl__op *op)
{
    struct rdl__log_entry *entry = new_entry(sched->summary->log_count, self->id, op);

    if (!entry)
        return;
    entry->other = other_thread(self, op);
    sched->summary->log_count++;
}

void rdl__log_answer(const struct rdl__thread *self, const struct rdl__op *op, uint32_t answer,
                     uint32_t max)
{
    struct rdl__log_entry *entry = new_entry(sched->summary->log_count, self->id, op);

    if (!entry)
        return;
    entry->chosen = answer + 1;
    entry->other = max;
    sched->summary->log_count++;
}

void rdl__log_pending(void)
{
    struct rdl__summary *summary = sched->summary;

    if (!summary->wants_log)
        return;
    for (uint32_t id = 0; id < sched->view.threads; id++) {
        struct rdl__log_entry *entry;

        if (sched->threads[id]->state != RDL__ALIVE)
            continue;
        entry = new_entry(summary->log_count + summary->pending_count, id, &sched->view.ops[id]);
        if (!entry)
            return;
        entry->other = other_thread(sched->threads[id], &entry->op);
        entry->enabled_count = rdl__is_enabled(&sched->view, id);
        summary->pending_count++;
    }
}

void rdl__limit(enum rdl__limit_kind kind, const char *what, const char *where)
{
    if (rdl__running)
        rdl__limits_add(&sched->summary->limits, kind, what, where);
}

void rdl__limit_at(enum rdl__limit_kind kind, uintptr_t pc)
{
    if (rdl__running)
        rdl__limits_add_pc(&sched->summary->limits, kind, pc);
}
