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

static void add(struct rdl__matcher *m, const struct rdl__config *config)
{
    if (!rdl__set_merge(&m->next, config, m->live_max))
        m->too_many = true;
}

/* ---- From place to place -------------------------------------------------------------------- */

static void set_bits(uint64_t *words, uint32_t count)
{
    for (uint32_t i = 0; i < count; i += 64)
        words[i / 64] = count - i >= 64 ? UINT64_MAX : (UINT64_C(1) << (count - i)) - 1;
}

static bool has_bits(const uint64_t *words, uint32_t count)
{
    for (uint32_t i = 0; i < count; i += 64)
        if (words[i / 64])
            return true;
    return false;
}

static bool has_bit(const uint64_t *words, uint32_t bit)
{
    return words[bit / 64] >> (bit % 64) & 1;
}

static void clear_bit(uint64_t *words, uint32_t bit)
{
    words[bit / 64] &= ~(UINT64_C(1) << (bit % 64));
}

static void enter(const struct rdl__matcher *m, struct rdl__config *c,
                  const struct rdl__scope *scope)
{
    set_bits(c->words + scope->word, scope->required_count);
    if (scope->deadline != RDL__NOWHERE)
        c->words[scope->deadline] = m->now + scope->deadline_ns + 1; /* 0: not in use */
}

static void leave(struct rdl__config *c, const struct rdl__scope *scope)
{
    if (scope->deadline != RDL__NOWHERE)
        c->words[scope->deadline] = 0;
}

static void settle(struct rdl__matcher *m, struct rdl__config *c);

/* Once round a loop.  If nothing has happened, nothing would happen the next time: those that
 * are still to come can be thought to have been like that. */
static void go_round(struct rdl__matcher *m, struct rdl__config *c, const struct rdl__loop *loop)
{
    uint64_t *count = &c->words[loop->word];
    bool again = !loop->bit || (c->words[RDL__WORD_LOOPS] & loop->bit), enough;

    ++*count;
    enough = *count >= loop->min;
    if (loop->max == RDL_MANY && *count > loop->min)
        *count = loop->min; /* more does not matter */
    again = again && (loop->max == RDL_MANY || *count < loop->max);
    c->words[RDL__WORD_LOOPS] &= ~loop->bit;
    if (again && enough) {
        struct rdl__config *more = rdl__set_double(&m->scratch);

        more->place = loop->body;
        settle(m, more);
        m->scratch.count--;
        c = rdl__set_at(&m->scratch, m->scratch.count - 1);
    }
    if (again && !enough) {
        c->place = loop->body;
    } else {
        c->words[loop->word] = 0;
        c->place = loop->exit;
    }
}

static void fork_to(struct rdl__matcher *m, const struct rdl__place *place)
{
    for (uint32_t i = 0; i + 1 < place->count; i++) {
        struct rdl__config *branch = rdl__set_double(&m->scratch);

        branch->place = m->p->targets[place->first + i];
        settle(m, branch);
        m->scratch.count--;
    }
    rdl__set_at(&m->scratch, m->scratch.count - 1)->place =
        m->p->targets[place->first + place->count - 1];
}

/* Follow a configuration to all places where it waits.  It is the last of m->scratch, whose
 * memory may move. */
static void settle(struct rdl__matcher *m, struct rdl__config *c)
{
    for (;;) {
        const struct rdl__place *place = &m->p->places[c->place];
        const struct rdl__scope *scope = &m->p->scopes[place->scope];

        switch (place->kind) {
        case RDL__PLACE_EVENTS:
            set_bits(c->words + place->word, place->count);
            add(m, c);
            return;
        case RDL__PLACE_EVENT:
        case RDL__PLACE_ACTION:
        case RDL__PLACE_STOP:
            add(m, c);
            return;
        case RDL__PLACE_END:
            if (has_bits(c->words + scope->word, scope->required_count)) {
                add(m, c);
                return;
            }
            c->place = place->next;
            break;
        case RDL__PLACE_ENTER:
            enter(m, c, scope);
            c->place = place->next;
            break;
        case RDL__PLACE_LEAVE:
            leave(c, scope);
            c->place = place->next;
            break;
        case RDL__PLACE_LOOP:
            c->words[m->p->loops[place->loop].word] = 0;
            c->words[RDL__WORD_LOOPS] &= ~m->p->loops[place->loop].bit;
            c->place = place->next;
            break;
        case RDL__PLACE_AGAIN:
            go_round(m, c, &m->p->loops[place->loop]);
            break;
        case RDL__PLACE_FORK:
            fork_to(m, place);
            break;
        }
        c = rdl__set_at(&m->scratch, m->scratch.count - 1);
    }
}

