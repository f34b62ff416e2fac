/* record.c -- an execution that is looked at: which of its steps are kept.
 *
 * Kept is where threads meet: a step that touches what another thread has touched
 * last, if one of the two writes, and that other thread's step, which may be long
 * ago; the first and the last step of each stretch; what begins and ends threads.
 * While there is only one thread, nothing is: nobody could have done otherwise.
 *
 * Only in executions that are traced, which are few. */
#include <string.h>

#include "base/hash.h"
#include "control/sched/inner.h"

#define sched (&rdl__sched)

enum {
    GRAIN = 8,        /* bytes that are one thing here */
    GRAINS_MAX = 16,  /* of one step */
    PLACES = 1 << 12, /* a power of two */
    READERS = 3,      /* since the last write */
    NOBODY = UINT32_MAX,
};

/* The last who touched a thing. */
struct place {
    uintptr_t grain; /* 0: none */
    struct rdl__step write, reads[READERS];
    bool is_written, write_kept, read_kept[READERS];
    uint8_t reads_count;
};

static struct place places[PLACES];
static uint32_t places_used;

static struct {
    uint32_t thread; /* whose stretch it is: its slot */
    uint32_t preemptions;
    struct rdl__step last;        /* of this stretch; no number: none, or it is kept */
    bool waits[RDL__THREADS_MAX]; /* each, as far as has been recorded */
} at;

static struct rdl__steps *steps(void)
{
    return &sched->t->trace->steps;
}

/* ---- Where threads meet ------------------------------------------------------------- */

static struct place *place_of(uintptr_t grain)
{
    uint32_t i = (uint32_t)rdl__mix(grain) % PLACES;

    while (places[i].grain && places[i].grain != grain)
        i = (i + 1) % PLACES;
    if (places[i].grain)
        return &places[i];
    if (places_used == PLACES / 4 * 3)
        return NULL;
    places_used++;
    places[i] = (struct place){.grain = grain};
    return &places[i];
}

static void keep(const struct rdl__step *step, bool *is_kept)
{
    if (!*is_kept)
        rdl__steps_add(steps(), step, RDL__STEP_IS_KEPT);
    *is_kept = true;
}

/* Does the step meet others there?  They are kept. */
static bool meets(struct place *place, const struct rdl__step *step, bool writes)
{
    bool met = false;

    if (place->is_written && place->write.thread != step->thread) {
        keep(&place->write, &place->write_kept);
        met = true;
    }
    for (int i = 0; i < place->reads_count && writes; i++)
        if (place->reads[i].thread != step->thread) {
            keep(&place->reads[i], &place->read_kept[i]);
            met = true;
        }
    return met;
}

static void leave_mark(struct place *place, const struct rdl__step *step, bool writes, bool kept)
{
    int i = 0;

    if (writes) {
        place->write = *step;
        place->is_written = true;
        place->write_kept = kept;
        place->reads_count = 0;
        return;
    }
    while (i < place->reads_count && place->reads[i].thread != step->thread)
        i++;
    if (i == READERS) /* the one that read first gives way */
        memmove(place->reads, place->reads + 1, (size_t)--i * sizeof *place->reads);
    place->reads[i] = *step;
    place->read_kept[i] = kept;
    place->reads_count = (uint8_t)(i + 1 > place->reads_count ? i + 1 : place->reads_count);
}

/* The things a step touches, one after the other; 0: there are no more. */
static uintptr_t nth_grain(const struct rdl__step *step, uint32_t n)
{
    uintptr_t first = step->object / GRAIN, end = step->object + (step->size ? step->size : 1);
    uint32_t count = step->touch ? (uint32_t)((end - 1) / GRAIN - first) + 1 : 0;

    if (count > GRAINS_MAX)
        count = GRAINS_MAX;
    if (n < count)
        return first + n;
    return n == count ? step->also / GRAIN : 0;
}

/* True: the step is where threads meet. */
static bool touch(const struct rdl__step *step)
{
    bool met = false;
    uintptr_t grain;

    for (int round = 0; round < 2; round++) /* look at all, then leave marks */
        for (uint32_t n = 0; (grain = nth_grain(step, n)); n++) {
            struct place *place = place_of(grain);
            bool writes = step->touch == RDL__WRITES || grain == step->also / GRAIN;

            if (place && round == 0)
                met = meets(place, step, writes) || met;
            else if (place)
                leave_mark(place, step, writes, met);
        }
    return met;
}

/* ---- Steps ------------------------------------------------------------------------------- */

/* On whose stack? */
uint16_t rdl__stack_owner(uintptr_t object)
{
    for (uint32_t id = 0; id < sched->view.threads; id++) {
        const struct rdl__thread *thread = sched->threads[id];

        if (thread->state != RDL__UNUSED && object >= thread->stack_low &&
            object < thread->stack_high)
            return (uint16_t)(thread->number + 1);
    }
    return 0;
}

