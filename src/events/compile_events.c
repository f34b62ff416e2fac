/* compile_events.c -- which events a spec is about: its patterns, its slots, what it waits for. */
#include <string.h>

#include "events/compile.h"

bool rdl__wrong(struct rdl__compiler *c, const struct rdl_step *step, const char *what)
{
    return rdl__fail(c->error, "%s:%d: %s", step->file, rdl__line_of(step), what);
}

/* ---- Patterns, slots ------------------------------------------------------------------------ */

static uint32_t words_for(size_t bytes)
{
    return (uint32_t)((bytes + 7) / 8);
}

uint32_t rdl__add_words(struct rdl__program *p, uint32_t count)
{
    p->words += count;
    return p->words - count;
}

static bool add_slot(struct rdl__compiler *c, const struct rdl_step *step,
                     const struct rdl_slot *slot)
{
    struct rdl__program *p = c->p;

    for (uint32_t i = 0; i < p->kept_count; i++)
        if (rdl__are_one_slot(p->kept[i].slot, slot))
            return true;
    if (p->kept_count == 64)
        return rdl__wrong(c, step, "at most 64 slots are possible");
    RDL__GROW(p->kept, p->kept_count, p->kept_room);
    p->kept[p->kept_count] =
        (struct rdl__kept){.slot = slot, .word = p->shared, .is_set = p->kept_count};
    p->shared += words_for(slot->size);
    p->kept_count++;
    return true;
}

static bool check_condition(struct rdl__compiler *c, const struct rdl_step *step,
                            const struct rdl_condition *condition,
                            const struct rdl_event_type *type)
{
    if (!rdl__is_a(type, condition->type))
        return rdl__fail(c->error, "%s:%d: no event is of the types %s and %s", step->file,
                         rdl__line_of(step), type->name, condition->type->name);
    if (!condition->slot)
        return true;
    if (condition->type->varies && !condition->name)
        return rdl__wrong(c, step, "what is kept whole must be of a type of fixed size");
    if (condition->size != condition->slot->size)
        return rdl__fail(
            c->error, "%s:%d: %s of %s has %zu bytes, but the slot %s is for values of %zu",
            step->file, rdl__line_of(step), condition->name ? condition->name : "all",
            condition->type->name, condition->size, condition->slot->name, condition->slot->size);
    return add_slot(c, step, condition->slot);
}

/* Padding of values must not make a difference. */
static void copy_value(struct rdl__program *p, struct rdl_condition *condition)
{
    void *value;

    if (condition->kind != RDL__COND_IS || condition->type->varies)
        return;
    value = rdl__arena_alloc(&p->arena, condition->type->size + 1);
    memcpy(value, condition->value, condition->type->size);
    if (condition->type->clear)
        condition->type->clear(value);
    condition->value = value;
}

static const struct rdl_pattern *copy_pattern(struct rdl__program *p,
                                              const struct rdl_pattern *pattern)
{
    struct rdl_pattern *copy = rdl__arena_alloc(&p->arena, sizeof *copy);
    struct rdl_condition *conditions;
    size_t count = 0;

    while (pattern->conditions[count].kind)
        count++;
    conditions = rdl__arena_alloc(&p->arena, (count + 1) * sizeof *conditions);
    memcpy(conditions, pattern->conditions, (count + 1) * sizeof *conditions);
    for (size_t i = 0; i < count; i++)
        copy_value(p, &conditions[i]);
    *copy = *pattern;
    copy->conditions = conditions;
    return copy;
}

/* The number of a pattern, in *out. */
bool rdl__add_pattern(struct rdl__compiler *c, const struct rdl_step *step, uint32_t *out)
{
    struct rdl__program *p = c->p;
    const struct rdl_pattern *pattern = step->pattern;
    bool has_slots = false;

    if (!pattern->conditions[0].kind)
        return rdl__wrong(c, step, "a pattern without a condition; rdl_any is one");
    if (!pattern->port)
        return rdl__wrong(c, step, "a pattern without a port");
    for (const struct rdl_condition *condition = pattern->conditions; condition->kind;
         condition++) {
        has_slots |= condition->slot != NULL;
        if (condition->answer && p->reply_size < condition->answer->type->size)
            p->reply_size = condition->answer->type->size;
        if (!check_condition(c, step, condition, rdl__pattern_type(pattern)))
            return false;
    }
    pattern = copy_pattern(p, pattern);
    for (*out = 0; *out < p->pattern_count; ++*out)
        if (rdl__patterns_are_equal(p->patterns[*out], pattern))
            return true;
    RDL__GROW(p->patterns, p->pattern_count, p->pattern_room);
    RDL__GROW(p->has_slots, p->pattern_count, p->has_slots_room);
    p->patterns[p->pattern_count] = pattern;
    p->has_slots[p->pattern_count++] = has_slots;
    return true;
}

/* Functions that look at slots by themselves make a pattern depend on them, too: how should
 * we know?  Where there are slots, all that have functions do. */
void rdl__suspect_functions(struct rdl__program *p)
{
    for (uint32_t i = 0; i < p->pattern_count && p->kept_count > 0; i++)
        for (const struct rdl_condition *c = p->patterns[i]->conditions; c->kind; c++)
            p->has_slots[i] |= c->kind == RDL__COND_IF || c->kind == RDL__COND_HOLDS;
}

bool rdl__add_wanted(struct rdl__compiler *c, const struct rdl_step *step, uint32_t first)
{
    struct rdl__program *p = c->p;
    struct rdl__wanted wanted = {.step = step, .twin = RDL__NOWHERE};

    if (!rdl__add_pattern(c, step, &wanted.pattern))
        return false;
    for (uint32_t i = first; i < p->wanted_count; i++)
        if (p->wanted[i].pattern == wanted.pattern && rdl__answer_alike(p->wanted[i].step, step))
            wanted.twin = i;
    if (step->kind == RDL__STEP_ANSWER && !step->port)
        return rdl__wrong(c, step, "an answer without a port");
    if (step->kind == RDL__STEP_ANSWER && step->type->varies)
        return rdl__wrong(c, step, "answers must be of a type of fixed size");
    if (step->kind == RDL__STEP_ANSWER && !step->reply)
        return rdl__wrong(c, step, "there is no function to call: it is NULL");
    if (step->kind == RDL__STEP_ANSWER && p->reply_size < step->type->size)
        p->reply_size = step->type->size;
    RDL__GROW(p->wanted, p->wanted_count, p->wanted_room);
    p->wanted[p->wanted_count++] = wanted;
    return true;
}

static bool binds(const struct rdl_pattern *pattern, const struct rdl_slot *slot)
{
    for (const struct rdl_condition *c = pattern->conditions; c->kind; c++)
        if ((c->kind == RDL__COND_BIND || c->kind == RDL__COND_ASKS) &&
            rdl__are_one_slot(c->slot, slot))
            return true;
    return false;
}

/* What nothing is ever bound to, nothing can be compared with. */
bool rdl__check_slots(struct rdl__compiler *c)
{
    struct rdl__program *p = c->p;

    for (uint32_t i = 0; i < p->kept_count; i++) {
        bool bound = false;

        for (uint32_t k = 0; k < p->pattern_count; k++)
            bound |= binds(p->patterns[k], p->kept[i].slot);
        if (!bound)
            return rdl__fail(c->error,
                             "%s:%d: nothing in this spec binds the slot %s (rdl_bind, rdl_keeps)",
                             c->top->file, rdl__line_of(c->top), p->kept[i].slot->name);
    }
    return true;
}