/* A copy, to be changed; settle_at follows it. */
static struct rdl__config *begin_settling(struct rdl__matcher *m, const struct rdl__config *from)
{
    m->scratch.count = 0;
    return rdl__set_add(&m->scratch, from);
}

static void settle_at(struct rdl__matcher *m, struct rdl__config *c, uint32_t place)
{
    c->place = place;
    settle(m, c);
    m->scratch.count = 0;
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
    } else if (kind != m->effect.kind || (replies(kind) && !is_same_reply(m, step))) {
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
    c = begin_settling(m, from);
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

/* It is what a block requires that the configuration is in. */
static bool take_required(struct rdl__matcher *m, const struct rdl__config *from,
                          const struct rdl_event *event)
{
    const struct rdl__program *p = m->p;
    bool taken = false;

    for (uint32_t s = p->places[from->place].scope; s != RDL__NOWHERE; s = p->scopes[s].parent) {
        const struct rdl__scope *scope = &p->scopes[s];

        for (uint32_t i = 0; i < scope->required_count; i++) {
            const struct rdl__wanted *wanted = &p->wanted[scope->first_required + i];
            struct rdl__config *c;

            if (!is_missing(m, from->words + scope->word, scope->first_required, i) ||
                !(c = take_as(m, wanted, from, s, RDL__FORWARD, event)))
                continue;
            clear_bit(c->words + scope->word, i);
            if (p->places[c->place].kind == RDL__PLACE_END)
                settle_at(m, c, c->place);
            else
                add(m, c);
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
        settle_at(m, c, place->next);
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
        if (has_bits(c->words + place->word, place->count))
            add(m, c);
        else
            settle_at(m, c, place->next);
        taken = true;
    }
    return taken;
}

/* The rule that counts: of the innermost block, the last. */
static const struct rdl__rule *rule_for(struct rdl__matcher *m, const struct rdl__config *c,
                                        const struct rdl_event *event)
{
    const struct rdl__program *p = m->p;

    for (uint32_t s = p->places[c->place].scope; s != RDL__NOWHERE; s = p->scopes[s].parent)
        for (uint32_t i = p->scopes[s].rule_count; i-- > 0;) {
            const struct rdl__rule *rule = &p->rules[p->scopes[s].first_rule + i];

            if (rdl__fits(m, c, rule->pattern, event))
                return rule;
        }
    return NULL;
}

static void apply_rule(struct rdl__matcher *m, const struct rdl__config *c,
                       const struct rdl_event *event)
{
    const struct rdl__rule *rule = rule_for(m, c, event);

    if (rule && rule->step->kind != RDL__STEP_DISALLOW) {
        want_effect(m, rule->step->kind == RDL__STEP_DROP ? RDL__SWALLOW : RDL__FORWARD,
                    rule->step);
        add(m, c);
        return;
    }
    if (rule)
        m->forbidden = rule->step;
    else if (m->p->places[c->place].kind == RDL__PLACE_ACTION)
        m->may_act = true;
    rdl__died(m, c);
}

static void offer(struct rdl__matcher *m, const struct rdl__config *c,
                  const struct rdl_event *event)
{
    const struct rdl__place *place = &m->p->places[c->place];
    bool taken = take_required(m, c, event);

    if (place->kind == RDL__PLACE_EVENT)
        taken |= take_one(m, c, place, event);
    else if (place->kind == RDL__PLACE_EVENTS)
        taken |= take_some(m, c, place, event);
    if (!taken)
        apply_rule(m, c, event);
}

/* ---- Events --------------------------------------------------------------------------------- */

static bool is_at(const struct rdl__matcher *m, uint32_t i, enum rdl__place_kind kind)
{
    return m->p->places[rdl__set_at(&m->live, i)->place].kind == kind;
}

/* What is next becomes what is. */
static void step_on(struct rdl__matcher *m)
{
    struct rdl__set old = m->live;

    m->live = m->next;
    m->next = old;
    rdl__set_clear(&m->next);
}

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
    step_on(m);
    *out = m->effect;
    out->reply = m->effect_reply;
    return RDL__TAKEN;
}

/* ---- Actions -------------------------------------------------------------------------------- */

bool rdl__matcher_is_complete(const struct rdl__matcher *m)
{
    for (uint32_t i = 0; i < m->live.count; i++)
        if (is_at(m, i, RDL__PLACE_STOP))
            return true;
    return false;
}

static const struct rdl__place *place_of(const struct rdl__matcher *m, uint32_t i)
{
    return &m->p->places[rdl__set_at(&m->live, i)->place];
}

/* All that is held is held by all configurations, so that all releases do the same. */
static bool releases(const struct rdl_step *step)
{
    return step->kind == RDL__STEP_UNORDERED_AT_END || step->kind == RDL__STEP_ANSWERS;
}

static bool are_same_action(const struct rdl_step *a, const struct rdl_step *b)
{
    if (a == b || (releases(a) && releases(b)))
        return true;
    return a->kind == b->kind && a->kind >= RDL__STEP_TRIGGER && a->port == b->port &&
           a->type == b->type && a->make == b->make && a->act == b->act && a->holds == b->holds &&
           a->object == b->object &&
           (a->value == b->value ||
            (a->value && b->value && memcmp(a->value, b->value, a->type->size) == 0));
}

/* Functions may look at slots: they must find the same in all. */
static bool see_the_same(const struct rdl__matcher *m, const struct rdl_step *step,
                         const struct rdl__config *a, const struct rdl__config *b)
{
    if (!step->make && !step->act && !step->holds)
        return true;
    for (uint32_t i = 0; i < m->p->kept_count; i++)
        if (memcmp(&a->words[m->p->kept[i].word], &b->words[m->p->kept[i].word],
                   m->p->kept[i].slot->size) != 0)
            return false;
    return true;
}

/* The one action that all who act stand before; NULL: there is none, or several. */
static const struct rdl_step *the_action(const struct rdl__matcher *m)
{
    const struct rdl_step *step = NULL;
    const struct rdl__config *first = NULL;

    for (uint32_t i = 0; i < m->live.count; i++) {
        const struct rdl__config *c = rdl__set_at(&m->live, i);

        if (!is_at(m, i, RDL__PLACE_ACTION))
            continue;
        if (step &&
            (!are_same_action(place_of(m, i)->step, step) || !see_the_same(m, step, first, c)))
            return NULL;
        step = place_of(m, i)->step;
        first = c;
    }
    return step;
}

static bool all_act(const struct rdl__matcher *m)
{
    for (uint32_t i = 0; i < m->live.count; i++)
        if (!is_at(m, i, RDL__PLACE_ACTION))
            return false;
    return m->live.count > 0;
}

const struct rdl_step *rdl__matcher_act(const struct rdl__matcher *m, enum rdl__when when)
{
    if (when != RDL__IS_NEEDED && !all_act(m) &&
        (when == RDL__ALL_AGREE || rdl__matcher_is_complete(m)))
        return NULL;
    return the_action(m);
}

bool rdl__matcher_is_torn(const struct rdl__matcher *m, enum rdl__when when)
{
    if (!all_act(m) && (when != RDL__IS_QUIET || rdl__matcher_is_complete(m)))
        return false;
    return rdl__matcher_actor(m) && !the_action(m);
}

void rdl__matcher_acted(struct rdl__matcher *m)
{
    rdl__set_clear(&m->next);
    m->may_act = false;
    for (uint32_t i = 0; i < m->live.count; i++) {
        const struct rdl__place *place = place_of(m, i);
        struct rdl__config *c;

        if (place->kind != RDL__PLACE_ACTION)
            continue;
        c = begin_settling(m, rdl__set_at(&m->live, i));
        c->words[RDL__WORD_LOOPS] |= m->p->scopes[place->scope].loops;
        settle_at(m, c, place->next);
    }
    step_on(m);
}

const struct rdl__config *rdl__matcher_actor(const struct rdl__matcher *m)
{
    for (uint32_t i = 0; i < m->live.count; i++)
        if (is_at(m, i, RDL__PLACE_ACTION))
            return rdl__set_at(&m->live, i);
    return NULL;
}

/* ---- Time ----------------------------------------------------------------------------------- */

/* The block whose time will be over first; NULL: there is none. */
static const struct rdl__scope *most_urgent(const struct rdl__matcher *m,
                                            const struct rdl__config *c)
{
    const struct rdl__program *p = m->p;
    const struct rdl__scope *first = NULL;

    for (uint32_t s = p->places[c->place].scope; s != RDL__NOWHERE; s = p->scopes[s].parent) {
        const struct rdl__scope *scope = &p->scopes[s];

        if (scope->deadline != RDL__NOWHERE && c->words[scope->deadline] &&
            (!first || c->words[scope->deadline] < c->words[first->deadline]))
            first = scope;
    }
    return first;
}

/* When a configuration runs out of time. */
static uint64_t deadline_of(const struct rdl__matcher *m, const struct rdl__config *c)
{
    const struct rdl__scope *urgent = most_urgent(m, c);

    return urgent ? c->words[urgent->deadline] - 1 : UINT64_MAX;
}

uint64_t rdl__matcher_deadline(const struct rdl__matcher *m)
{
    uint64_t first = UINT64_MAX;

    for (uint32_t i = 0; i < m->live.count && m->has_deadlines; i++)
        if (deadline_of(m, rdl__set_at(&m->live, i)) < first)
            first = deadline_of(m, rdl__set_at(&m->live, i));
    return first;
}

bool rdl__matcher_time(struct rdl__matcher *m, uint64_t now)
{
    m->now = now;
    if (!m->has_deadlines || rdl__matcher_deadline(m) >= now)
        return true;
    rdl__set_clear(&m->next);
    m->dead_count = 0;
    for (uint32_t i = 0; i < m->live.count; i++) {
        const struct rdl__config *c = rdl__set_at(&m->live, i);

        if (deadline_of(m, c) >= now) {
            add(m, c);
            continue;
        }
        m->expired = most_urgent(m, c)->step;
        rdl__died(m, c);
    }
    if (m->next.count == 0)
        return false;
    step_on(m);
    return true;
}

/* ---- Matchers ------------------------------------------------------------------------------- */

struct rdl__matcher *rdl__matcher_new(const struct rdl__program *p, uint64_t now, uint32_t live_max)
{
    struct rdl__matcher *m = rdl__allocate(sizeof *m);
    struct rdl__config *first;

    m->p = p;
    m->now = now;
    m->live_max = live_max ? live_max : LIVE_MAX;
    m->live = m->next = m->scratch = m->been = rdl__set_for(p);
    first = rdl__allocate(m->live.stride);
    m->memos = rdl__allocate((p->pattern_count + 1) * sizeof *m->memos);
    m->reply = rdl__allocate(p->reply_size + 1);
    m->effect_reply = rdl__allocate(p->reply_size + 1);
    m->seen = rdl__allocate((p->wanted_count + 1) * sizeof *m->seen);
    for (uint32_t i = 0; i < p->scope_count; i++)
        m->has_deadlines |= p->scopes[i].deadline != RDL__NOWHERE;
    settle_at(m, begin_settling(m, first), p->start);
    step_on(m);
    free(first);
    return m;
}

void rdl__matcher_free(struct rdl__matcher *m)
{
    rdl__set_release(&m->live);
    rdl__set_release(&m->next);
    rdl__set_release(&m->scratch);
    rdl__set_release(&m->been);
    free(m->memos);
    free(m->reply);
    free(m->effect_reply);
    free(m->seen);
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
