/* match.c -- the matcher: all configurations that what has been seen can have led to.
 *
 * An event is offered to each configuration.  It can be one that a block requires, or one that
 * is waited for: all ways of taking it are followed.  Only if there is none, rules apply.  What
 * can take it in no way is dropped; if nothing is left, the stream is wrong.
 *
 * A configuration that stands before an action waits until all others do so as well, or until
 * there is no other way: what is waited for does not come. */
#include "events/match.h"

#include <stdlib.h>
#include <string.h>

enum { LIVE_MAX = 10000 };

static bool has_bit(const uint64_t *words, uint32_t bit)
{
    return words[bit / 64] >> (bit % 64) & 1;
}

static void clear_bit(uint64_t *words, uint32_t bit)
{
    words[bit / 64] &= ~(UINT64_C(1) << (bit % 64));
}

/* ---- Taking it ------------------------------------------------------------------------------ */

static bool replies(enum rdl__effect_kind kind)
{
    return kind == RDL__REPLY || kind == RDL__HOLD_REPLY;
}

/* Functions that look at slots may make different answers of the same request. */
static bool is_same_reply(const struct rdl__matcher *m, const struct rdl_step *step)
{
    const struct rdl_step *other = m->effect.step;

    return step->reply == other->reply && step->port == other->port &&
           (m->thought || memcmp(m->reply, m->effect_reply, step->type->size) == 0);
}

/* All that take it must agree on what is to be done with it. */
static void want_effect(struct rdl__matcher *m, enum rdl__effect_kind kind,
                        const struct rdl_step *step)
{
    if (!m->has_effect) {
        m->has_effect = true;
        m->effect = (struct rdl__effect){kind, step, NULL};
        if (replies(kind) && !m->thought)
            memcpy(m->effect_reply, m->reply, step->type->size);
    } else if (kind != m->effect.kind || (replies(kind) && !is_same_reply(m, step)) ||
               (!replies(kind) && !rdl__answer_alike(step, m->effect.step))) {
        m->conflict = step;
    }
}

static enum rdl__effect_kind effect_of(const struct rdl__place *place, const struct rdl_step *step)
{
    if (step->kind != RDL__STEP_ANSWER)
        return place->effect == RDL__HOLD ? RDL__HOLD : RDL__FORWARD;
    return place->effect == RDL__HOLD || place->effect == RDL__HOLD_REPLY ? RDL__HOLD_REPLY
                                                                          : RDL__REPLY;
}

/* Take it as this, in a copy of the configuration that is yet to be settled; NULL: it is not. */
static struct rdl__config *take_as(struct rdl__matcher *m, const struct rdl__wanted *wanted,
                                   const struct rdl__config *from, uint32_t scope,
                                   enum rdl__effect_kind effect, const struct rdl_event *event)
{
    struct rdl__config *c;

    if (!rdl__is_wanted(m, from, wanted, event))
        return NULL;
    c = rdl__settle_begin(m, from);
    c->taken++;
    c->words[RDL__WORD_LOOPS] |= m->p->scopes[scope].loops;
    rdl__bind(m, c, wanted, event);
    want_effect(m, effect, wanted->step);
    m->seen[wanted - m->p->wanted] = true;
    return c;
}

/* Is it one of several, the missing ones of which are in these words?  Of twins that are all
 * missing the first is taken. */
static bool is_missing(const struct rdl__matcher *m, const uint64_t *missing, uint32_t first,
                       uint32_t i)
{
    uint32_t twin = m->p->wanted[first + i].twin;

    return has_bit(missing, i) && (twin == RDL__NOWHERE || !has_bit(missing, twin - first));
}

