/* check.c -- is what a spec makes the test do ever ambiguous?
 *
 * The automaton is followed on streams of events that are only thought of, one for each pattern,
 * shortest first: an event that fits a pattern fits those, too, that surely follow from it.
 * Where configurations disagree about what is to be done, that stream is the proof.  Only so
 * many are tried: what is not found here is found when it happens. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "events/match.h"

enum { NODES_MAX = 2000, TRIES_MAX = 10000, TABLE = 4096 };

/* A stream, by its last event, and the configurations it leads to. */
struct node {
    uint32_t before;
    uint32_t pattern;
    bool acted; /* instead of an event: the test has done something */
    char *configs;
    uint32_t count;
};

struct search {
    struct rdl__program *p;
    struct rdl__matcher *m;
    bool *fits; /* [pattern of the event][pattern] */
    struct node nodes[NODES_MAX];
    uint32_t count;
    uint32_t tries;        /* events that were thought of */
    uint32_t table[TABLE]; /* of their numbers + 1, by their configurations */
};

/* Where the node with these configurations is in the table, or would be. */
static uint32_t *find(struct search *s, const struct rdl__set *live, size_t size)
{
    uint64_t i = rdl__hash_bytes(live->configs, size) % TABLE;

    for (; s->table[i]; i = (i + 1) % TABLE) {
        const struct node *node = &s->nodes[s->table[i] - 1];

        if (node->count == live->count && memcmp(node->configs, live->configs, size) == 0)
            break;
    }
    return &s->table[i];
}

static void keep(struct search *s, uint32_t before, uint32_t pattern, bool acted)
{
    const struct rdl__set *live = &s->m->live;
    size_t size = live->count * live->stride;
    uint32_t *at = find(s, live, size);
    struct node *node = &s->nodes[s->count];

    if (*at || s->count == NODES_MAX)
        return;
    *node = (struct node){before, pattern, acted, rdl__allocate(size + 1), live->count};
    memcpy(node->configs, live->configs, size);
    *at = ++s->count;
}

/* How many events have led there makes no difference here. */
static void forget_taken(struct rdl__matcher *m)
{
    for (uint32_t i = 0; i < m->live.count; i++)
        rdl__set_at(&m->live, i)->taken = 0;
}

static void restore(struct search *s, const struct node *node)
{
    struct rdl__set *live = &s->m->live;

    rdl__set_make_room(live, node->count);
    memcpy(live->configs, node->configs, node->count * live->stride);
    live->count = node->count;
    live->has_table = false;
    s->m->may_act = s->m->too_many = false;
    s->m->forced = 0;
}

/* ---- What is wrong -------------------------------------------------------------------------- */

static void tell_stream(const struct search *s, uint32_t node, struct rdl__text *out)
{
    if (s->nodes[node].before == RDL__NOWHERE)
        return;
    tell_stream(s, s->nodes[node].before, out);
    if (s->nodes[node].acted)
        return;
    rdl__text_add(out, "\n    ");
    rdl__pattern_show(out, s->p->patterns[s->nodes[node].pattern]);
}

/* `by`: room for a name. */
static const char *words_for(const struct rdl_step *step, enum rdl__effect_kind kind, char *by,
                             size_t room)
{
    switch (kind) {
    case RDL__FORWARD:
        if (step->value_size > 0 || step->reply)
            return "called, and answered as it says there";
        return step->kind == RDL__STEP_ALLOW ? "allowed" : "expected, and forwarded";
    case RDL__SWALLOW:
        return "dropped";
    case RDL__HOLD:
        return "held";
    default:
        snprintf(by, room, "answered by %s", step->name);
        return by;
    }
}

static enum rdl__effect_kind kind_of(const struct rdl_step *step)
{
    return step->kind == RDL__STEP_DROP     ? RDL__SWALLOW
           : step->kind == RDL__STEP_ANSWER ? RDL__REPLY
                                            : RDL__FORWARD;
}

