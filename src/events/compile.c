/* compile.c -- from the steps of a spec to the places of a program. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "events/program.h"

#define FOREVER_MS 1e12

struct compiler {
    struct rdl__program *p;
    struct rdl__error *error;
    const struct rdl_step *top;
};

/* Arrays grow one by one: specs are small. */
#define GROW(array, count) ((array) = rdl__reallocate((array), ((count) + 1) * sizeof *(array)))

/* Where a step stands; a block begins where its first part does, or before. */
static int line_of(const struct rdl_step *step)
{
    if (step->parts && step->parts[0] && line_of(step->parts[0]) < step->line)
        return line_of(step->parts[0]);
    return step->line;
}

static bool wrong(struct compiler *c, const struct rdl_step *step, const char *what)
{
    return rdl__fail(c->error, "%s:%d: %s", step->file, line_of(step), what);
}

/* ---- What steps are ------------------------------------------------------------------------- */

static bool is_header(const struct rdl_step *step)
{
    return step->kind >= RDL__STEP_ALLOW && step->kind <= RDL__STEP_OTHERWISE;
}

static bool is_action(const struct rdl_step *step)
{
    return step->kind == RDL__STEP_TRIGGER || step->kind == RDL__STEP_DO ||
           step->kind == RDL__STEP_INSPECT;
}

static bool is_event(const struct rdl_step *step)
{
    return step->kind == RDL__STEP_EXPECT || step->kind == RDL__STEP_ANSWER;
}

/* Can it be gone through without anything happening? */
static bool is_nullable(const struct rdl_step *step)
{
    bool any = false, all = true;

    if (is_event(step) || is_action(step) || step->kind == RDL__STEP_REQUIRE)
        return false;
    if (!step->parts)
        return true;
    for (const struct rdl_step *const *part = step->parts; *part; part++) {
        any |= is_nullable(*part);
        all &= is_nullable(*part);
    }
    if (step->kind == RDL__STEP_EITHER)
        return any;
    return all || (step->kind == RDL__STEP_REPEAT && step->min == 0);
}

/* Is there an event, or an action, in it at all? */
static bool has_events(const struct rdl_step *step)
{
    bool any = is_event(step) || step->kind == RDL__STEP_REQUIRE;

    for (const struct rdl_step *const *part = step->parts; part && *part; part++)
        any |= has_events(*part);
    return any && (step->kind != RDL__STEP_REPEAT || step->max > 0);
}

static bool has_actions(const struct rdl_step *step)
{
    bool any = is_action(step);

    for (const struct rdl_step *const *part = step->parts; part && *part; part++)
        any |= has_actions(*part);
    return any && (step->kind != RDL__STEP_REPEAT || step->max > 0);
}

/* ---- Patterns, slots ------------------------------------------------------------------------ */

static uint32_t words_for(size_t bytes)
{
    return (uint32_t)((bytes + 7) / 8);
}

static uint32_t add_words(struct rdl__program *p, uint32_t count)
{
    p->words += count;
    return p->words - count;
}

static bool add_slot(struct compiler *c, const struct rdl_step *step, const struct rdl_slot *slot)
{
    struct rdl__program *p = c->p;

    for (uint32_t i = 0; i < p->kept_count; i++)
        if (rdl__are_one_slot(p->kept[i].slot, slot))
            return true;
    if (p->kept_count == 64)
        return wrong(c, step, "more than 64 slots");
    GROW(p->kept, p->kept_count);
    p->kept[p->kept_count] = (struct rdl__kept){
        .slot = slot, .word = add_words(p, words_for(slot->size)), .is_set = p->kept_count};
    p->kept_count++;
    return true;
}