/* It is what a block requires that the configuration is in, by one of its places. */
static bool take_required(struct rdl__matcher *m, const struct rdl__config *from, uint32_t at,
                          const struct rdl_event *event)
{
    const struct rdl__program *p = m->p;
    uint32_t limit = rdl__limit_of(p, &p->places[at]);
    bool taken = false;

    for (uint32_t s = p->places[at].scope; s != limit; s = p->scopes[s].parent) {
        const struct rdl__scope *scope = &p->scopes[s];

        for (uint32_t i = 0; i < scope->required_count; i++) {
            const struct rdl__wanted *wanted = &p->wanted[scope->first_required + i];
            struct rdl__config *c;

            if (!is_missing(m, from->words + scope->word, scope->first_required, i) ||
                !(c = take_as(m, wanted, from, s, RDL__FORWARD, event)))
                continue;
            clear_bit(c->words + scope->word, i);
            if (p->places[at].kind == RDL__PLACE_END)
                rdl__settle_at(m, c, at);
            else
                rdl__settle_here(m, c, at);
            taken = true;
        }
    }
    return taken;
}

/* It is what is waited for. */
static bool take_one(struct rdl__matcher *m, const struct rdl__config *from,
                     const struct rdl__place *place, const struct rdl_event *event)
{
    const struct rdl__wanted *wanted = &m->p->wanted[place->first];
    struct rdl__config *c =
        take_as(m, wanted, from, place->scope, effect_of(place, wanted->step), event);

    if (c)
        rdl__settle_at(m, c, place->next);
    return c;
}

/* It is one of those that are waited for. */
static bool take_some(struct rdl__matcher *m, const struct rdl__config *from,
                      const struct rdl__place *place, const struct rdl_event *event)
{
    bool taken = false;

    for (uint32_t i = 0; i < place->count; i++) {
        const struct rdl__wanted *wanted = &m->p->wanted[place->first + i];
        struct rdl__config *c;

        if (!is_missing(m, from->words + place->word, place->first, i) ||
            !(c = take_as(m, wanted, from, place->scope, effect_of(place, wanted->step), event)))
            continue;
        clear_bit(c->words + place->word, i);
        if (rdl__has_bits(c->words + place->word, place->count))
            rdl__settle_here(m, c, (uint32_t)(place - m->p->places));
        else
            rdl__settle_at(m, c, place->next);
        taken = true;
    }
    return taken;
}

/* In all ways in which a configuration can, by what it waits for at this place. */
static bool take(struct rdl__matcher *m, const struct rdl__config *from, uint32_t at,
                 const struct rdl_event *event)
{
    const struct rdl__place *place = &m->p->places[at];
    bool taken = take_required(m, from, at, event);

    switch (place->kind) {
    case RDL__PLACE_EVENT:
        return take_one(m, from, place, event) || taken;
    case RDL__PLACE_EVENTS:
        return take_some(m, from, place, event) || taken;
    case RDL__PLACE_PARTS:
    case RDL__PLACE_COPIES:
        for (uint32_t i = 0; i < rdl__part_count(m->p, from->words, at); i++)
            taken |= take(m, from, rdl__part_at(m->p, from->words, at, i), event);
        return taken;
    default:
        return taken;
    }
}

/* ---- Rules ---------------------------------------------------------------------------------- */

enum ruling {
    NO_RULE,
    LET_PASS,
    FORBIDDEN,
};

/* By the blocks around a place: of the innermost that has a rule for it, the last. */
static enum ruling ask_blocks(struct rdl__matcher *m, const struct rdl__config *c,
                              const struct rdl__place *place, const struct rdl_event *event)
{
    const struct rdl__program *p = m->p;
    uint32_t limit = rdl__limit_of(p, place);

    for (uint32_t s = place->scope; s != limit; s = p->scopes[s].parent)
        for (uint32_t i = p->scopes[s].rule_count; i-- > 0;) {
            const struct rdl__rule *rule = &p->rules[p->scopes[s].first_rule + i];

            if (!rdl__fits(m, c, rule->pattern, event))
                continue;
            if (rule->step->kind == RDL__STEP_DISALLOW) {
                m->forbidden = rule->step;
                return FORBIDDEN;
            }
            want_effect(m, rule->step->kind == RDL__STEP_DROP ? RDL__SWALLOW : RDL__FORWARD,
                        rule->step);
            return LET_PASS;
        }
    return NO_RULE;
}