static bool confused_by_event(struct search *s, uint32_t node, uint32_t pattern,
                              struct rdl__error *error)
{
    const struct rdl__matcher *m = s->m;
    struct rdl__text text = {0}, event = {0};
    char one[80], two[80];

    rdl__pattern_show(&event, s->p->patterns[pattern]);
    tell_stream(s, node, &text);
    rdl__fail(error,
              "%s:%d: what becomes of \"%s\" depends on what comes later: here it is %s, at %s:%d "
              "%s; by the stream%s\n    %s",
              m->conflict->file, m->conflict->line, rdl__text_string(&event),
              words_for(m->conflict, kind_of(m->conflict), one, sizeof one), m->effect.step->file,
              m->effect.step->line, words_for(m->effect.step, m->effect.kind, two, sizeof two),
              rdl__text_string(&text), rdl__text_string(&event));
    rdl__text_release(&text);
    rdl__text_release(&event);
    return false;
}

static const struct rdl_step *actor(const struct search *s, uint32_t number)
{
    for (uint32_t i = 0; i < s->m->live.count; i++) {
        const struct rdl__place *place = &s->p->places[rdl__set_at(&s->m->live, i)->place];

        if (place->kind == RDL__PLACE_ACTION && number-- == 0)
            return place->step;
    }
    return NULL;
}

static bool confused_by_action(struct search *s, uint32_t node, struct rdl__error *error)
{
    const struct rdl_step *one = actor(s, 0), *two = one;
    struct rdl__text text = {0};

    for (uint32_t i = 1; two == one; i++)
        two = actor(s, i);
    tell_stream(s, node, &text);
    rdl__fail(error,
              "%s:%d: is this to be done, or what stands at %s:%d?  Nothing decides between them "
              "after %s%s",
              one->file, one->line, two->file, two->line,
              text.count ? "the stream" : "the beginning", rdl__text_string(&text));
    rdl__text_release(&text);
    return false;
}

/* An action that could be done, beside events that could come, waits until it is quiet: it is a
 * branch without a condition.  Told of each once. */
static void warn_of_choice_by_time(struct search *s, const struct rdl_step *step, uint32_t node)
{
    struct rdl__text *out = &s->p->warnings, text = {0}, place = {0};

    rdl__text_add(&place, "%s:%d: nothing decides", step->file, step->line);
    if (!out->count || !strstr(out->bytes, rdl__text_string(&place))) {
        tell_stream(s, node, &text);
        rdl__text_add(out,
                      "%s whether this is done, or something comes before it: it is done when all "
                      "is quiet (after %s%s)\n",
                      rdl__text_string(&place), text.count ? "the stream" : "the beginning",
                      rdl__text_string(&text));
    }
    rdl__text_release(&text);
    rdl__text_release(&place);
}

/* ---- The search ----------------------------------------------------------------------------- */

static bool some_act(const struct search *s)
{
    return actor(s, 0) != NULL;
}

static bool some_wait(const struct search *s)
{
    for (uint32_t i = 0; i < s->m->live.count; i++) {
        enum rdl__place_kind kind = s->p->places[rdl__set_at(&s->m->live, i)->place].kind;

        if (kind == RDL__PLACE_EVENT || kind == RDL__PLACE_EVENTS || kind == RDL__PLACE_END ||
            kind == RDL__PLACE_PARTS || kind == RDL__PLACE_COPIES)
            return true;
    }
    return false;
}

/* The test acts, at once, when it is quiet, or for the sake of an event. */
static bool act(struct search *s, uint32_t node, bool *out_only, struct rdl__error *error)
{
    *out_only = rdl__matcher_act(s->m, RDL__ALL_AGREE) != NULL;
    if (!some_act(s))
        return true;
    if (!rdl__matcher_act(s->m, RDL__IS_NEEDED))
        return confused_by_action(s, node, error);
    if (some_wait(s))
        warn_of_choice_by_time(s, actor(s, 0), node);
    rdl__matcher_acted(s->m);
    forget_taken(s->m);
    keep(s, node, 0, true);
    return true;
}

