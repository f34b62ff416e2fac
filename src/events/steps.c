/* steps.c -- what the steps of a spec are, before they become places. */
#include <string.h>

#include "events/compile.h"

int rdl__line_of(const struct rdl_step *step)
{
    if (step->parts && step->parts[0] && rdl__line_of(step->parts[0]) < step->line)
        return rdl__line_of(step->parts[0]);
    return step->line;
}

bool rdl__step_is_header(const struct rdl_step *step)
{
    return step->kind >= RDL__STEP_ALLOW && step->kind <= RDL__STEP_OTHERWISE;
}

static bool is_action(const struct rdl_step *step)
{
    return step->kind == RDL__STEP_TRIGGER || step->kind == RDL__STEP_DO ||
           step->kind == RDL__STEP_INSPECT || step->kind == RDL__STEP_RELEASE;
}

bool rdl__step_is_event(const struct rdl_step *step)
{
    return step->kind == RDL__STEP_EXPECT || step->kind == RDL__STEP_ANSWER ||
           step->kind == RDL__STEP_CALL;
}

/* Can it be gone through without anything happening? */
bool rdl__step_is_nullable(const struct rdl_step *step)
{
    bool any = false, all = true;

    if (rdl__step_is_event(step) || is_action(step) || step->kind == RDL__STEP_REQUIRE)
        return false;
    if (!step->parts)
        return true;
    for (const struct rdl_step *const *part = step->parts; *part; part++) {
        any |= rdl__step_is_nullable(*part);
        all &= rdl__step_is_nullable(*part);
    }
    if (step->kind == RDL__STEP_EITHER)
        return any;
    return all || step->kind == RDL__STEP_REPLICATED ||
           (step->kind == RDL__STEP_REPEAT && step->min == 0);
}

/* Is there an event, or an action, in it at all? */
bool rdl__step_has_events(const struct rdl_step *step)
{
    bool any = rdl__step_is_event(step) || step->kind == RDL__STEP_REQUIRE;

    for (const struct rdl_step *const *part = step->parts; part && *part; part++)
        any |= rdl__step_has_events(*part);
    return any && (step->kind != RDL__STEP_REPEAT || step->max > 0);
}

bool rdl__step_has_actions(const struct rdl_step *step)
{
    bool any = is_action(step);

    for (const struct rdl_step *const *part = step->parts; part && *part; part++)
        any |= rdl__step_has_actions(*part);
    return any && (step->kind != RDL__STEP_REPEAT || step->max > 0);
}

uint32_t rdl__step_count_parts(const struct rdl_step *step)
{
    uint32_t count = 0;

    while (step->parts[count])
        count++;
    return count;
}

/* The steps in it that the test would do something in; NULL: there are none. */
const struct rdl_step *rdl__step_find_action(const struct rdl_step *step)
{
    const struct rdl_step *found = NULL;

    if (is_action(step) || step->kind == RDL__STEP_ANSWERS ||
        step->kind == RDL__STEP_UNORDERED_AT_END)
        return step;
    for (const struct rdl_step *const *part = step->parts; part && *part && !found; part++)
        found = rdl__step_find_action(*part);
    return found;
}

const struct rdl_step *rdl__step_find_within(const struct rdl_step *step)
{
    const struct rdl_step *found = step->kind == RDL__STEP_WITHIN ? step : NULL;

    for (const struct rdl_step *const *part = step->parts; part && *part && !found; part++)
        found = rdl__step_find_within(*part);
    return found;
}

bool rdl__step_body_is_nullable(const struct rdl_step *step)
{
    for (const struct rdl_step *const *part = step->parts; *part; part++)
        if (!rdl__step_is_nullable(*part))
            return false;
    return true;
}

static bool have_equal_parts(const struct rdl_step *a, const struct rdl_step *b)
{
    uint32_t count = rdl__step_count_parts(a);

    if (count != rdl__step_count_parts(b))
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!rdl__steps_are_equal(a->parts[i], b->parts[i]))
            return false;
    return true;
}

static bool have_equal_values(const struct rdl_step *a, const struct rdl_step *b)
{
    size_t size = a->value_size ? a->value_size : a->type ? a->type->size : 0;

    return a->value && b->value ? memcmp(a->value, b->value, size) == 0 : a->value == b->value;
}

/* Names of tags are literals: where they are the same, so are they. */
bool rdl__steps_are_equal(const struct rdl_step *a, const struct rdl_step *b)
{
    if (a->kind != b->kind || a->min != b->min || a->max != b->max || a->type != b->type ||
        a->port != b->port || a->value_size != b->value_size || a->blocks != b->blocks ||
        a->name != b->name || a->object != b->object || a->make != b->make || a->act != b->act ||
        a->reply != b->reply || a->decide != b->decide || !have_equal_values(a, b))
        return false;
    if (!a->pattern != !b->pattern || !a->parts != !b->parts)
        return false;
    return (!a->pattern || rdl__patterns_are_equal(a->pattern, b->pattern)) &&
           (!a->parts || have_equal_parts(a, b));
}