/* Of several parts that go on, one that lets it pass is enough; what only some forbid is for the
 * blocks around them to decide.  Copies that have not begun have no say. */
static enum ruling ask_rules(struct rdl__matcher *m, const struct rdl__config *c, uint32_t at,
                             const struct rdl_event *event)
{
    const struct rdl__place *place = &m->p->places[at];
    uint32_t count = rdl__part_count(m->p, c->words, at) - (place->kind == RDL__PLACE_COPIES);
    enum ruling all = count > 0 ? FORBIDDEN : NO_RULE;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t part = rdl__part_at(m->p, c->words, at, i);
        enum ruling one = FORBIDDEN;

        if (m->p->places[part].kind != RDL__PLACE_JOIN)
            one = ask_rules(m, c, part, event);
        if (one == LET_PASS || (one == NO_RULE && all == FORBIDDEN))
            all = one;
    }
    return all == NO_RULE ? ask_blocks(m, c, place, event) : all;
}

static void offer(struct rdl__matcher *m, const struct rdl__config *c,
                  const struct rdl_event *event)
{
    const struct rdl_step *forbidden = m->forbidden;

    if (take(m, c, c->place, event))
        return;
    switch (ask_rules(m, c, c->place, event)) {
    case LET_PASS:
        m->forbidden = forbidden;
        rdl__keep_next(m, c);
        return;
    case NO_RULE:
        m->forbidden = forbidden;
        m->may_act |= m->p->places[c->place].kind == RDL__PLACE_ACTION;
        break;
    case FORBIDDEN:
        break;
    }
    rdl__died(m, c);
}

/* ---- Events --------------------------------------------------------------------------------- */

/* The narrowest type for which there is one; of the same, the last. */
static const struct rdl_step *otherwise_for(const struct rdl__program *p,
                                            const struct rdl_event_type *type)
{
    const struct rdl_step *best = NULL;

    for (uint32_t i = 0; i < p->otherwise_count; i++) {
        const struct rdl_step *step = p->otherwise[i];

        if (rdl__is_a(type, step->type) && (!best || rdl__is_a(step->type, best->type)))
            best = step;
    }
    return best;
}

static enum rdl__taken by_default(struct rdl__matcher *m, const struct rdl_event *event,
                                  struct rdl__effect *out)
{
    const struct rdl_step *step = m->forbidden ? NULL : otherwise_for(m->p, event->type);
    enum rdl_fate fate = step ? step->decide(event->data) : RDL_REFUSE;

    rdl__set_clear(&m->next);
    if (fate == RDL_REFUSE)
        return RDL__REFUSED;
    *out = (struct rdl__effect){fate == RDL_FORWARD ? RDL__FORWARD : RDL__SWALLOW, NULL, NULL};
    return RDL__TAKEN;
}

/* An event waits for the test to act.  If that has led to where it was before, it will not help
 * any more.  What to compare with is renewed after 1, 2, 4, ... times, so that every circle is
 * noticed (Brent's way). */
static bool goes_in_circles(struct rdl__matcher *m)
{
    const struct rdl__set *live = &m->live;

    if (m->forced > 0 && m->been.count == live->count &&
        memcmp(m->been.configs, live->configs, live->count * live->stride) == 0)
        return true;
    m->forced++;
    if ((m->forced & (m->forced - 1)) != 0)
        return false;
    rdl__set_clear(&m->been);
    for (uint32_t i = 0; i < live->count; i++)
        rdl__set_add(&m->been, rdl__set_at(live, i));
    return false;
}

