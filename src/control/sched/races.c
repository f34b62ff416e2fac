/* races.c -- what becomes of a data race that an execution meets (case/races.h). */
#include "control/sched/races.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "control/sched/blocks.h"
#include "control/sched/callers.h"
#include "control/sched/inner.h"
#include "control/sched/track.h"

enum {
    FRAME_MAX = 1 << 20, /* of a function: no further do we look for its end */
    NOTED_BELOW = 16,    /* how far below the stack of its callers a function is noted */
};

/* ---- In words -------------------------------------------------------------------------------- */

static const char *verb(unsigned how, bool past)
{
    if (how & RDL__HOW_FREE)
        return past ? "freed" : "frees";
    if (how & RDL__HOW_WRITE)
        return past ? "wrote" : "writes";
    return past ? "read" : "reads";
}

static const char *manner(unsigned how)
{
    return how & RDL__HOW_VOLATILE ? " (volatile)" : how & RDL__HOW_ATOMIC ? " atomically" : "";
}

static void add_access(struct rdl__text *out, const struct rdl__racing *it, bool past,
                       uint32_t *out_stack)
{
    rdl__text_add(out, "%s %s %u byte%s%s at %s", it->thread, verb(it->how, past), it->size,
                  it->size == 1 ? "" : "s", manner(it->how),
                  rdl__at_stack(it->pc, &it->callers, out_stack));
}

static void set_headline(struct rdl__outcome *outcome, const struct rdl__race *race)
{
    struct rdl__text text = {0};

    rdl__text_add(&text, "%sdata race between %s and %s", race->suspected ? "suspected " : "",
                  race->earlier.thread, race->later.thread);
    if (race->block.kind != RDL__NO_BLOCK) {
        rdl__text_add(&text, " at offset %zu of a %s", (size_t)(race->address - race->block.start),
                      race->block.is_freed ? "freed " : "");
        rdl__block_add_words(&text, &race->block);
    }
    snprintf(outcome->check, sizeof outcome->check, "%s", rdl__text_string(&text));
    rdl__text_release(&text);
}

void rdl__race_fail(struct rdl__outcome *outcome, const struct rdl__race *race)
{
    struct rdl__text text = {0};

    outcome->stack = 0;
    add_access(&text, &race->earlier, true, NULL);
    rdl__text_add(&text, "\n");
    add_access(&text, &race->later, false, &outcome->stack);
    rdl__text_add(&text, race->suspected ? ", and nothing that Raddle sees makes one wait for the "
                                           "other; code that it does not see may\n"
                                         : ", and nothing makes one wait for the other\n");
    rdl__block_add_story(&text, &race->block); /* the headline says which */
    outcome->claimed = 1;
    outcome->verdict = RDL__FAILED;
    outcome->cause = RDL__BY_RACE;
    outcome->number = outcome->line = 0;
    outcome->file[0] = '\0';
    outcome->pc = race->later.pc;
    outcome->origin = race->origin;
    set_headline(outcome, race);
    snprintf(outcome->text, sizeof outcome->text, "%s", rdl__text_string(&text));
    rdl__text_release(&text);
}

/* ---- Meeting one ----------------------------------------------------------------------------- */

static struct rdl__racing racing(const struct rdl__thread *thread, const struct rdl__access *access)
{
    struct rdl__racing it = {.pc = access->pc, .size = access->size, .how = access->how};

    snprintf(it.thread, sizeof it.thread, "%s",
             thread ? rdl__thread_name(thread) : "a thread that has ended");
    return it;
}

static uint64_t hash_of(const struct rdl__racing *it)
{
    uint64_t hash = rdl__mix(it->pc);

    for (uint32_t i = 0; rdl__races_by_callers() && i < it->callers.count; i++)
        hash = rdl__combine(hash, it->callers.pcs[i]);
    return hash;
}

static bool is_variable(uintptr_t address)
{
    struct dl_find_object found;

    return _dl_find_object((void *)address, &found) == 0;
}

/* Two accesses at the same places are one race, whichever of them comes first. */
static uint64_t origin_of(const struct rdl__race *race, bool suspected)
{
    uint64_t origin = rdl__combine(suspected ? UINT64_MAX : RDL__BY_RACE,
                                   hash_of(&race->earlier) ^ hash_of(&race->later));
    bool by_address = rdl__races_by_callers() && is_variable(race->address);

    return by_address ? rdl__combine(origin, race->address) : origin;
}

