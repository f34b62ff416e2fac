/* foresee.c -- calls that are made at the same time: is it certain what they call in turn?
 *
 * What an operation calls follows from the state in which it begins.  That may be any that the
 * judge has in mind, and if others begin at the same time, any that they can lead to.  They are
 * all looked at, as long as they are few. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "case/requirements.h"
#include "drive/stage.h"
#include "judge/viable.h"

enum { STATES_MAX = 200 };

struct search {
    struct rdl__foreseen *f;
    uint32_t which;              /* of the calls */
    bool begun;                  /* it is known what the first state leads to: */
    const struct rdl_step *step; /* this */
    bool differs;                /* another to something else; or there are too many */
    bool is_out;                 /* to something that nobody is there to answer */
    uint32_t states;
    char *room; /* for a state of each depth */
    void *answer;
    struct rdl__arena arena;
};

/* Is anything in it called, or released, that nobody plays? */
static bool leads_out(const struct search *s, const struct rdl_step *step)
{
    if (step->kind == RDL__STEP_CALL || step->kind == RDL__STEP_RELEASE)
        return !rdl__stage_has(s->f->stage, step->type->operation);
    for (const struct rdl_step *const *part = step->parts; part && *part; part++)
        if (leads_out(s, *part))
            return true;
    return false;
}

static bool are_same(const struct rdl_step *a, const struct rdl_step *b)
{
    return a && b ? rdl__steps_are_equal(a, b) : a == b;
}

/* It is as if nobody had asked: what is reached in there has not happened. */
static void look_at(struct search *s, const void *state)
{
    const struct rdl_call *call = &s->f->calls[s->which];
    const struct rdl_step *step;

    rdl__reached_begin();
    step = rdl__callouts_ask(&s->arena, call->operation, state, call->args);
    rdl__reached_end();
    if (s->begun && !are_same(step, s->step))
        s->differs = true;
    s->is_out |= step && leads_out(s, step);
    s->step = step;
    s->begun = true;
    s->differs |= ++s->states > STATES_MAX;
}

static void go_on_from(struct search *s, const void *state, uint64_t done, uint32_t depth);

/* Let another take effect first, in all ways in which it can. */
static void let_happen(struct search *s, const void *state, uint32_t i, uint64_t done,
                       uint32_t depth)
{
    const struct rdl_call *call = &s->f->calls[i];
    size_t size = s->f->spec->state_size;
    void *next = s->room + depth * size;

    if (!rdl__cpre(call->operation, state, call->args))
        return;
    if (call->operation->judge) { /* it does not say what happens */
        s->differs = true;
        return;
    }
    for (unsigned which = 0; which < rdl__alternatives(call->operation); which++) {
        memcpy(next, state, size);
        if (rdl__post(s->f->spec, call, next, which, s->answer))
            go_on_from(s, next, done | UINT64_C(1) << i, depth + 1);
    }
}

static void go_on_from(struct search *s, const void *state, uint64_t done, uint32_t depth)
{
    look_at(s, state);
    for (uint32_t i = 0; s->f->count > 1 && i < s->f->all_count && s->states <= STATES_MAX; i++)
        if (i != s->which && !(done >> i & 1))
            let_happen(s, state, i, done, depth);
}

static bool begin_in(void *it, const void *state)
{
    struct search *s = it;

    go_on_from(s, state, 0, 0);
    return s->states <= STATES_MAX;
}

bool rdl__foresee(struct rdl__foreseen *f)
{
    struct search s = {.f = f};
    bool can_be_made = true;

    s.room = rdl__allocate((f->all_count + 1) * f->spec->state_size + 1);
    s.answer = rdl__allocate(rdl__largest(f->spec).answer + 1);
    for (uint32_t i = 0; i < f->count; i++) {
        s = (struct search){
            .f = f, .which = i, .room = s.room, .answer = s.answer, .arena = s.arena};
        s.differs = !rdl__viable_each(f->viable, begin_in, &s) || s.differs;
        f->unsure[i] = s.differs;
        can_be_made &= !s.differs || !s.is_out;
        rdl__arena_reset(&s.arena);
    }
    free(s.room);
    free(s.answer);
    rdl__arena_release(&s.arena);
    return can_be_made;
}
