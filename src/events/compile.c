/* compile.c -- from the steps of a spec to the places of a program. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "events/compile.h"

#define FOREVER_MS 1e12

/* ---- Places --------------------------------------------------------------------------------- */

static uint32_t add_place(struct rdl__compiler *c, struct rdl__place place)
{
    struct rdl__program *p = c->p;

    place.inside = c->inside;
    place.part = c->part;
    RDL__GROW(p->places, p->place_count, p->place_room);
    p->places[p->place_count] = place;
    return p->place_count++;
}

/* All is built from the end to the beginning: a step is given the place after it, and returns,
 * in *at, the place where it begins. */
static bool add_step(struct rdl__compiler *c, const struct rdl_step *step, uint32_t scope,
                     uint32_t *at);

static bool add_event(struct rdl__compiler *c, const struct rdl_step *step, uint32_t scope,
                      enum rdl__effect_kind effect, uint32_t *at)
{
    uint32_t first = c->p->wanted_count;

    if (!rdl__add_wanted(c, step, first))
        return false;
    *at = add_place(c, (struct rdl__place){.kind = RDL__PLACE_EVENT,
                                           .step = step,
                                           .next = *at,
                                           .scope = scope,
                                           .first = first,
                                           .count = 1,
                                           .effect = effect});
    return true;
}

static uint32_t add_action(struct rdl__compiler *c, const struct rdl_step *step, uint32_t scope,
                           uint32_t at)
{
    return add_place(c, (struct rdl__place){
                            .kind = RDL__PLACE_ACTION, .step = step, .next = at, .scope = scope});
}

static bool add_unordered(struct rdl__compiler *c, const struct rdl_step *step, uint32_t scope,
                          uint32_t *at)
{
    struct rdl__program *p = c->p;
    bool at_end = step->kind == RDL__STEP_UNORDERED_AT_END;
    uint32_t first = p->wanted_count;

    if (at_end)
        *at = add_action(c, step, scope, *at);
    for (const struct rdl_step *const *part = step->parts; *part; part++) {
        if (!rdl__step_is_event(*part))
            return rdl__wrong(c, *part,
                              "what is unordered is made of rdl_expect and rdl_answer only");
        if (at_end && (*part)->kind == RDL__STEP_CALL)
            return rdl__wrong(c, *part, "a call cannot be held until others have come");
        if (!rdl__add_wanted(c, *part, first))
            return false;
    }
    *at = add_place(
        c, (struct rdl__place){.kind = RDL__PLACE_EVENTS,
                               .step = step,
                               .next = *at,
                               .scope = scope,
                               .first = first,
                               .count = p->wanted_count - first,
                               .word = rdl__add_words(p, (p->wanted_count - first + 63) / 64),
                               .effect = at_end ? RDL__HOLD : RDL__FORWARD});
    return true;
}

static bool add_answers(struct rdl__compiler *c, const struct rdl_step *step, uint32_t scope,
                        uint32_t *at)
{
    size_t count = 0;

    *at = add_action(c, step, scope, *at);
    while (step->parts[count])
        count++;
    while (count-- > 0) {
        if (step->parts[count]->kind != RDL__STEP_ANSWER)
            return rdl__wrong(c, step->parts[count], "rdl_answers is made of rdl_answer only");
        if (!add_event(c, step->parts[count], scope, RDL__HOLD_REPLY, at))
            return false;
    }
    return true;
}

/* Where a fork leads to is known later. */
static uint32_t reserve_targets(struct rdl__program *p, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        RDL__GROW(p->targets, p->target_count, p->target_room);
        p->targets[p->target_count++] = RDL__NOWHERE;
    }
    return p->target_count - count;
}

static uint32_t add_choice(struct rdl__compiler *c, const struct rdl_step *step, uint32_t scope,
                           uint32_t one, uint32_t two)
{
    uint32_t first = reserve_targets(c->p, 2);

    c->p->targets[first] = one;
    c->p->targets[first + 1] = two;
    return add_place(c, (struct rdl__place){.kind = RDL__PLACE_FORK,
                                            .step = step,
                                            .scope = scope,
                                            .next = RDL__NOWHERE,
                                            .first = first,
                                            .count = 2});
}

