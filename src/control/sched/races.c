/* races.c -- what becomes of a data race that an execution meets (case/races.h). */
#include "control/sched/races.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "control/sched/callers.h"
#include "control/sched/inner.h"
#include "control/sched/track.h"

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
    outcome->claimed = 1;
    outcome->verdict = RDL__FAILED;
    outcome->cause = RDL__BY_RACE;
    outcome->number = outcome->line = 0;
    outcome->file[0] = '\0';
    outcome->pc = race->later.pc;
    outcome->origin = race->origin;
    snprintf(outcome->check, sizeof outcome->check, "%sdata race between %s and %s",
             race->suspected ? "suspected " : "", race->earlier.thread, race->later.thread);
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
    t->races->met[t->races->count++] = race;
    if (ends_here(t, &race) && !t->outcome->claimed) {
        rdl__race_fail(t->outcome, &race);
        rdl__execution_leave(t);
    }
}