static bool was_met(const struct rdl__races *races, uint64_t origin)
{
    for (uint32_t i = races->count; i-- > 0;)
        if (races->met[i].origin == origin)
            return true;
    return false;
}

/* ---- What it is on --------------------------------------------------------------------------- */

static const struct rdl__thread *owner_of(const struct rdl__race *race)
{
    for (uint32_t id = 0; race->owner && id < rdl__sched.view.threads; id++)
        if (rdl__sched.threads[id]->number == race->owner - 1)
            return rdl__sched.threads[id];
    return NULL;
}

/* Where a function's frame ends, behind the address at which its caller goes on; 0: not known. */
__attribute__((no_sanitize("address"))) static uintptr_t
end_of_frame(const struct rdl__frame *frame, uintptr_t from, uintptr_t limit)
{
    const uintptr_t *at = (const uintptr_t *)((from + 7) & ~(uintptr_t)7);

    while ((uintptr_t)at < limit && (uintptr_t)at - from < FRAME_MAX && *at != frame->pc)
        at++;
    return (uintptr_t)at < limit && *at == frame->pc ? (uintptr_t)(at + 1) : 0;
}

/* The function whose local it is: of those whose frames begin further down, the outermost. */
static void find_frame(struct rdl__race *race, const struct rdl__thread *self)
{
    const struct rdl__thread *owner = owner_of(race);
    const struct rdl__track *track = owner ? owner->track : NULL;
    uint32_t depth = track ? track->depth : 0;
    uint32_t at = depth > RDL__FRAMES_KEPT ? depth - RDL__FRAMES_KEPT : 0;
    uintptr_t limit = owner ? owner->stack_high : 0;
    const struct rdl__frame *frame, *inner;

    while (at < depth && track->frames[at % RDL__FRAMES_KEPT].stack > race->address)
        limit = track->frames[at++ % RDL__FRAMES_KEPT].stack + NOTED_BELOW;
    if (at == depth)
        return;
    frame = &track->frames[at % RDL__FRAMES_KEPT];
    inner = &track->frames[(at + 1) % RDL__FRAMES_KEPT];
    if (at + 1 < depth)
        race->frame_pc = inner->from_unseen ? 0 : inner->pc;
    else
        race->frame_pc = owner == self ? race->later.pc : rdl__sched.view.ops[owner->id].pc;
    race->frame = end_of_frame(frame, race->address, limit);
}

/* Is the execution made for this race, the one met last? */
static bool ends_here(const struct rdl_case *t, const struct rdl__race *race)
{
    if (t->wanted)
        return t->wanted == race->origin || (t->wanted == RDL__ANY_RACE && !race->suspected);
    return (t->settings.race & ~RDL__RACES_BY_CALLERS) == t->races->count;
}

void rdl__race_met(struct rdl__thread *self, const struct rdl__access *now,
                   const struct rdl__access *earlier)
{
    struct rdl_case *t = rdl__sched.t;
    struct rdl__race race = {
        .address = earlier->address,
        .owner = rdl__stack_owner(earlier->address),
        .suspected = rdl__order_is_assumed(self->track, earlier->column, earlier->clock),
        .earlier = racing(rdl__column_thread(earlier->column), earlier),
        .later = racing(self, now)};

    rdl__race_callers(earlier->event, &race.earlier.callers);
    rdl__callers_of(self, now->pc, &race.later.callers);
    race.origin = origin_of(&race, race.suspected);
    if (was_met(t->races, race.origin) ||
        (race.suspected && was_met(t->races, origin_of(&race, false))))
        return;
    if (t->races->count >= (race.suspected ? RDL__SUSPECTED_MAX : RDL__RACES_MAX)) {
        rdl__limit(RDL__LIMIT_BOUND, "more data races were met than there is room for", "");
        return;
    }
    if (race.owner)
        find_frame(&race, self);
    else
        race.block = rdl__block_at(race.address);
    t->races->met[t->races->count++] = race;
    if (ends_here(t, &race) && !t->outcome->claimed) {
        rdl__race_fail(t->outcome, &race);
        rdl__execution_leave(t);
    }
}
