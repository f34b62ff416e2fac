/* act.c -- what the test has to do, and how much time there is. */
#include <string.h>

#include "events/match.h"

static bool is_at(const struct rdl__matcher *m, uint32_t i, enum rdl__place_kind kind)
{
    return m->p->places[rdl__set_at(&m->live, i)->place].kind == kind;
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

/* Do they release the same call, with the same answer? */
static bool release_the_same(const struct rdl_step *a, const struct rdl_step *b)
{
    return a->type == b->type && rdl__patterns_are_equal(a->pattern, b->pattern) &&
           memcmp(a->value, b->value, a->value_size) == 0;
}

static bool are_same_action(const struct rdl_step *a, const struct rdl_step *b)
{
    if (a == b || (releases(a) && releases(b)))
        return true;
    if (a->kind == RDL__STEP_RELEASE && b->kind == RDL__STEP_RELEASE)
        return release_the_same(a, b);
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
        c = rdl__settle_begin(m, rdl__set_at(&m->live, i));
        c->words[RDL__WORD_LOOPS] |= m->p->scopes[place->scope].loops;
        rdl__settle_at(m, c, place->next);
    }
    rdl__step_on(m);
}

const struct rdl__config *rdl__matcher_actor(const struct rdl__matcher *m)
{
    for (uint32_t i = 0; i < m->live.count; i++)
        if (is_at(m, i, RDL__PLACE_ACTION))
            return rdl__set_at(&m->live, i);
    return NULL;
}

/* ---- Time ----------------------------------------------------------------------------------- */

/* The block whose time will be over first; NULL: there is none.  Those that are not gone through
 * have none. */
static const struct rdl__scope *most_urgent(const struct rdl__matcher *m,
                                            const struct rdl__config *c)
{
    const struct rdl__program *p = m->p;
    const struct rdl__scope *first = NULL;

    for (uint32_t s = 0; s < p->scope_count; s++) {
        const struct rdl__scope *scope = &p->scopes[s];

        if (scope->deadline != RDL__NOWHERE && c->words[scope->deadline] &&
            (!first || c->words[scope->deadline] <= c->words[first->deadline]))
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
            rdl__keep_next(m, c);
            continue;
        }
        m->expired = most_urgent(m, c)->step;
        rdl__died(m, c);
    }
    if (m->next.count == 0)
        return false;
    rdl__step_on(m);
    return true;
}
