/* recorded.c -- from a spec that acts to one for what has been recorded.
 *
 * In a log there is nobody to act, but what others did stands there.  So steps that act become
 * steps that wait:
 *
 *   rdl_trigger      an event into the component: equal to the value, or any of the type
 *   rdl_answer       the request; and what is made of it is required in the rest of the
 *                    sequence, in which it may come at any place
 *   rdl_do, rdl_inspect  nothing: neither leaves a trace
 *
 * What becomes of an event makes no difference any more: what is dropped is allowed, and
 * nothing is held. */
#include <stdlib.h>
#include <string.h>

#include "events/events.h"

struct translator {
    struct rdl__recorded *out;
    uint32_t events; /* that are waited for, so far */
};

/* Parts of a step that is being made. */
struct parts {
    const struct rdl_step **items;
    size_t count;
};

static void *make(struct translator *t, const void *from, size_t size)
{
    return memcpy(rdl__arena_alloc(&t->out->arena, size), from, size);
}

static const struct rdl_step *make_step(struct translator *t, const struct rdl_step *like,
                                        enum rdl__step_kind kind)
{
    struct rdl_step *step = make(t, like, sizeof *step);

    step->kind = kind;
    return step;
}

static size_t count_parts(const struct rdl_step *const *parts)
{
    size_t count = 0;

    while (parts[count])
        count++;
    return count;
}

/* Each part becomes at most three, and a NULL ends them. */
static struct parts begin_parts(struct translator *t, size_t count)
{
    size_t size = (3 * count + 1) * sizeof(struct rdl_step *);
    struct parts parts = {.items = rdl__arena_alloc(&t->out->arena, size)};

    memset(parts.items, 0, size);
    return parts;
}

static void add_part(struct parts *parts, const struct rdl_step *step)
{
    if (step)
        parts->items[parts->count++] = step;
}

static const struct rdl_step *make_block(struct translator *t, const struct rdl_step *like,
                                         enum rdl__step_kind kind, const struct parts *parts)
{
    struct rdl_step *step = make(t, like, sizeof *step);

    step->kind = kind;
    step->parts = parts->items;
    return step;
}

/* ---- Events --------------------------------------------------------------------------------- */

static const struct rdl_step *make_event(struct translator *t, const struct rdl_step *like,
                                         enum rdl__step_kind kind,
                                         const struct rdl_pattern *pattern)
{
    struct rdl_step *step = make(t, like, sizeof *step);

    step->kind = kind;
    step->pattern = pattern;
    t->events++;
    return step;
}

/* Events into the component, of which one thing is known. */
static const struct rdl_pattern *make_pattern(struct translator *t, struct rdl_port *port,
                                              const struct rdl_condition *condition)
{
    const struct rdl_condition conditions[] = {*condition, {.kind = RDL__COND_NONE}};
    struct rdl_pattern pattern = {port, RDL_IN, make(t, conditions, sizeof conditions)};

    return make(t, &pattern, sizeof pattern);
}

static const struct rdl_step *translate_trigger(struct translator *t, const struct rdl_step *step)
{
    struct rdl_condition condition = {.kind = step->value ? RDL__COND_IS : RDL__COND_ANY,
                                      .type = step->type,
                                      .value = step->value};

    return make_event(t, step, RDL__STEP_EXPECT, make_pattern(t, step->port, &condition));
}

/* ---- Requests and answers ------------------------------------------------------------------- */

/* A place to keep the answer in until it comes.  Each has its own, and a name that no other
 * has. */
static const struct rdl_slot *make_slot(struct translator *t, const struct rdl_step *step)
{
    struct rdl_slot slot = {.size = step->type->size};
    struct rdl__text name = {0};

    rdl__text_add(&name, "answer %u", t->events);
    slot.name = make(t, name.bytes, name.count + 1);
    rdl__text_release(&name);
    return make(t, &slot, sizeof slot);
}

/* The function is called with slots as they were before, so that condition comes first. */
static const struct rdl_step *make_request(struct translator *t, const struct rdl_step *step,
                                           const struct rdl_slot *slot)
{
    size_t count = 0;
    struct rdl_pattern pattern = *step->pattern;
    struct rdl_condition *conditions;

    while (pattern.conditions[count].kind)
        count++;
    conditions = rdl__arena_alloc(&t->out->arena, (count + 2) * sizeof *conditions);
    memcpy(conditions + 1, pattern.conditions, (count + 1) * sizeof *conditions);
    conditions[0] = (struct rdl_condition){.kind = RDL__COND_ASKS,
                                           .type = rdl__pattern_type(&pattern),
                                           .name = step->name,
                                           .size = slot->size,
                                           .slot = slot,
                                           .answer = step};
    pattern.conditions = conditions;
    return make_event(t, step, RDL__STEP_EXPECT, make(t, &pattern, sizeof pattern));
}