/* Does the spec know such events at all?  If not, there is no use in doing anything for it. */
static bool is_known(const struct rdl__matcher *m, const struct rdl_event *event)
{
    for (uint32_t i = 0; i < m->p->wanted_count; i++)
        if (m->thought ? m->thought[m->p->wanted[i].pattern]
                       : rdl__pattern_holds(m->p->patterns[m->p->wanted[i].pattern], event))
            return true;
    return false;
}

enum rdl__taken rdl__matcher_event(struct rdl__matcher *m, const struct rdl_event *event,
                                   struct rdl__effect *out)
{
    m->has_effect = m->may_act = false;
    m->conflict = m->forbidden = NULL;
    m->dead_count = 0;
    rdl__set_clear(&m->next);
    for (uint32_t i = 0; i < m->live.count; i++)
        offer(m, rdl__set_at(&m->live, i), event);
    if (m->too_many)
        return RDL__TOO_MANY;
    if (m->conflict)
        return RDL__CONFUSED;
    if (m->next.count == 0 && m->may_act && is_known(m, event) && !goes_in_circles(m)) {
        m->events++; /* memos are of the configurations before */
        return RDL__ACT_FIRST;
    }
    m->may_act = false;
    m->forced = 0;
    m->events++;
    m->taken_events++;
    if (m->next.count == 0)
        return by_default(m, event, out);
    m->forbidden = NULL; /* some other way was not */
    rdl__step_on(m);
    *out = m->effect;
    out->reply = m->effect_reply;
    return RDL__TAKEN;
}

/* ---- Matchers ------------------------------------------------------------------------------- */

/* The first configuration, and what is kept of each pattern and of each of the wanted, share one
 * piece of memory: matchers may come and go by the million. */
static void share_out(struct rdl__matcher *m, const struct rdl__program *p)
{
    size_t reply = (p->reply_size + 7) & ~(size_t)7, memos = p->pattern_count * sizeof *m->memos,
           size = m->live.stride + memos + 2 * reply + p->wanted_count * sizeof *m->seen;

    if (m->memory_size < size) {
        free(m->memory);
        m->memory = rdl__allocate(2 * size);
        m->memory_size = 2 * size;
    } else {
        memset(m->memory, 0, size);
    }
    m->memos = (void *)(m->memory + m->live.stride);
    m->reply = m->memory + m->live.stride + memos;
    m->effect_reply = (char *)m->reply + reply;
    m->seen = (void *)((char *)m->effect_reply + reply);
}

void rdl__matcher_reset(struct rdl__matcher *m, const struct rdl__program *p, uint64_t now)
{
    m->p = p;
    m->now = now;
    rdl__set_reset(&m->live, p);
    rdl__set_reset(&m->next, p);
    rdl__set_reset(&m->scratch, p);
    rdl__set_reset(&m->been, p);
    share_out(m, p);
    m->too_many = m->may_act = m->has_effect = false;
    m->events = m->taken_events = 0;
    m->forced = m->dead_count = 0;
    m->conflict = m->forbidden = m->expired = NULL;
    m->has_deadlines = p->deadlines > 0;
    rdl__settle_at(m, rdl__settle_begin(m, (void *)m->memory), p->start);
    rdl__step_on(m);
}

struct rdl__matcher *rdl__matcher_new(const struct rdl__program *p, uint64_t now, uint32_t live_max)
{
    struct rdl__matcher *m = rdl__allocate(sizeof *m);

    m->live_max = live_max ? live_max : LIVE_MAX;
    rdl__matcher_reset(m, p, now);
    return m;
}

void rdl__matcher_free(struct rdl__matcher *m)
{
    rdl__set_release(&m->live);
    rdl__set_release(&m->next);
    rdl__set_release(&m->scratch);
    rdl__set_release(&m->been);
    free(m->memory);
    free(m->dead);
    free(m);
}

uint64_t rdl__matcher_events(const struct rdl__matcher *m)
{
    return m->taken_events;
}

uint32_t rdl__matcher_live(const struct rdl__matcher *m)
{
    return m->live.count;
}