/* The number of its tag, plus 1; 0: it has none. */
static bool add_tag(struct rdl__compiler *c, const struct rdl_step *step, uint32_t *out)
{
    struct rdl__program *p = c->p;

    *out = 0;
    if (!step->name)
        return true;
    for (uint32_t i = 0; i < p->tag_count; i++) {
        const struct rdl_step *other = p->tags[i].step;

        if (strcmp(other->name, step->name) != 0)
            continue;
        *out = i + 1;
        return rdl__step_count_parts(other) == rdl__step_count_parts(step) ||
               rdl__fail(c->error,
                         "%s:%d: rdl_either_as \"%s\" has %u alternatives, but that at %s:%d has "
                         "%u: which are the same?",
                         step->file, rdl__line_of(step), step->name, rdl__step_count_parts(step),
                         other->file, rdl__line_of(other), rdl__step_count_parts(other));
    }
    RDL__GROW(p->tags, p->tag_count, p->tag_room);
    p->tags[p->tag_count++] = (struct rdl__tag){step, p->shared++};
    *out = p->tag_count;
    return true;
}

static bool add_either(struct rdl__compiler *c, const struct rdl_step *step, uint32_t scope,
                       uint32_t *at)
{
    struct rdl__program *p = c->p;
    uint32_t count = rdl__step_count_parts(step), first = reserve_targets(p, count), tag;

    if (!add_tag(c, step, &tag))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const struct rdl_step *part = step->parts[i];
        uint32_t target = *at;

        if (part->kind != RDL__STEP_NOTHING && !rdl__step_has_events(part) &&
            !rdl__step_has_actions(part))
            return rdl__wrong(c, part,
                              "a branch of rdl_either in which nothing can happen; rdl_optional "
                              "is for what may be left out, and so is rdl_no_events");
        if (!add_step(c, part, scope, &target))
            return false;
        p->targets[first + i] = target;
    }
    *at = add_place(c, (struct rdl__place){.kind = RDL__PLACE_FORK,
                                           .step = step,
                                           .scope = scope,
                                           .next = RDL__NOWHERE,
                                           .first = first,
                                           .count = count,
                                           .tag = tag});
    return true;
}

static bool check_no_actions(struct rdl__compiler *c, const struct rdl_step *step)
{
    return !rdl__step_find_action(step) ||
           rdl__wrong(c, rdl__step_find_action(step),
                      "where steps are interleaved the test does nothing of its own: it would not "
                      "be clear when");
}

/* Each part has its own place, in a word, and goes on by itself until it joins the others. */
static bool add_interleaved(struct rdl__compiler *c, const struct rdl_step *step, uint32_t scope,
                            uint32_t *at)
{
    struct rdl__program *p = c->p;
    uint32_t count = rdl__step_count_parts(step), first = reserve_targets(p, count),
             outer = c->inside, outer_part = c->part;
    struct rdl__place it = {.kind = RDL__PLACE_PARTS,
                            .step = step,
                            .next = *at,
                            .scope = scope,
                            .first = first,
                            .count = count,
                            .word = rdl__add_words(p, count)};
    uint32_t parts = add_place(c, it);

    if (!check_no_actions(c, step))
        return false;
    c->inside = parts;
    for (c->part = 0; c->part < count; c->part++) {
        uint32_t target = add_place(
            c, (struct rdl__place){.kind = RDL__PLACE_JOIN, .step = step, .scope = scope});

        if (!add_step(c, step->parts[c->part], scope, &target))
            return false;
        p->targets[first + c->part] = target;
    }
    c->inside = outer;
    c->part = outer_part;
    it.kind = RDL__PLACE_SPLIT;
    it.next = parts;
    *at = add_place(c, it);
    return true;
}

/* ---- Blocks --------------------------------------------------------------------------------- */