static const struct rdl_step *make_answer(struct translator *t, const struct rdl_step *step,
                                          const struct rdl_slot *slot)
{
    struct rdl_condition condition = {.kind = RDL__COND_ANSWERS,
                                      .type = step->type,
                                      .name = step->name,
                                      .size = slot->size,
                                      .slot = slot,
                                      .answer = step};

    return make_event(t, step, RDL__STEP_REQUIRE, make_pattern(t, step->port, &condition));
}

/* The request, or whatever else it is, and its answer, if it has one. */
static void split_answer(struct translator *t, const struct rdl_step *step, struct parts *requests,
                         struct parts *answers)
{
    const struct rdl_slot *slot;

    if (step->kind != RDL__STEP_ANSWER) {
        t->events += step->kind == RDL__STEP_EXPECT;
        add_part(requests, step);
        return;
    }
    slot = make_slot(t, step);
    add_part(requests, make_request(t, step, slot));
    add_part(answers, make_answer(t, step, slot));
}

static bool has_answers(const struct rdl_step *step)
{
    bool has = step->kind == RDL__STEP_ANSWER;

    if (step->kind == RDL__STEP_ANSWERS || step->kind == RDL__STEP_UNORDERED ||
        step->kind == RDL__STEP_UNORDERED_AT_END)
        for (const struct rdl_step *const *part = step->parts; *part; part++)
            has |= (*part)->kind == RDL__STEP_ANSWER;
    return has;
}

static void add_parts(struct translator *t, const struct rdl_step *const *from, struct parts *out);

/* A step with answers, and all that follows in its sequence: what is required may come in all
 * of that.  Only if answers are sent one by one, some may come before the last request. */
static void add_answered(struct translator *t, const struct rdl_step *const *from,
                         struct parts *out)
{
    const struct rdl_step *step = *from;
    bool one_by_one = step->kind == RDL__STEP_UNORDERED;
    size_t count = step->parts ? count_parts(step->parts) : 1;
    struct parts requests = begin_parts(t, count),
                 rest = begin_parts(t, count + 1 + count_parts(from + 1));

    for (size_t i = 0; i < count; i++)
        split_answer(t, step->parts ? step->parts[i] : step, &requests, &rest);
    if (step->kind == RDL__STEP_ANSWER || step->kind == RDL__STEP_ANSWERS)
        for (size_t i = 0; i < requests.count; i++)
            add_part(out, requests.items[i]);
    else
        add_part(one_by_one ? &rest : out, make_block(t, step, RDL__STEP_UNORDERED, &requests));
    add_parts(t, from + 1, &rest);
    add_part(out, make_block(t, step, RDL__STEP_SEQUENCE, &rest));
}

/* ---- Blocks --------------------------------------------------------------------------------- */

static const struct rdl_step *translate(struct translator *t, const struct rdl_step *step);

static void add_parts(struct translator *t, const struct rdl_step *const *from, struct parts *out)
{
    for (; *from; from++) {
        if (has_answers(*from)) {
            add_answered(t, from, out);
            return;
        }
        add_part(out, translate(t, *from));
    }
}

static const struct rdl_step *make_nothing(struct translator *t, const struct rdl_step *like)
{
    struct rdl_step step = {.kind = RDL__STEP_NOTHING, .file = like->file, .line = like->line};

    return make(t, &step, sizeof step);
}

/* Each part becomes one part.  Where nothing is left of a branch, that is a branch, too: which
 * number they have may matter. */
static const struct rdl_step *translate_each(struct translator *t, const struct rdl_step *step)
{
    size_t count = count_parts(step->parts), left = 0;
    struct parts parts = begin_parts(t, count);

    for (size_t i = 0; i < count; i++) {
        const struct rdl_step *part = translate(t, step->parts[i]);

        left += part != NULL;
        add_part(&parts, part ? part : make_nothing(t, step->parts[i]));
    }
    return left > 0 ? make_block(t, step, step->kind, &parts) : NULL;
}

static const struct rdl_step *translate_block(struct translator *t, const struct rdl_step *step)
{
    struct parts parts = begin_parts(t, count_parts(step->parts));

    add_parts(t, step->parts, &parts);
    return make_block(t, step, step->kind, &parts);
}

/* A step alone, as in a branch: it is a sequence of one. */
static const struct rdl_step *translate_answered(struct translator *t, const struct rdl_step *step)
{
    const struct rdl_step *const alone[] = {step, NULL};
    struct parts parts = begin_parts(t, 1);

    add_answered(t, make(t, alone, sizeof alone), &parts);
    return make_block(t, step, RDL__STEP_SEQUENCE, &parts);
}

