/* probe.c -- which lines controlled threads come to, and when. */
#include <stdio.h>

#include "control/gate/gate.h"
#include "control/gate/script.h"

static struct rdl__probe *probe; /* of the case at hand */

/* A thread may be there that never gets to run. */
static void note_threads(void)
{
    for (uint32_t id = 0; id < rdl__sched.view.threads; id++) {
        const struct rdl__thread *thread = rdl__sched.threads[id];

        if (thread->state != RDL__ALIVE || thread->number >= RDL__PROBE_THREADS ||
            probe->threads[thread->number].entry)
            continue;
        probe->threads[thread->number].entry = thread->entry;
        snprintf(probe->threads[thread->number].name, sizeof probe->threads[0].name, "%s",
                 rdl__thread_name(thread));
    }
}

/* One controlled thread runs at a time, so nobody else is here. */
static void note(uint32_t place)
{
    const struct rdl__thread *self = rdl__self();

    if (!self)
        return;
    note_threads();
    if (probe->count < probe->room)
        probe->hits[probe->count] = (struct rdl__probe_hit){
            .step = rdl__current->trace->steps.count, .thread = self->number, .place = place};
    probe->count++;
}

static void note_place(struct rdl_hit *hit, void *place)
{
    (void)hit;
    note((uint32_t)(uintptr_t)place);
}

void rdl__probe_wake(void)
{
    if (probe)
        note(RDL__PROBE_WOKEN);
}

void rdl__probe_end(void)
{
    probe = NULL;
}

void rdl__probe_place(struct rdl_case *t, struct rdl__probe *wanted)
{
    struct rdl__error unused;

    probe = wanted;
    probe->count = 0;
    for (size_t i = 0; i < probe->place_count; i++)
        rdl__at_each_hit_if(t, probe->places[i], note_place, (void *)i, false, &unused);
}