static bool add_rule(struct rdl__compiler *c, const struct rdl_step *step)
{
    struct rdl__program *p = c->p;
    struct rdl__rule rule = {.step = step};

    if (!rdl__add_pattern(c, step, &rule.pattern))
        return false;
    for (const struct rdl_condition *condition = step->pattern->conditions; condition->kind;
         condition++)
        if (condition->kind == RDL__COND_BIND)
            return rdl__wrong(c, step,
                              "a rule cannot bind anything: it may apply any number of times");
    RDL__GROW(p->rules, p->rule_count, p->rule_room);
    p->rules[p->rule_count++] = rule;
    return true;
}

static bool add_otherwise(struct rdl__compiler *c, const struct rdl_step *block,
                          const struct rdl_step *step)
{
    struct rdl__program *p = c->p;

    if (block != c->top)
        return rdl__wrong(c, step, "rdl_otherwise stands at the beginning of the whole spec only");
    if (!step->decide)
        return rdl__wrong(c, step, "there is no function to call: it is NULL");
    RDL__GROW(p->otherwise, p->otherwise_count, p->otherwise_room);
    p->otherwise[p->otherwise_count++] = step;
    return true;
}

static bool add_header(struct rdl__compiler *c, const struct rdl_step *block,
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

static bool add_required(struct rdl__compiler *c, const struct rdl_step *block,
                         struct rdl__scope *scope)
{
    scope->first_required = c->p->wanted_count;
    for (const struct rdl_step *const *part = block->parts; *part; part++)
        if ((*part)->kind == RDL__STEP_REQUIRE &&
            (scope->required_count++, !rdl__add_wanted(c, *part, scope->first_required)))
            return false;
    if (scope->required_count > 0)
        scope->word = rdl__add_words(c->p, (scope->required_count + 63) / 64);
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
static bool add_scope(struct rdl__compiler *c, const struct rdl_step *block, uint32_t parent,
                      uint64_t loops, uint32_t *out, const struct rdl_step *const **out_steps)
{
    struct rdl__program *p = c->p;
    const struct rdl_step *const *part = block->parts;
    struct rdl__scope scope = {.parent = parent,
                               .first_rule = p->rule_count,
                               .deadline = RDL__NOWHERE,
                               .loops = loops,
                               .step = block};

    for (; *part && rdl__step_is_header(*part); part++)
        if (!add_header(c, block, *part, &scope))
            return false;
    *out_steps = part;
    for (; *part; part++)
        if (rdl__step_is_header(*part))
            return rdl__wrong(c, *part,
                              "rules stand at the beginning of a sequence, before its steps");
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
    RDL__GROW(p->scopes, p->scope_count, p->scope_room);
    p->scopes[p->scope_count] = scope;
    *out = p->scope_count++;
    return true;
}

/* A sequence with its scope, between two places. */
static bool add_body(struct rdl__compiler *c, const struct rdl_step *block, uint32_t parent,
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
            add_place(c, (struct rdl__place){
                             .kind = RDL__PLACE_LEAVE, .step = block, .next = *at, .scope = scope});
    if (scope != parent && p->scopes[scope].required_count > 0)
        *at = add_place(c, (struct rdl__place){
                               .kind = RDL__PLACE_END, .step = block, .next = *at, .scope = scope});
    while (steps[count])
        count++;
    while (count-- > 0)
        if (!add_step(c, steps[count], scope, at))
            return false;
    if (scope != parent)
        *at =
            add_place(c, (struct rdl__place){
                             .kind = RDL__PLACE_ENTER, .step = block, .next = *at, .scope = scope});
    return true;
}

static uint64_t loops_of(const struct rdl__program *p, uint32_t scope)
{
    return scope == RDL__NOWHERE ? 0 : p->scopes[scope].loops;
}

static bool check_loop(struct rdl__compiler *c, const struct rdl_step *step)
{
    bool nothing = true;

    if (step->min > step->max)
        return rdl__fail(c->error, "%s:%d: at least %u times, but at most %u", step->file,
                         rdl__line_of(step), step->min, step->max);
    for (const struct rdl_step *const *part = step->parts; *part; part++)
        nothing &= !rdl__step_has_events(*part);
    if (step->max == RDL_MANY && nothing)
        return rdl__wrong(c, step,
                          "any number of times of something in which no event is waited for: "
                          "there would be no end of it");
    return true;
}

static bool add_repeat(struct rdl__compiler *c, const struct rdl_step *step, uint32_t scope,
                       uint32_t *at)
{
    struct rdl__program *p = c->p;
    uint32_t number = p->loop_count, exit = *at, again, body;
    uint64_t bit = 0;

    if (!check_loop(c, step))
        return false;
    if (step->max == 0)
        return true;
    if (rdl__step_body_is_nullable(step)) {
        if (p->nullable_loops == 64)
            return rdl__wrong(c, step, "at most 64 loops may go round without an event");
        bit = UINT64_C(1) << p->nullable_loops++;
    }
    RDL__GROW(p->loops, p->loop_count, p->loop_room);
    p->loops[p->loop_count++] = (struct rdl__loop){
        .min = step->min, .max = step->max, .word = rdl__add_words(p, 1), .bit = bit, .exit = exit};
    again = add_place(
        c,
        (struct rdl__place){
            .kind = RDL__PLACE_AGAIN, .step = step, .next = exit, .scope = scope, .loop = number});
    body = again;
    if (!add_body(c, step, scope, loops_of(p, scope) | bit, &body))
        return false;
    p->loops[number].body = body;
    *at = step->min == 0 ? add_choice(c, step, scope, body, exit) : body;
    *at = add_place(
        c, (struct rdl__place){
               .kind = RDL__PLACE_LOOP, .step = step, .next = *at, .scope = scope, .loop = number});
    return true;
}

/* ---- Copies --------------------------------------------------------------------------------- */

static bool check_copies(struct rdl__compiler *c, const struct rdl_step *step)
{
    if (!rdl__step_has_events(step))
        return rdl__wrong(c, step, "copies of something in which no event is waited for");
    if (rdl__step_find_within(step))
        return rdl__wrong(c, rdl__step_find_within(step),
                          "rdl_within in rdl_replicated: nobody knows when a copy begins");
    return check_no_actions(c, step);
}

static bool add_copy(struct rdl__compiler *c, const struct rdl_step *step, uint32_t scope,
                     uint32_t *out)
{
    *out = add_place(c, (struct rdl__place){.kind = RDL__PLACE_JOIN, .step = step, .scope = scope});
    return add_body(c, step, scope, loops_of(c->p, scope), out);
}

/* One more than there may be: to know when there are too many. */
static bool add_replicated(struct rdl__compiler *c, const struct rdl_step *step, uint32_t scope,
                           uint32_t *at)
{
    enum { COUNT = RDL__COPIES_MOST + 1 };
    struct rdl__program *p = c->p;
    uint32_t first = reserve_targets(p, COUNT), outer = c->inside, outer_part = c->part;
    struct rdl__place it = {.kind = RDL__PLACE_COPIES,
                            .step = step,
                            .next = *at,
                            .scope = scope,
                            .first = first,
                            .count = COUNT,
                            .word = rdl__add_words(p, COUNT + 1),
                            .copies = p->copies_count};
    uint32_t parts = add_place(c, it);

    if (!check_copies(c, step))
        return false;
    RDL__GROW(p->copies, p->copies_count, p->copies_room);
    p->copies[p->copies_count++] = (struct rdl__copies){.word = p->words};
    c->inside = parts;
    for (c->part = 0; c->part < COUNT; c->part++) {
        struct rdl__copies *copies;
        uint32_t target;

        if (!add_copy(c, step, scope, &target))
            return false;
        p->targets[first + c->part] = target;
        copies = &p->copies[it.copies];
        if (c->part == 0) {
            copies->places = p->place_count - parts - 1;
            copies->words = p->words - copies->word;
        }
    }
    c->inside = outer;
    c->part = outer_part;
    it.kind = RDL__PLACE_SPLIT;
    it.next = parts;
    *at = add_place(c, it);
    return true;
}

static bool check_within(struct rdl__compiler *c, const struct rdl_step *step)
{
    if (isnan(step->deadline_ms) || step->deadline_ms < 0)
        return rdl__wrong(c, step, "rdl_within a time that is less than none");
    return true;
}

static bool check_action(struct rdl__compiler *c, const struct rdl_step *step)
{
    if (step->kind == RDL__STEP_TRIGGER && !step->port)
        return rdl__wrong(c, step, "rdl_trigger without a port");
    if (step->value || step->make || step->act || step->holds)
        return true;
    return rdl__wrong(c, step, "there is no function to call: it is NULL");
}

static bool add_step(struct rdl__compiler *c, const struct rdl_step *step, uint32_t scope,
                     uint32_t *at)
{
    switch (step->kind) {
    case RDL__STEP_EXPECT:
    case RDL__STEP_CALL:
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
    case RDL__STEP_INTERLEAVED:
        return add_interleaved(c, step, scope, at);
    case RDL__STEP_REPLICATED:
        return add_replicated(c, step, scope, at);
    case RDL__STEP_NOTHING:
        return true;
    case RDL__STEP_ANSWERS:
        return add_answers(c, step, scope, at);
    case RDL__STEP_TRIGGER:
    case RDL__STEP_DO:
    case RDL__STEP_INSPECT:
    case RDL__STEP_RELEASE:
        if (!check_action(c, step))
            return false;
        break;
    default:
        return rdl__wrong(c, step, "a rule stands at the beginning of a sequence; this is none");
    }
    *at = add_action(c, step, scope, *at);
    return true;
}

/* They come after all other words: first what all copies share, then deadlines. */
static void place_last_words(struct rdl__program *p)
{
    for (uint32_t i = 0; i < p->kept_count; i++)
        p->kept[i].word += p->words;
    for (uint32_t i = 0; i < p->tag_count; i++)
        p->tags[i].word += p->words;
    p->words += p->shared;
    for (uint32_t i = 0; i < p->scope_count; i++)
        if (p->scopes[i].deadline != RDL__NOWHERE)
            p->scopes[i].deadline += p->words;
    p->words += p->deadlines;
}

/* The whole is a block, too: its rules still hold when its steps are over. */
static bool compile(struct rdl__compiler *c)
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
    c->inside = RDL__NOWHERE;
    p->start =
        add_place(c, (struct rdl__place){.kind = RDL__PLACE_STOP, .step = c->top, .scope = 0});
    if (!add_body(c, c->top, RDL__NOWHERE, 0, &p->start))
        return false;
    place_last_words(p);
    rdl__suspect_functions(p);
    return rdl__check_slots(c);
}

/* All that it is, but for the memory it has. */
static void empty(struct rdl__program *p)
{
    p->place_count = p->target_count = p->wanted_count = p->rule_count = p->scope_count = 0;
    p->loop_count = p->nullable_loops = p->kept_count = p->tag_count = p->otherwise_count = 0;
    p->pattern_count = p->copies_count = p->shared = p->deadlines = 0;
    p->reply_size = 0;
    rdl__arena_reset(&p->arena);
    rdl__text_clear(&p->warnings);
}

bool rdl__program_reset(struct rdl__program *p, const struct rdl_step *spec,
                        struct rdl__error *error)
{
    struct rdl__compiler compiler = {.p = p, .error = error, .top = spec};

    empty(p);
    return compile(&compiler);
}

struct rdl__program *rdl__program_new_unchecked(const struct rdl_step *spec,
                                                struct rdl__error *error)
{
    struct rdl__program *p = rdl__allocate(sizeof *p);

    if (rdl__program_reset(p, spec, error))
        return p;
    rdl__program_free(p);
    return NULL;
}

struct rdl__program *rdl__program_new(const struct rdl_step *spec, struct rdl__error *error)
{
    struct rdl__program *p = rdl__program_new_unchecked(spec, error);

    if (!p || rdl__program_check(p, error))
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
    free(p->copies);
    free(p->tags);
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