static const struct rdl_step *translate_kind(struct translator *t, const struct rdl_step *step)
{
    switch (step->kind) {
    case RDL__STEP_TRIGGER:
        return translate_trigger(t, step);
    case RDL__STEP_DO:
    case RDL__STEP_INSPECT:
        t->out->passed_over++;
        return NULL;
    case RDL__STEP_DROP:
        return make_step(t, step, RDL__STEP_ALLOW);
    case RDL__STEP_UNORDERED_AT_END:
        t->events++;
        return make_step(t, step, RDL__STEP_UNORDERED);
    case RDL__STEP_EITHER:
    case RDL__STEP_INTERLEAVED:
        return translate_each(t, step);
    case RDL__STEP_WITHIN:
        t->out->has_deadlines = true;
        return translate_block(t, step);
    case RDL__STEP_SEQUENCE:
    case RDL__STEP_REPEAT:
    case RDL__STEP_REPLICATED:
        return translate_block(t, step);
    default:
        t->events += step->kind == RDL__STEP_EXPECT || step->kind == RDL__STEP_CALL ||
                     step->kind == RDL__STEP_UNORDERED || step->kind == RDL__STEP_REQUIRE;
        return step;
    }
}

/* NULL: all there was to it has been passed over. */
static const struct rdl_step *translate(struct translator *t, const struct rdl_step *step)
{
    uint32_t events = t->events, passed_over = t->out->passed_over;
    const struct rdl_step *made =
        has_answers(step) ? translate_answered(t, step) : translate_kind(t, step);

    return t->events == events && t->out->passed_over > passed_over ? NULL : made;
}

/* ---- Names ---------------------------------------------------------------------------------- */

static bool know_port(struct rdl__recorded *out, const struct rdl_step *step, struct rdl_port *port,
                      struct rdl__error *error)
{
    size_t i = 0;

    while (i < out->port_count && out->ports[i] != port)
        i++;
    if (!port || i < out->port_count)
        return true;
    if (!port->name)
        return rdl__fail(error, "%s:%d: a port without a name, which no log can tell of",
                         step->file, step->line);
    for (i = 0; i < out->port_count; i++)
        if (strcmp(out->ports[i]->name, port->name) == 0)
            return rdl__fail(error, "%s:%d: two ports are called %s, and a log has but names",
                             step->file, step->line, port->name);
    out->ports = rdl__reallocate(out->ports, (out->port_count + 1) * sizeof *out->ports);
    out->ports[out->port_count++] = port;
    return true;
}

static bool know_type(struct rdl__recorded *out, const struct rdl_step *step,
                      const struct rdl_event_type *type, struct rdl__error *error)
{
    for (size_t i = 0; i < out->type_count; i++) {
        if (strcmp(out->types[i]->name, type->name) != 0)
            continue;
        if (!rdl__is_a(type, out->types[i]) || !rdl__is_a(out->types[i], type))
            return rdl__fail(error,
                             "%s:%d: two types of events are called %s, and a log has but "
                             "names",
                             step->file, step->line, type->name);
        return true;
    }
    out->types =
        rdl__reallocate(out->types, (out->type_count + 1) * sizeof(struct rdl_event_type *));
    out->types[out->type_count++] = type;
    return true;
}

static bool know_pattern(struct rdl__recorded *out, const struct rdl_step *step,
                         struct rdl__error *error)
{
    if (!know_port(out, step, step->pattern->port, error))
        return false;
    for (const struct rdl_condition *c = step->pattern->conditions; c->kind; c++) {
        if (c->answer && !c->answer->reply)
            return rdl__fail(error, "%s:%d: there is no function to call: it is NULL", step->file,
                             step->line);
        if (c->answer && c->answer->type->varies)
            return rdl__fail(error, "%s:%d: answers must be of a type of fixed size", step->file,
                             step->line);
        if (!know_type(out, step, c->type, error))
            return false;
    }
    return true;
}

static bool know_names(struct rdl__recorded *out, const struct rdl_step *step,
                       struct rdl__error *error)
{
    if (step->kind == RDL__STEP_CALL)
        return rdl__fail(error, "%s:%d: a call of an operation, which no log tells of", step->file,
                         step->line);
    if (step->pattern && !know_pattern(out, step, error))
        return false;
    if (step->kind == RDL__STEP_OTHERWISE && !know_type(out, step, step->type, error))
        return false;
    for (const struct rdl_step *const *part = step->parts; part && *part; part++)
        if (!know_names(out, *part, error))
            return false;
    return true;
}

/* ---- The whole of it ------------------------------------------------------------------------ */

bool rdl__recorded_init(struct rdl__recorded *out, const struct rdl_step *spec,
                        struct rdl__error *error)
{
    struct translator t = {.out = out};
    struct parts nothing;

    *out = (struct rdl__recorded){0};
    nothing = begin_parts(&t, 0);
    out->spec = translate(&t, spec);
    if (!out->spec)
        out->spec = make_block(&t, spec, RDL__STEP_SEQUENCE, &nothing);
    return know_names(out, out->spec, error);
}

void rdl__recorded_release(struct rdl__recorded *recorded)
{
    free(recorded->ports);
    free(recorded->types);
    rdl__arena_release(&recorded->arena);
}