static bool take(struct search *s, uint32_t node, uint32_t pattern, struct rdl__error *error)
{
    struct rdl_event event = {.type = rdl__pattern_type(s->p->patterns[pattern])};
    struct rdl__effect effect;

    s->tries++;
    s->m->thought = s->fits + (size_t)pattern * s->p->pattern_count;
    switch (rdl__matcher_event(s->m, &event, &effect)) {
    case RDL__CONFUSED:
        return confused_by_event(s, node, pattern, error);
    case RDL__TAKEN:
        forget_taken(s->m);
        keep(s, node, pattern, false);
        return true;
    default:
        return true;
    }
}

static bool visit(struct search *s, uint32_t node, struct rdl__error *error)
{
    bool only;

    restore(s, &s->nodes[node]);
    if (!act(s, node, &only, error))
        return false;
    for (uint32_t pattern = 0; pattern < s->p->pattern_count && !only; pattern++) {
        restore(s, &s->nodes[node]);
        if (!take(s, node, pattern, error))
            return false;
    }
    return true;
}

static void find_what_follows(struct search *s)
{
    struct rdl__program *p = s->p;

    s->fits = rdl__allocate((size_t)p->pattern_count * p->pattern_count + 1);
    for (uint32_t i = 0; i < p->pattern_count; i++)
        for (uint32_t k = 0; k < p->pattern_count; k++)
            s->fits[(size_t)i * p->pattern_count + k] =
                i == k || rdl__pattern_implies(p->patterns[i], p->patterns[k]);
}

/* ---- Warnings ------------------------------------------------------------------------------- */

static void warn_of_dead_rules(struct rdl__program *p)
{
    for (uint32_t s = 0; s < p->scope_count; s++)
        for (uint32_t i = 0; i < p->scopes[s].rule_count; i++)
            for (uint32_t k = i + 1; k < p->scopes[s].rule_count; k++) {
                const struct rdl__rule *one = &p->rules[p->scopes[s].first_rule + i],
                                       *two = &p->rules[p->scopes[s].first_rule + k];

                if (!rdl__pattern_implies(p->patterns[one->pattern], p->patterns[two->pattern]))
                    continue;
                rdl__text_add(&p->warnings,
                              "%s:%d: this rule never applies: the one at %s:%d comes after it, "
                              "and is about the same events\n",
                              one->step->file, one->step->line, two->step->file, two->step->line);
                break;
            }
}

/* A step may have several copies. */
static bool has_come(const struct search *s, const struct rdl_step *step)
{
    for (uint32_t i = 0; i < s->p->wanted_count; i++)
        if (s->m->seen[i] && s->p->wanted[i].step == step)
            return true;
    return false;
}

static void warn_of_what_never_comes(const struct search *s)
{
    const struct rdl__wanted *wanted = s->p->wanted;

    for (uint32_t i = 0; i < s->p->wanted_count; i++)
        if (!has_come(s, wanted[i].step) && (i == 0 || wanted[i - 1].step != wanted[i].step))
            rdl__text_add(&s->p->warnings, "%s:%d: no stream leads to this\n", wanted[i].step->file,
                          wanted[i].step->line);
}

bool rdl__program_check(struct rdl__program *p, struct rdl__error *error)
{
    struct search *s = rdl__allocate(sizeof *s);
    uint32_t visited = 0;
    bool good = true;

    s->p = p;
    s->m = rdl__matcher_new(p, 0, 0);
    find_what_follows(s);
    keep(s, RDL__NOWHERE, 0, false);
    while (visited < s->count && s->tries < TRIES_MAX && good)
        good = visit(s, visited++, error);
    if (good)
        warn_of_dead_rules(p);
    if (good && visited == s->count && s->count < NODES_MAX)
        warn_of_what_never_comes(s);
    for (uint32_t i = 0; i < s->count; i++)
        free(s->nodes[i].configs);
    rdl__matcher_free(s->m);
    free(s->fits);
    free(s);
    return good;
}