static uint16_t other_of(const struct rdl__op *op)
{
    for (uint32_t id = 0; id < sched->view.threads; id++)
        if ((uintptr_t)sched->threads[id] == op->object)
            return (uint16_t)(sched->threads[id]->number + 1);
    return op->object ? rdl__stack_owner(op->object) : 0;
}

static struct rdl__step step_of(const struct rdl__thread *self, const struct rdl__op *op,
                                enum rdl__step_how how)
{
    struct rdl__step step;

    rdl__steps_name_thread(steps(), self->number, rdl__thread_name(self));
    if (op->pc)
        rdl__modules_note(&steps()->modules, rdl__place_code(op->pc));
    step = (struct rdl__step){
        .number = ++steps()->count,
        .pc = op->pc,
        .object = op->object,
        .also = op->also,
        .size = op->size,
        .thread = (uint16_t)self->number,
        .other = other_of(op),
        .op = op->kind,
        .thing = op->thing,
        .touch = op->touch,
        .how = (uint8_t)how,
    };
    for (uint32_t i = 0; i < self->callers.count && i < RDL__STEP_CALLERS; i++)
        step.callers[i] = self->callers.pcs[i];
    return step;
}

static void keep_last_of_stretch(void)
{
    if (at.last.number)
        rdl__steps_add(steps(), &at.last, RDL__STEP_IS_KEPT);
    at.last.number = 0;
}

/* Another thread has taken over.  Why? */
static void record_switch(void)
{
    const struct rdl__thread *old = sched->threads[at.thread];
    bool preempted = sched->summary->preemptions != at.preemptions;
    enum rdl__step_how how = preempted                  ? RDL__STEP_INTERRUPTED
                             : old->state == RDL__ALIVE ? RDL__STEP_WAITS
                                                        : RDL__STEP_ENDS;
    struct rdl__step step = step_of(old, &sched->view.ops[at.thread], how);

    at.waits[at.thread] = how == RDL__STEP_WAITS;
    steps()->preemptions += preempted;
    at.preemptions = sched->summary->preemptions;
    keep_last_of_stretch();
    rdl__steps_add(steps(), &step,
                   RDL__STEP_IS_RECENT | (preempted ? RDL__STEP_IS_MILESTONE : RDL__STEP_IS_KEPT));
}

static void begin(void)
{
    steps()->begun = true;
    memset(places, 0, sizeof places);
    places_used = 0;
    at.thread = NOBODY;
    at.preemptions = 0;
    at.last.number = 0;
    memset(at.waits, 0, sizeof at.waits);
    rdl__steps_name_thread(steps(), 0, rdl__thread_name(sched->threads[0]));
}

static bool is_milestone(const struct rdl__op *op)
{
    return op->kind == RDL__OP_START || op->kind == RDL__OP_CREATE;
}

void rdl__trace_operation(const struct rdl__thread *self, const struct rdl__op *op)
{
    bool first = false, met;
    struct rdl__step step;

    if (!steps()->begun)
        begin();
    steps()->running = self->number;
    if (at.thread != self->id) {
        if (at.thread != NOBODY)
            record_switch();
        first = true;
        at.thread = self->id;
    }
    if (op->kind == RDL__OP_STEP || (sched->alive == 1 && op->kind != RDL__OP_JOIN))
        return;
    step = step_of(self, op, RDL__STEP_DONE);
    at.waits[self->id] = false;
    met = touch(&step);
    rdl__steps_add(steps(), &step,
                   RDL__STEP_IS_RECENT | (is_milestone(op) ? RDL__STEP_IS_MILESTONE
                                          : first || met   ? RDL__STEP_IS_KEPT
                                                           : 0));
    at.last = step;
    if (first || met)
        at.last.number = 0;
}

/* All but this one wait, and of some that is not recorded: they were interrupted before. */
static void record_waits(uint32_t but)
{
    for (uint32_t id = 0; id < sched->view.threads; id++)
        if (id != but && sched->threads[id]->state == RDL__ALIVE && !at.waits[id]) {
            struct rdl__step step =
                step_of(sched->threads[id], &sched->view.ops[id], RDL__STEP_WAITS);

            at.waits[id] = true;
            rdl__steps_add(steps(), &step, RDL__STEP_IS_RECENT | RDL__STEP_IS_KEPT);
        }
}

void rdl__trace_standstill(void)
{
    if (!sched->t->trace->on)
        return;
    if (!steps()->begun)
        begin();
    at.thread = sched->view.running;
    record_switch();
    record_waits(NOBODY);
}

void rdl__trace_quiet(void)
{
    if (sched->t->trace->on && steps()->begun)
        record_waits(sched->view.running);
}
