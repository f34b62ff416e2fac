/* why.c -- what do configurations wait for, and why is an event none of it? */
#include <string.h>

#include "events/match.h"

/* ---- What is waited for --------------------------------------------------------------------- */

struct visitor {
    const struct rdl__matcher *m;
    const struct rdl__config *c;
    rdl__waited *each;
    void *it;
};

static void visit_missing(const struct visitor *v, uint32_t word, uint32_t first, uint32_t count,
                          const char *note)
{
    for (uint32_t i = 0; i < count; i++)
        if (v->c->words[word + i / 64] >> (i % 64) & 1)
            v->each(v->it, v->c, &v->m->p->wanted[first + i], note);
}

/* `note`: of an event that is waited for by itself. */
static void visit_place(const struct visitor *v, uint32_t at, const char *note)
{
    const struct rdl__program *p = v->m->p;
    const struct rdl__place *place = &p->places[at];
    uint32_t limit = rdl__limit_of(p, place);

    if (place->kind == RDL__PLACE_EVENT)
        v->each(v->it, v->c, &p->wanted[place->first], note);
    if (place->kind == RDL__PLACE_EVENTS)
        visit_missing(v, place->word, place->first, place->count, "in any order");
    for (uint32_t i = 0; i < rdl__part_count(p, v->c->words, at); i++)
        visit_place(v, rdl__part_at(p, v->c->words, at, i), "interleaved");
    for (uint32_t s = place->scope; s != limit; s = p->scopes[s].parent)
        visit_missing(v, p->scopes[s].word, p->scopes[s].first_required,
                      p->scopes[s].required_count, "required");
}

void rdl__waited_for(const struct rdl__matcher *m, const struct rdl__config *c, rdl__waited *each,
                     void *it)
{
    visit_place(&(struct visitor){m, c, each, it}, c->place, "");
}

/* ---- How far an event is from it ------------------------------------------------------------ */

struct closest {
    const struct rdl__matcher *m;
    const struct rdl_event *event;
    const struct rdl_step *step; /* NULL: none is of its type */
    const struct rdl_condition *failed;
    size_t distance;
};

static bool is_of_type(const struct rdl_pattern *pattern, const struct rdl_event *event)
{
    return pattern->port == event->port && pattern->direction == event->direction &&
           rdl__is_a(event->type, rdl__pattern_type(pattern));
}

/* Of a value, bytes count. */
static size_t distance_by(const struct rdl_condition *c, const struct rdl_event *event)
{
    const char *value = c->value, *data = event->data;
    size_t distance = 1;

    if (rdl__condition_holds(c, event))
        return 0;
    for (size_t i = 0; c->kind == RDL__COND_IS && !c->type->varies && i < c->type->size; i++)
        distance += value[i] != data[i];
    return distance;
}

static void compare(void *it, const struct rdl__config *c, const struct rdl__wanted *wanted,
                    const char *note)
{
    struct closest *closest = it;
    const struct rdl_pattern *pattern = closest->m->p->patterns[wanted->pattern];
    const struct rdl_condition *failed;
    size_t distance = 0;

    (void)note;
    if (!is_of_type(pattern, closest->event))
        return;
    failed = rdl__condition_failed(closest->m, c, pattern, closest->event);
    for (const struct rdl_condition *condition = pattern->conditions; condition->kind; condition++)
        distance += distance_by(condition, closest->event);
    if (!closest->step || distance < closest->distance)
        *closest = (struct closest){closest->m, closest->event, wanted->step, failed, distance};
}

static bool is_about_data(const struct rdl_pattern *pattern)
{
    for (const struct rdl_condition *c = pattern->conditions; c->kind; c++)
        if (c->kind != RDL__COND_ANY && c->kind != RDL__COND_BIND)
            return true;
    return false;
}

struct turn {
    const struct rdl__wanted *of;
    bool is_now;
};

static void note_turn(void *it, const struct rdl__config *c, const struct rdl__wanted *wanted,
                      const char *note)
{
    struct turn *turn = it;

    (void)c, (void)note;
    turn->is_now |= wanted == turn->of;
}

/* Then it is no matter of order if it does not take the event, but of what was bound. */
static bool is_waited_for(const struct rdl__matcher *m, const struct rdl__wanted *wanted)
{
    struct turn turn = {.of = wanted};

    for (uint32_t i = 0; i < m->live.count && !turn.is_now; i++)
        rdl__waited_for(m, rdl__set_at(&m->live, i), note_turn, &turn);
    return turn.is_now;
}

/* A step that would take it if it were its turn, but has taken one before, or has not. */
static const struct rdl_step *find_turn(const struct rdl__matcher *m, const struct rdl_event *event,
                                        bool has_before, bool about_data)
{
    for (uint32_t i = 0; i < m->p->wanted_count; i++) {
        const struct rdl__wanted *wanted = &m->p->wanted[i];
        const struct rdl_pattern *pattern = m->p->patterns[wanted->pattern];

        if (m->seen[i] == has_before && (!about_data || is_about_data(pattern)) &&
            rdl__pattern_holds(pattern, event) && !is_waited_for(m, wanted))
            return wanted->step;
    }
    return NULL;
}

static void note_wait(void *it, const struct rdl__config *c, const struct rdl__wanted *wanted,
                      const char *note)
{
    (void)c, (void)wanted, (void)note;
    *(bool *)it = true;
}

/* If not, it is no matter of order: no other turn will come. */
static bool is_anything_waited_for(const struct rdl__matcher *m)
{
    bool yes = false;

    for (uint32_t i = 0; i < m->live.count && !yes; i++)
        rdl__waited_for(m, rdl__set_at(&m->live, i), note_wait, &yes);
    return yes;
}

/* Steps that take all events of a type say little of what has gone wrong: they come last. */
struct rdl__why rdl__matcher_why(const struct rdl__matcher *m, const struct rdl_event *event)
{
    struct closest now = {.m = m, .event = event}, any = now;
    bool is_over = !is_anything_waited_for(m);
    const struct rdl_step *step;

    if (m->forbidden)
        return (struct rdl__why){RDL__WHY_FORBIDDEN, m->forbidden, NULL};
    if (!is_over && (step = find_turn(m, event, false, true)))
        return (struct rdl__why){RDL__WHY_EARLY, step, NULL};
    for (uint32_t i = 0; i < m->live.count; i++)
        rdl__waited_for(m, rdl__set_at(&m->live, i), compare, &now);
    if (now.step)
        return (struct rdl__why){RDL__WHY_OTHER_DATA, now.step, now.failed};
    if ((step = find_turn(m, event, true, true)))
        return (struct rdl__why){RDL__WHY_AGAIN, step, NULL};
    if (!is_over && (step = find_turn(m, event, false, false)))
        return (struct rdl__why){RDL__WHY_EARLY, step, NULL};
    if ((step = find_turn(m, event, true, false)))
        return (struct rdl__why){RDL__WHY_AGAIN, step, NULL};
    for (uint32_t i = 0; i < m->p->wanted_count; i++)
        compare(&any, NULL, &m->p->wanted[i], "");
    return (struct rdl__why){any.step ? RDL__WHY_NOT_NOW : RDL__WHY_UNKNOWN, any.step, any.failed};
}
