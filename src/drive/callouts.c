/* callouts.c -- what an operation may call while it runs, and what it has called so far. */
#include "drive/callouts.h"

#include "case/case.h"
#include "raddle/callouts.h"

enum { DEPTH_MAX = 64 };

/* Somebody asks for call-outs. */
struct asking {
    struct rdl__arena *arena;
    const struct rdl_step *step;
    int depth; /* so many operations are asked for those of others */
};

static _Thread_local struct asking *asking; /* NULL: nobody does */

static const struct rdl_step *ask(struct asking *now, const struct rdl_operation *op,
                                  const void *state, const void *args)
{
    if (!op->callouts)
        return NULL;
    asking = now;
    op->callouts(state, args);
    return now->step;
}

/* ---- Those of other operations -------------------------------------------------------------- */

static const struct rdl_step *ask_other(const struct rdl_step *step)
{
    const struct rdl_operation *op = step->type->operation;
    struct asking *before = asking, now = {before->arena, NULL, before->depth + 1};
    const struct rdl_step *theirs;
    struct rdl_step *nothing;

    if (op->pre && !op->pre(step->object, step->value))
        rdl__misuse_at(step->file, step->line,
                       "rdl_calls_of(%s, %s): its precondition does not hold in this state", op->of,
                       op->name);
    if (now.depth > DEPTH_MAX)
        rdl__misuse_at(step->file, step->line,
                       "rdl_calls_of(%s, %s): operations are made of each other, in a circle",
                       op->of, op->name);
    theirs = ask(&now, op, step->object, step->value);
    asking = before;
    if (theirs)
        return theirs;
    nothing = rdl__arena_alloc(before->arena, sizeof *nothing);
    *nothing = (struct rdl_step){.kind = RDL__STEP_NOTHING, .file = step->file, .line = step->line};
    return nothing;
}

/* In a copy of ours. */
static const struct rdl_step *put_in_others(const struct rdl_step *step)
{
    const struct rdl_step **parts = (const struct rdl_step **)step->parts;

    if (step->kind == RDL__STEP_CALLS_OF)
        return ask_other(step);
    if ((step->pattern && step->pattern->port != &rdl_calls) || step->act || step->make)
        rdl__misuse_at(step->file, step->line, "call-outs are calls: this is none (rdl_call)");
    for (; parts && *parts; parts++)
        *parts = put_in_others(*parts);
    return step;
}

/* ---- Asking --------------------------------------------------------------------------------- */

void rdl__callouts(const struct rdl_step *step, const char *file, int line)
{
    if (!asking)
        rdl__misuse_at(
            file, line,
            "rdl_callouts is for .callouts functions of operations, and was called elsewhere");
    if (!step)
        rdl__misuse_at(file, line, "rdl_callouts of NULL: nothing is rdl_no_calls");
    if (asking->step)
        rdl__misuse_at(file, line,
                       "rdl_callouts is called twice: say all of it at once, by "
                       "rdl_sequence");
    asking->step = put_in_others(rdl__step_copy(asking->arena, step));
}

/* Programs and matchers are made anew in the memory of those before. */
static void compile(struct rdl__callouts *c)
{
    struct rdl__error error = {0};
    bool made;

    if (c->program)
        made = rdl__program_reset(c->program, c->step, &error);
    else
        made = (c->program = rdl__program_new_unchecked(c->step, &error)) != NULL;
    if (!made)
        rdl__misuse(rdl__current, "the call-outs of an operation make no sense: %s", error.text);
    if (c->matcher)
        rdl__matcher_reset(c->matcher, c->program, 0);
    else
        c->matcher = rdl__matcher_new(c->program, 0, 0);
}

const struct rdl_step *rdl__callouts_ask(struct rdl__arena *arena, const struct rdl_operation *op,
                                         const void *state, const void *args)
{
    struct asking now = {.arena = arena};
    const struct rdl_step *step = ask(&now, op, state, args);

    asking = NULL;
    return step;
}

void rdl__callouts_begin(struct rdl__callouts *c, const struct rdl_operation *op, const void *state,
                         const void *args)
{
    rdl__arena_reset(&c->arena);
    c->anything = false;
    c->step = rdl__callouts_ask(&c->arena, op, state, args);
    if (c->step)
        compile(c);
}

/* ---- Releases ------------------------------------------------------------------------------- */

static const struct rdl_step *act(struct rdl__callouts *c, enum rdl__when when)
{
    const struct rdl_step *step = rdl__matcher_act(c->matcher, when);

    if (step && step->kind != RDL__STEP_RELEASE)
        rdl__misuse(rdl__current, "%s:%d: call-outs are calls: nothing else can be done there",
                    step->file, step->line);
    if (step)
        rdl__matcher_acted(c->matcher);
    return step;
}

const struct rdl_step *rdl__callouts_release_now(struct rdl__callouts *c, bool is_over)
{
    if (c->anything || !c->step)
        return NULL;
    return act(c, is_over ? RDL__IS_QUIET : RDL__ALL_AGREE);
}

/* ---- Calls ---------------------------------------------------------------------------------- */

static const char *what_is_wrong(const struct rdl__callouts *c, const struct rdl_event *call)
{
    if (!c->step)
        return "an unexpected call";
    switch (rdl__matcher_why(c->matcher, call).kind) {
    case RDL__WHY_OTHER_DATA:
        return "a call with other arguments";
    case RDL__WHY_EARLY:
        return "calls in another order";
    default:
        return "an unexpected call";
    }
}

bool rdl__callouts_take(struct rdl__callouts *c, const struct rdl_event *call,
                        const struct rdl_step **out, const struct rdl_step **out_first,
                        const char **check)
{
    struct rdl__effect effect = {0};
    enum rdl__taken taken = RDL__REFUSED;

    *out = *out_first = NULL;
    if (c->anything)
        return true;
    if (c->step)
        taken = rdl__matcher_event(c->matcher, call, &effect);
    if (taken == RDL__ACT_FIRST && (*out_first = act(c, RDL__IS_NEEDED)))
        return false;
    if (taken == RDL__TAKEN) {
        *out = effect.step;
        return true;
    }
    *check = what_is_wrong(c, call);
    if (taken == RDL__CONFUSED)
        *check = "the call-outs do not say which of their answers is meant";
    if (taken == RDL__TOO_MANY)
        *check = "there are too many ways to understand the call-outs";
    return false;
}

bool rdl__callouts_are_complete(const struct rdl__callouts *c)
{
    return c->anything || !c->step || rdl__matcher_is_complete(c->matcher);
}

void rdl__callouts_add_expected(const struct rdl__callouts *c, struct rdl__text *out)
{
    size_t before = out->count;

    if (c->step)
        rdl__matcher_expected(c->matcher, out);
    if (out->count == before)
        rdl__text_add(out, "  nothing\n");
}