static bool check_condition(struct compiler *c, const struct rdl_step *step,
                            const struct rdl_condition *condition,
                            const struct rdl_event_type *type)
{
    if (!rdl__is_a(type, condition->type))
        return rdl__fail(c->error, "%s:%d: no event is of the types %s and %s", step->file,
                         line_of(step), type->name, condition->type->name);
    if (!condition->slot)
        return true;
    if (condition->type->varies && !condition->name)
        return wrong(c, step, "what is kept whole must be of a type of fixed size");
    if (condition->size != condition->slot->size)
        return rdl__fail(
            c->error, "%s:%d: %s of %s has %zu bytes, but the slot %s is for values of %zu",
            step->file, line_of(step), condition->name ? condition->name : "all",
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
static bool add_pattern(struct compiler *c, const struct rdl_step *step, uint32_t *out)
{
    struct rdl__program *p = c->p;
    const struct rdl_pattern *pattern = step->pattern;
    bool has_slots = false;

    if (!pattern->conditions[0].kind)
        return wrong(c, step, "a pattern without a condition; rdl_any is one");
    if (!pattern->port)
        return wrong(c, step, "a pattern without a port");
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
    GROW(p->patterns, p->pattern_count);
    GROW(p->has_slots, p->pattern_count);
    p->patterns[p->pattern_count] = pattern;
    p->has_slots[p->pattern_count++] = has_slots;
    return true;
}

/* Functions that look at slots by themselves make a pattern depend on them, too: how should
 * we know?  Where there are slots, all that have functions do. */
static void suspect_functions(struct rdl__program *p)
{
    for (uint32_t i = 0; i < p->pattern_count && p->kept_count > 0; i++)
        for (const struct rdl_condition *c = p->patterns[i]->conditions; c->kind; c++)
            p->has_slots[i] |= c->kind == RDL__COND_IF;
}

static bool add_wanted(struct compiler *c, const struct rdl_step *step, uint32_t first)
{
    struct rdl__program *p = c->p;
    struct rdl__wanted wanted = {.step = step, .twin = RDL__NOWHERE};

    if (!add_pattern(c, step, &wanted.pattern))
        return false;
    for (uint32_t i = first; i < p->wanted_count; i++)
        if (p->wanted[i].pattern == wanted.pattern && p->wanted[i].step->reply == step->reply &&
            p->wanted[i].step->port == step->port)
            wanted.twin = i;
    if (step->kind == RDL__STEP_ANSWER && !step->port)
        return wrong(c, step, "an answer without a port");
    if (step->kind == RDL__STEP_ANSWER && step->type->varies)
        return wrong(c, step, "answers must be of a type of fixed size");
    if (step->kind == RDL__STEP_ANSWER && !step->reply)
        return wrong(c, step, "there is no function to call: it is NULL");
    if (step->kind == RDL__STEP_ANSWER && p->reply_size < step->type->size)
        p->reply_size = step->type->size;
    GROW(p->wanted, p->wanted_count);
    p->wanted[p->wanted_count++] = wanted;
    return true;
}

/* ---- Places --------------------------------------------------------------------------------- */

static uint32_t add_place(struct rdl__program *p, struct rdl__place place)
{
    GROW(p->places, p->place_count);
    p->places[p->place_count] = place;
    return p->place_count++;
}

/* All is built from the end to the beginning: a step is given the place after it, and returns,
 * in *at, the place where it begins. */
static bool add_step(struct compiler *c, const struct rdl_step *step, uint32_t scope, uint32_t *at);

static bool add_event(struct compiler *c, const struct rdl_step *step, uint32_t scope,
                      enum rdl__effect_kind effect, uint32_t *at)
{
    uint32_t first = c->p->wanted_count;

    if (!add_wanted(c, step, first))
        return false;
    *at = add_place(c->p, (struct rdl__place){.kind = RDL__PLACE_EVENT,
                                              .step = step,
                                              .next = *at,
                                              .scope = scope,
                                              .first = first,
                                              .count = 1,
                                              .effect = effect});
    return true;
}

static uint32_t add_action(struct compiler *c, const struct rdl_step *step, uint32_t scope,
                           uint32_t at)
{
    return add_place(
        c->p,
        (struct rdl__place){.kind = RDL__PLACE_ACTION, .step = step, .next = at, .scope = scope});
}

static bool add_unordered(struct compiler *c, const struct rdl_step *step, uint32_t scope,
                          uint32_t *at)
{
    struct rdl__program *p = c->p;
    bool at_end = step->kind == RDL__STEP_UNORDERED_AT_END;
    uint32_t first = p->wanted_count;

    if (at_end)
        *at = add_action(c, step, scope, *at);
    for (const struct rdl_step *const *part = step->parts; *part; part++) {
        if (!is_event(*part))
            return wrong(c, *part, "what is unordered is made of rdl_expect and rdl_answer only");
        if (!add_wanted(c, *part, first))
            return false;
    }
    *at =
        add_place(p, (struct rdl__place){.kind = RDL__PLACE_EVENTS,
                                         .step = step,
                                         .next = *at,
                                         .scope = scope,
                                         .first = first,
                                         .count = p->wanted_count - first,
                                         .word = add_words(p, (p->wanted_count - first + 63) / 64),
                                         .effect = at_end ? RDL__HOLD : RDL__FORWARD});
    return true;
}

static bool add_answers(struct compiler *c, const struct rdl_step *step, uint32_t scope,
                        uint32_t *at)
{
    size_t count = 0;

    *at = add_action(c, step, scope, *at);
    while (step->parts[count])
        count++;
    while (count-- > 0) {
        if (step->parts[count]->kind != RDL__STEP_ANSWER)
            return wrong(c, step->parts[count], "rdl_answers is made of rdl_answer only");
        if (!add_event(c, step->parts[count], scope, RDL__HOLD_REPLY, at))
            return false;
    }
    return true;
}

static uint32_t add_fork(struct rdl__program *p, const struct rdl_step *step, uint32_t scope,
                         const uint32_t *targets, uint32_t count)
{
    uint32_t first = p->target_count;

    for (uint32_t i = 0; i < count; i++) {
        GROW(p->targets, p->target_count);
        p->targets[p->target_count++] = targets[i];
    }
    return add_place(p, (struct rdl__place){.kind = RDL__PLACE_FORK,
                                            .step = step,
                                            .scope = scope,
                                            .next = RDL__NOWHERE,
                                            .first = first,
                                            .count = count});
}

static bool add_either(struct compiler *c, const struct rdl_step *step, uint32_t scope,
                       uint32_t *at)
{
    uint32_t *targets = NULL, count = 0, after = *at;
    bool good = true;

    for (const struct rdl_step *const *part = step->parts; good && *part; part++) {
        GROW(targets, count);
        targets[count] = after;
        if (!has_events(*part) && !has_actions(*part))
            good = wrong(c, *part,
                         "a branch of rdl_either in which nothing can happen; rdl_optional "
                         "is for what may be left out");
        good = good && add_step(c, *part, scope, &targets[count]);
        count++;
    }
    if (good)
        *at = add_fork(c->p, step, scope, targets, count);
    free(targets);
    return good;
}

/* ---- Blocks --------------------------------------------------------------------------------- */

static bool add_rule(struct compiler *c, const struct rdl_step *step)
{
    struct rdl__program *p = c->p;
    struct rdl__rule rule = {.step = step};

    if (!add_pattern(c, step, &rule.pattern))
        return false;
    for (const struct rdl_condition *condition = step->pattern->conditions; condition->kind;
         condition++)
        if (condition->kind == RDL__COND_BIND)
            return wrong(c, step, "a rule cannot bind anything: it may apply any number of times");
    GROW(p->rules, p->rule_count);
    p->rules[p->rule_count++] = rule;
    return true;
}

static bool add_otherwise(struct compiler *c, const struct rdl_step *block,
                          const struct rdl_step *step)
{
    struct rdl__program *p = c->p;

    if (block != c->top)
        return wrong(c, step, "rdl_otherwise stands at the beginning of the whole spec only");
    if (!step->decide)
        return wrong(c, step, "there is no function to call: it is NULL");
    GROW(p->otherwise, p->otherwise_count);
    p->otherwise[p->otherwise_count++] = step;
    return true;
}

static bool add_header(struct compiler *c, const struct rdl_step *block,
                       const struct rdl_step *step, struct rdl__scope *scope)
{
    switch (step->kind) {
    case RDL__STEP_OTHERWISE:
        return add_otherwise(c, block, step);
    case RDL__STEP_REQUIRE:
        return true; /* together, later: they must lie one after the other */
    default:
        scope->rule_count++;
        return add_rule(c, step);
    }
}

static bool add_required(struct compiler *c, const struct rdl_step *block, struct rdl__scope *scope)
{
    scope->first_required = c->p->wanted_count;
    for (const struct rdl_step *const *part = block->parts; *part; part++)
        if ((*part)->kind == RDL__STEP_REQUIRE &&
            (scope->required_count++, !add_wanted(c, *part, scope->first_required)))
            return false;
    if (scope->required_count > 0)
        scope->word = add_words(c->p, (scope->required_count + 63) / 64);
    return true;
}

/* Nothing holds in it that does not hold around it. */
static bool says_nothing(const struct rdl__program *p, const struct rdl__scope *scope)
{
    return scope->parent != RDL__NOWHERE && scope->rule_count == 0 && scope->required_count == 0 &&
           scope->deadline == RDL__NOWHERE && scope->loops == p->scopes[scope->parent].loops;
}

/* The block's own scope, if it has rules, requirements or a deadline; else the one it is in.
 * *out_steps: where its steps begin. */
static bool add_scope(struct compiler *c, const struct rdl_step *block, uint32_t parent,
                      uint64_t loops, uint32_t *out, const struct rdl_step *const **out_steps)
{
    struct rdl__program *p = c->p;
    const struct rdl_step *const *part = block->parts;
    struct rdl__scope scope = {.parent = parent,
                               .first_rule = p->rule_count,
                               .deadline = RDL__NOWHERE,
                               .loops = loops,
                               .step = block};

    for (; *part && is_header(*part); part++)
        if (!add_header(c, block, *part, &scope))
            return false;
    *out_steps = part;
    for (; *part; part++)
        if (is_header(*part))
            return wrong(c, *part, "rules stand at the beginning of a sequence, before its steps");
    if (!add_required(c, block, &scope))
        return false;
    if (block->kind == RDL__STEP_WITHIN && block->deadline_ms < FOREVER_MS) {
        scope.deadline = p->deadlines++;
        scope.deadline_ns = (uint64_t)(block->deadline_ms * 1e6);
    }
    if (says_nothing(p, &scope)) {
        *out = parent;
        return true;
    }
    GROW(p->scopes, p->scope_count);
    p->scopes[p->scope_count] = scope;
    *out = p->scope_count++;
    return true;
}

/* A sequence with its scope, between two places. */
static bool add_body(struct compiler *c, const struct rdl_step *block, uint32_t parent,
                     uint64_t loops, uint32_t *at)
{
    struct rdl__program *p = c->p;
    const struct rdl_step *const *steps = NULL;
    uint32_t scope = RDL__NOWHERE;
    size_t count = 0;

    if (!add_scope(c, block, parent, loops, &scope, &steps))
        return false;
    if (scope != parent)
        *at =
            add_place(p, (struct rdl__place){
                             .kind = RDL__PLACE_LEAVE, .step = block, .next = *at, .scope = scope});
    if (scope != parent && p->scopes[scope].required_count > 0)
        *at = add_place(p, (struct rdl__place){
                               .kind = RDL__PLACE_END, .step = block, .next = *at, .scope = scope});
    while (steps[count])
        count++;
    while (count-- > 0)
        if (!add_step(c, steps[count], scope, at))
            return false;
    if (scope != parent)
        *at =
            add_place(p, (struct rdl__place){
                             .kind = RDL__PLACE_ENTER, .step = block, .next = *at, .scope = scope});
    return true;
}

static uint64_t loops_of(const struct rdl__program *p, uint32_t scope)
{
    return scope == RDL__NOWHERE ? 0 : p->scopes[scope].loops;
}

static bool check_loop(struct compiler *c, const struct rdl_step *step)
{
    bool nothing = true;

    if (step->min > step->max)
        return rdl__fail(c->error, "%s:%d: at least %u times, but at most %u", step->file,
                         line_of(step), step->min, step->max);
    for (const struct rdl_step *const *part = step->parts; *part; part++)
        nothing &= !has_events(*part);
    if (step->max == RDL_MANY && nothing)
        return wrong(c, step,
                     "any number of times of something in which no event is waited for: "
                     "there would be no end of it");
    return true;
}

static bool body_is_nullable(const struct rdl_step *step)
{
    for (const struct rdl_step *const *part = step->parts; *part; part++)
        if (!is_nullable(*part))
            return false;
    return true;
}

static bool add_repeat(struct compiler *c, const struct rdl_step *step, uint32_t scope,
                       uint32_t *at)
{
    struct rdl__program *p = c->p;
    uint32_t number = p->loop_count, exit = *at, again, body;
    uint64_t bit = 0;

    if (!check_loop(c, step))
        return false;
    if (step->max == 0)
        return true;
    if (body_is_nullable(step)) {
        if (p->nullable_loops == 64)
            return wrong(c, step, "more than 64 loops that may go round without an event");
        bit = UINT64_C(1) << p->nullable_loops++;
    }
    GROW(p->loops, p->loop_count);
    p->loops[p->loop_count++] = (struct rdl__loop){
        .min = step->min, .max = step->max, .word = add_words(p, 1), .bit = bit, .exit = exit};
    again = add_place(
        p,
        (struct rdl__place){
            .kind = RDL__PLACE_AGAIN, .step = step, .next = exit, .scope = scope, .loop = number});
    body = again;
    if (!add_body(c, step, scope, loops_of(p, scope) | bit, &body))
        return false;
    p->loops[number].body = body;
    *at = step->min == 0 ? add_fork(p, step, scope, (uint32_t[]){body, exit}, 2) : body;
    *at = add_place(
        p, (struct rdl__place){
               .kind = RDL__PLACE_LOOP, .step = step, .next = *at, .scope = scope, .loop = number});
    return true;
}

static bool check_within(struct compiler *c, const struct rdl_step *step)
{
    if (isnan(step->deadline_ms) || step->deadline_ms < 0)
        return wrong(c, step, "rdl_within a time that is less than none");
    return true;
}

static bool check_action(struct compiler *c, const struct rdl_step *step)
{
    if (step->kind == RDL__STEP_TRIGGER && !step->port)
        return wrong(c, step, "rdl_trigger without a port");
    if (step->value || step->make || step->act || step->holds)
        return true;
    return wrong(c, step, "there is no function to call: it is NULL");
}

static bool add_step(struct compiler *c, const struct rdl_step *step, uint32_t scope, uint32_t *at)
{
    switch (step->kind) {
    case RDL__STEP_EXPECT:
        return add_event(c, step, scope, RDL__FORWARD, at);
    case RDL__STEP_ANSWER:
        return add_event(c, step, scope, RDL__REPLY, at);
    case RDL__STEP_SEQUENCE:
        return add_body(c, step, scope, loops_of(c->p, scope), at);
    case RDL__STEP_WITHIN:
        return check_within(c, step) && add_body(c, step, scope, loops_of(c->p, scope), at);
    case RDL__STEP_EITHER:
        return add_either(c, step, scope, at);
    case RDL__STEP_REPEAT:
        return add_repeat(c, step, scope, at);
    case RDL__STEP_UNORDERED:
    case RDL__STEP_UNORDERED_AT_END:
        return add_unordered(c, step, scope, at);
    case RDL__STEP_ANSWERS:
        return add_answers(c, step, scope, at);
    case RDL__STEP_TRIGGER:
    case RDL__STEP_DO:
    case RDL__STEP_INSPECT:
        if (!check_action(c, step))
            return false;
        break;
    default:
        return wrong(c, step, "a rule stands at the beginning of a sequence; this is none");
    }
    *at = add_action(c, step, scope, *at);
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
static bool check_slots(struct compiler *c)
{
    struct rdl__program *p = c->p;

    for (uint32_t i = 0; i < p->kept_count; i++) {
        bool bound = false;

        for (uint32_t k = 0; k < p->pattern_count; k++)
            bound |= binds(p->patterns[k], p->kept[i].slot);
        if (!bound)
            return rdl__fail(c->error, "%s:%d: nothing in this spec binds the slot %s (rdl_bind)",
                             c->top->file, line_of(c->top), p->kept[i].slot->name);
    }
    return true;
}

/* They come after all other words. */
static void place_deadlines(struct rdl__program *p)
{
    for (uint32_t i = 0; i < p->scope_count; i++)
        if (p->scopes[i].deadline != RDL__NOWHERE)
            p->scopes[i].deadline += p->words;
    p->words += p->deadlines;
}

/* The whole is a block, too: its rules still hold when its steps are over. */
static bool compile(struct compiler *c)
{
    struct rdl__program *p = c->p;
    const struct rdl_step *const parts[] = {c->top, NULL};
    struct rdl_step *whole;

    if (c->top->kind != RDL__STEP_SEQUENCE) {
        whole = rdl__arena_alloc(&p->arena, sizeof *whole);
        *whole = (struct rdl_step){.kind = RDL__STEP_SEQUENCE,
                                   .file = c->top->file,
                                   .line = c->top->line,
                                   .parts = rdl__arena_alloc(&p->arena, sizeof parts)};
        memcpy((void *)whole->parts, parts, sizeof parts);
        c->top = whole;
    }
    p->words = RDL__WORDS_FIXED;
    p->start =
        add_place(p, (struct rdl__place){.kind = RDL__PLACE_STOP, .step = c->top, .scope = 0});
    if (!add_body(c, c->top, RDL__NOWHERE, 0, &p->start))
        return false;
    place_deadlines(p);
    suspect_functions(p);
    return check_slots(c);
}

struct rdl__program *rdl__program_new(const struct rdl_step *spec, struct rdl__error *error)
{
    struct rdl__program *p = rdl__allocate(sizeof *p);
    struct compiler compiler = {p, error, spec};

    if (compile(&compiler) && rdl__program_check(p, error))
        return p;
    rdl__program_free(p);
    return NULL;
}

void rdl__program_free(struct rdl__program *p)
{
    free(p->places);
    free(p->targets);
    free(p->wanted);
    free(p->rules);
    free(p->scopes);
    free(p->loops);
    free(p->kept);
    free(p->otherwise);
    free(p->patterns);
    free(p->has_slots);
    rdl__arena_release(&p->arena);
    rdl__text_release(&p->warnings);
    free(p);
}

const char *rdl__program_warnings(const struct rdl__program *program)
{
    return rdl__text_string(&program->warnings);
}
