/* fit.c -- does an event fit what a configuration waits for?  What does it bind? */
#include <string.h>

#include "events/match.h"

static __thread const struct rdl__program *the_program;
static __thread const struct rdl__config *the_config; /* whose slots functions look at */

static const struct rdl__kept *find_slot(const struct rdl__program *p, const struct rdl_slot *slot)
{
    for (uint32_t i = 0; i < p->kept_count; i++)
        if (rdl__are_one_slot(p->kept[i].slot, slot))
            return &p->kept[i];
    return NULL;
}

const void *rdl__slot(const struct rdl_slot *slot)
{
    static const uint64_t nothing[64];
    const struct rdl__kept *kept = the_program ? find_slot(the_program, slot) : NULL;

    if (!kept || !the_config) {
        rdl__bug_if(slot->size > sizeof nothing);
        return nothing;
    }
    return &the_config->words[kept->word];
}

void rdl__matcher_look(const struct rdl__matcher *m, const struct rdl__config *config)
{
    the_program = m ? m->p : NULL;
    the_config = config;
}

static bool is_bound(const struct rdl__matcher *m, const struct rdl__config *c,
                     const struct rdl_condition *condition, const struct rdl_event *event)
{
    const struct rdl__kept *kept = find_slot(m->p, condition->slot);

    return c->words[RDL__WORD_SLOTS] >> kept->is_set & 1 &&
           memcmp(&c->words[kept->word], (const char *)event->data + condition->offset,
                  condition->size) == 0;
}

/* What a request of a recorded stream is to be answered by.  Padding must make no difference. */
static bool make_answer(const struct rdl_condition *condition, const struct rdl_event *event,
                        void *out)
{
    const struct rdl_event_type *type = condition->answer->type;

    memset(out, 0, type->size);
    if (!condition->answer->reply(event->data, out))
        return false;
    if (type->clear)
        type->clear(out);
    return true;
}

static bool is_answer(const struct rdl__matcher *m, const struct rdl__config *c,
                      const struct rdl_condition *condition, const struct rdl_event *event)
{
    const struct rdl__kept *kept = find_slot(m->p, condition->slot);
    const void *answer = &c->words[kept->word];

    return c->words[RDL__WORD_SLOTS] >> kept->is_set & 1 &&
           (condition->type->same ? condition->type->same(answer, event->data)
                                  : memcmp(answer, event->data, condition->size) == 0);
}

static bool fits_slot(const struct rdl__matcher *m, const struct rdl__config *c,
                      const struct rdl_condition *condition, const struct rdl_event *event)
{
    switch (condition->kind) {
    case RDL__COND_BOUND:
        return is_bound(m, c, condition, event);
    case RDL__COND_ASKS:
        return make_answer(condition, event, m->reply);
    case RDL__COND_ANSWERS:
        return is_answer(m, c, condition, event);
    default:
        return true;
    }
}

const struct rdl_condition *rdl__condition_failed(const struct rdl__matcher *m,
                                                  const struct rdl__config *c,
                                                  const struct rdl_pattern *pattern,
                                                  const struct rdl_event *event)
{
    const struct rdl_condition *condition = pattern->conditions;

    rdl__matcher_look(c ? m : NULL, c);
    while (condition->kind && rdl__condition_holds(condition, event))
        condition++;
    if (c && !condition->kind) /* then those about slots */
        for (condition = pattern->conditions; condition->kind && fits_slot(m, c, condition, event);)
            condition++;
    rdl__matcher_look(NULL, NULL);
    return condition->kind ? condition : NULL;
}

static bool fits_slots(const struct rdl__matcher *m, const struct rdl__config *c,
                       const struct rdl_pattern *pattern, const struct rdl_event *event)
{
    return pattern->port == event->port && pattern->direction == event->direction &&
           !rdl__condition_failed(m, c, pattern, event);
}

/* Where nothing but the event matters, each pattern is looked at once for each event. */
bool rdl__fits(struct rdl__matcher *m, const struct rdl__config *c, uint32_t pattern,
               const struct rdl_event *event)
{
    struct rdl__memo *memo = &m->memos[pattern];

    if (m->thought)
        return m->thought[pattern];
    if (m->p->has_slots[pattern])
        return fits_slots(m, c, m->p->patterns[pattern], event);
    if (memo->event != m->events + 1) {
        memo->event = m->events + 1;
        memo->fits = rdl__pattern_holds(m->p->patterns[pattern], event);
    }
    return memo->fits;
}

/* What is answered must be answerable. */
bool rdl__is_wanted(struct rdl__matcher *m, const struct rdl__config *c,
                    const struct rdl__wanted *wanted, const struct rdl_event *event)
{
    bool is;

    if (!rdl__fits(m, c, wanted->pattern, event))
        return false;
    if (wanted->step->kind != RDL__STEP_ANSWER || m->thought)
        return true;
    memset(m->reply, 0, wanted->step->type->size);
    rdl__matcher_look(m, c);
    is = wanted->step->reply(event->data, m->reply);
    rdl__matcher_look(NULL, NULL);
    if (wanted->step->type->clear)
        wanted->step->type->clear(m->reply);
    return is;
}

static void keep(const struct rdl__matcher *m, struct rdl__config *c,
                 const struct rdl_condition *condition, const struct rdl_event *event)
{
    const struct rdl__kept *kept = find_slot(m->p, condition->slot);
    uint64_t is_set = UINT64_C(1) << kept->is_set;

    if (condition->kind == RDL__COND_BIND)
        memcpy(&c->words[kept->word], (const char *)event->data + condition->offset,
               condition->size);
    else if (condition->kind == RDL__COND_ASKS)
        make_answer(condition, event, &c->words[kept->word]);
    else if (condition->kind == RDL__COND_ANSWERS)
        memset(&c->words[kept->word], 0, condition->size);
    if (condition->kind == RDL__COND_ANSWERS)
        c->words[RDL__WORD_SLOTS] &= ~is_set;
    else if (condition->kind != RDL__COND_BOUND)
        c->words[RDL__WORD_SLOTS] |= is_set;
}

void rdl__bind(const struct rdl__matcher *m, struct rdl__config *c,
               const struct rdl__wanted *wanted, const struct rdl_event *event)
{
    if (!m->p->has_slots[wanted->pattern] || m->thought)
        return;
    rdl__matcher_look(m, c);
    for (const struct rdl_condition *condition = m->p->patterns[wanted->pattern]->conditions;
         condition->kind; condition++)
        if (condition->slot)
            keep(m, c, condition, event);
    rdl__matcher_look(NULL, NULL);
}
