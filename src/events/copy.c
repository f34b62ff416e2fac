/* copy.c -- a spec that outlives the block it was written in.
 *
 * Steps are compound literals, and so are the values in them.  Names, slots, types and ports are
 * not: they stay where they are. */
#include <string.h>

#include "events/events.h"

static void *copy(struct rdl__arena *arena, const void *from, size_t size)
{
    return memcpy(rdl__arena_alloc(arena, size), from, size);
}

/* What is shown of a frame ends in a NUL. */
static const void *copy_data(struct rdl__arena *arena, const struct rdl_event_type *type,
                             const void *data)
{
    return copy(arena, data, rdl__data_size(type, data) + (type == &rdl_event_frame));
}

static const void *copy_value(struct rdl__arena *arena, const struct rdl_condition *c)
{
    switch (c->kind) {
    case RDL__COND_IS:
        return copy_data(arena, c->type, c->value);
    case RDL__COND_FIELD:
        return copy(arena, c->value, c->size);
    case RDL__COND_TEXT:
        return copy(arena, c->value, strlen(c->value) + 1);
    case RDL__COND_HOLDS:
        return c->predicate->copy ? c->predicate->copy(arena, c->value) : c->value;
    default:
        return c->value;
    }
}

static const struct rdl_pattern *copy_pattern(struct rdl__arena *arena,
                                              const struct rdl_pattern *from)
{
    struct rdl_pattern *pattern = copy(arena, from, sizeof *from);
    struct rdl_condition *conditions;
    size_t count = 0;

    while (from->conditions[count].kind)
        count++;
    conditions = copy(arena, from->conditions, (count + 1) * sizeof *conditions);
    for (size_t i = 0; i < count; i++)
        conditions[i].value = copy_value(arena, &conditions[i]);
    pattern->conditions = conditions;
    return pattern;
}

static const struct rdl_step *const *copy_parts(struct rdl__arena *arena,
                                                const struct rdl_step *step)
{
    uint32_t count = rdl__step_count_parts(step);
    const struct rdl_step **parts = rdl__arena_alloc(arena, (count + 1) * sizeof *parts);

    for (uint32_t i = 0; i < count; i++)
        parts[i] = rdl__step_copy(arena, step->parts[i]);
    parts[count] = NULL;
    return parts;
}

/* Is its value an answer, and no event? */
static bool is_answered(const struct rdl_step *step)
{
    return step->kind == RDL__STEP_CALL || step->kind == RDL__STEP_RELEASE;
}

const struct rdl_step *rdl__step_copy(struct rdl__arena *arena, const struct rdl_step *from)
{
    struct rdl_step *step = copy(arena, from, sizeof *from);

    if (from->pattern)
        step->pattern = copy_pattern(arena, from->pattern);
    if (from->parts)
        step->parts = copy_parts(arena, from);
    if (from->value)
        step->value = is_answered(from) ? copy(arena, from->value, from->value_size)
                                        : copy_data(arena, from->type, from->value);
    return step;
}
