/* stage.c -- calls between components, real and played. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "case/requirements.h"
#include "drive/bound.h"
#include "drive/stage_inner.h"
#include "raddle/cluster.h"

/* ---- Is it in order to call it? -------------------------------------------------------------- */

/* Is this word one of these? */
static bool has_word(const char *words, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = words; (at = strstr(at, word)); at += length)
        if ((at == words || strchr(" ,", at[-1])) && (!at[length] || strchr(" ,", at[length])))
            return true;
    return false;
}

bool rdl__may_call(const char *caller, const struct rdl_operation *op)
{
    return !op->callers || has_word(op->callers, caller);
}

static void check_caller(struct rdl__stage *stage, const struct rdl__frame *frame)
{
    struct rdl__text text = {0};

    if (rdl__may_call(frame->caller, frame->op))
        return;
    rdl__text_add(&text, "%s calls %s.%s, which only these may: %s\n", frame->caller, frame->op->of,
                  frame->op->name, frame->op->callers);
    rdl__stage_fail(stage, "a component is called by one that may not call it", &text);
}

static void check_pre(struct rdl__stage *stage, const struct rdl__frame *frame)
{
    const void *state = frame->component->state;
    struct rdl__text text = {0};

    if (!rdl__pre(frame->op, state, frame->args)) {
        rdl__text_add(&text, "%s calls ", frame->caller);
        rdl__stage_add_call(&text, frame->op, frame->args);
        rdl__text_add(&text, ", whose precondition does not hold\n");
        rdl__stage_fail(stage, "a component is called against its precondition", &text);
    }
}

/* ---- Waiting -------------------------------------------------------------------------------- */

_Noreturn static void wait_for_ever(struct rdl__stage *stage, const struct rdl__frame *frame)
{
    struct rdl__text text = {0};

    rdl__text_add(&text, "%s calls ", frame->caller);
    rdl__stage_add_call(&text, frame->op, frame->args);
    rdl__text_add(&text, ", which would have to wait, and nobody is there to end that\n");
    rdl__stage_fail(stage, "a call would wait for ever", &text);
}

static struct rdl__wait *wait_of(struct rdl__stage *stage, struct rdl__frame *frame)
{
    const struct rdl__stack *stack = rdl__stack_of(stage);

    frame->wait.call = (struct rdl_call){.operation = frame->op, .args = frame->args};
    frame->wait.call.client = stack->client ? stack->client - 1 : 0;
    frame->wait.component = frame->component;
    frame->wait.pc = frame->pc;
    return &frame->wait;
}

/* A component that plays says when. */
static void await_turn(struct rdl__stage *stage, struct rdl__frame *frame)
{
    if (!rdl__wait_for_turn(&stage->waits, wait_of(stage, frame)))
        wait_for_ever(stage, frame);
}

/* What the call-outs say is answered when it is released. */
static const void *await_release(struct rdl__stage *stage, struct rdl__frame *frame)
{
    frame->wait.type = frame->step->type;
    if (!rdl__wait_for_release(&stage->waits, wait_of(stage, frame)))
        wait_for_ever(stage, frame);
    return frame->wait.answer;
}

static void let_go(struct rdl__stage *stage, const struct rdl_step *step)
{
    if (!rdl__component_of(stage, step->type->operation))
        rdl__waits_let_go(&stage->waits, step);
}

/* Who is to be released by an operation that goes on, or is over. */
static void let_all_go(struct rdl__stage *stage, struct rdl__frame *frame, bool is_over)
{
    const struct rdl_step *step;

    while ((step = rdl__callouts_release_now(&frame->callouts, is_over)))
        let_go(stage, step);
}

/* ---- What is called ------------------------------------------------------------------------- */

/* The frame of who calls takes it as one of its call-outs. */
static const struct rdl_step *take(struct rdl__stage *stage, struct rdl__frame *caller,
                                   const struct rdl__frame *frame,
                                   const struct rdl_event_type *type)
{
    struct rdl_event event = {&rdl_calls, RDL_OUT, type, frame->args, frame->op->args_size};
    const struct rdl_step *step = NULL, *first = NULL;
    struct rdl__text text = {0};
    const char *check;

    do {
        if (first)
            let_go(stage, first);
        if (rdl__callouts_take(&caller->callouts, &event, &step, &first, &check)) {
            let_all_go(stage, caller, false);
            return step;
        }
    } while (first);
    rdl__stage_check_seen(stage, caller);
    rdl__stage_add_call(&text, frame->op, frame->args);
    rdl__stage_add_place(&text, frame->pc);
    rdl__text_add(&text, "\nallowed now:\n");
    rdl__callouts_add_expected(&caller->callouts, &text);
    rdl__stage_fail(stage, check, &text);
}

static void check_complete(struct rdl__stage *stage, struct rdl__frame *frame)
{
    struct rdl__text text = {0};

    let_all_go(stage, frame, true);
    if (rdl__callouts_are_complete(&frame->callouts))
        return;
    rdl__stage_check_seen(stage, frame);
    rdl__text_add(&text, "%s.%s has returned; missing:\n", frame->op->of, frame->op->name);
    rdl__callouts_add_expected(&frame->callouts, &text);
    rdl__stage_fail(stage, "a call is missing", &text);
}

/* ---- Frames --------------------------------------------------------------------------------- */

static struct rdl__frame *top_of(struct rdl__stage *stage)
{
    struct rdl__stack *stack = rdl__stack_of(stage);

    return stack->depth ? &stack->frames[stack->depth - 1] : stage->last;
}

/* Memory of its own: any thread may come here, and the case's is for one at a time. */
static void furnish(const struct rdl__stage *stage, struct rdl__frame *frame)
{
    size_t args = (stage->room.args + 16) & ~(size_t)15;
    size_t answer = (stage->room.answer + 16) & ~(size_t)15;

    frame->copy = rdl__allocate(args + 2 * answer + stage->info_room);
    frame->answer = (char *)frame->copy + args;
    frame->scratch = (char *)frame->answer + answer;
    frame->wait.info = (char *)frame->scratch + answer;
}

static struct rdl__frame *push(struct rdl__stage *stage, struct rdl__component *component,
                               const struct rdl_operation *op, const void *args)
{
    const struct rdl__frame *below = top_of(stage);
    struct rdl__stack *stack = rdl__stack_of(stage);
    struct rdl__frame *frame;

    if (stack->depth == RDL__DEPTH_MAX)
        rdl__misuse(stage->t,
                    "components call each other more than %d deep: do they go round in a circle?",
                    RDL__DEPTH_MAX);
    frame = &stack->frames[stack->depth++];
    if (!frame->copy)
        furnish(stage, frame);
    frame->deviates = false;
    frame->said = frame->asked = NULL;
    frame->component = component;
    frame->op = op;
    frame->args = args;
    frame->step = NULL;
    frame->caller = below ? below->op->of : "test";
    frame->pc = frame->drawn = 0;
    frame->callouts.anything = true;
    return frame;
}

/* Now that it may be called: what it calls in turn. */
static void expect_callouts(struct rdl__frame *frame)
{
    if (frame->component && frame->component->says_what)
        rdl__callouts_begin(&frame->callouts, frame->op, frame->component->state, frame->args);
}

static void pop(struct rdl__stage *stage)
{
    struct rdl__stack *stack = rdl__stack_of(stage);

    rdl__stage_draw_end(stage, &stack->frames[--stack->depth]);
}

/* It has been answered. */
static void pop_answered(struct rdl__stage *stage, const struct rdl__frame *frame)
{
    pop(stage);
    rdl__stage_asked(stage, top_of(stage), frame->op, frame->args);
    rdl__stage_said(stage, top_of(stage), frame->op, frame->answer);
}

void rdl__stage_enter(struct rdl__stage *stage, struct rdl__component *component,
                      const struct rdl_operation *op, const void *args)
{
    rdl__stage_lock();
    stage->told = false;
    stage->last = push(stage, component, op, args);
    expect_callouts(stage->last);
    let_all_go(stage, stage->last, false);
    rdl__stage_unlock();
}

void rdl__stage_leave(struct rdl__stage *stage)
{
    rdl__stage_lock();
    check_complete(stage, top_of(stage));
    stage->last = NULL;
    pop(stage);
    rdl__stage_unlock();
}

/* ---- Several at the same time --------------------------------------------------------------- */

void rdl__stage_share(struct rdl__stage *stage)
{
    stage->waits.can_end = true;
    for (uint32_t i = 0; i < stage->count; i++) {
        const struct rdl_policy *policy = rdl__policy_of(stage->components[i].spec);

        stage->components[i].policy_state = rdl_alloc(stage->t, policy->state_size + 1);
        if (policy->initial)
            policy->initial(stage->components[i].policy_state);
    }
}

void rdl__stage_enter_as(struct rdl__stage *stage, struct rdl__component *component,
                         const struct rdl_call *call, bool unsure)
{
    struct rdl__frame *frame;

    rdl__stage_lock();
    rdl__stack_of(stage)->client = call->client + 1;
    stage->last = NULL;
    frame = push(stage, component, call->operation, call->args);
    expect_callouts(frame);
    frame->callouts.anything |= unsure;
    stage->last = stage->open++ ? NULL : frame;
    let_all_go(stage, frame, false);
    rdl__stage_unlock();
}

void rdl__stage_leave_as(struct rdl__stage *stage)
{
    rdl__stage_lock();
    check_complete(stage, top_of(stage));
    stage->open--;
    stage->last = NULL;
    pop(stage);
    rdl__stage_unlock();
}

/* A thread of the code's own makes a call, and it is not clear for whom: nothing can be said any
 * more of what those call who may have meant it. */
static void forget_callouts(struct rdl__stage *stage)
{
    for (struct rdl__stack *stack = stage->stacks; stack; stack = stack->next)
        if (stack->depth > 0)
            stack->frames[0].callouts.anything = true;
}

bool rdl__stage_has(const struct rdl__stage *stage, const struct rdl_operation *op)
{
    return rdl__component_of((struct rdl__stage *)stage, op);
}

/* ---- Who is real ---------------------------------------------------------------------------- */

static struct rdl_call call_of(struct rdl__stage *stage, const struct rdl__frame *frame)
{
    return (struct rdl_call){frame->op, frame->args, stage->number, 0};
}

static void check_invariant(struct rdl__stage *stage, const struct rdl__frame *frame)
{
    const struct rdl__component *component = frame->component;
    struct rdl__text text = {0};

    if (component->spec->invariant && !component->spec->invariant(component->state))
        rdl__stage_fail(stage, "the invariant of a spec does not hold", &text);
}

/* Does the model explain what the real one answered?  If so, it goes on from there. */
static void judge(struct rdl__stage *stage, const struct rdl__frame *frame, const void *answer)
{
    const struct rdl__component *component = frame->component;
    struct rdl_call call = call_of(stage, frame);
    struct rdl__text text = {0};

    for (unsigned which = 0; which < rdl__alternatives(frame->op); which++) {
        memcpy(stage->state, component->state, component->spec->state_size);
        if (rdl__explains(component->spec, &call, stage->state, which, answer, frame->scratch)) {
            rdl__reached_happened();
            memcpy(component->state, stage->state, component->spec->state_size);
            check_invariant(stage, frame);
            return;
        }
    }
    rdl__stage_add_call(&text, frame->op, frame->args);
    rdl__text_add(&text, " answered ");
    rdl__show_answer(&text, frame->op, answer);
    if (frame->op->post) {
        memcpy(stage->state, component->state, component->spec->state_size);
        rdl__post(component->spec, &call, stage->state, 0, frame->scratch);
        rdl__text_add(&text, "; the model says ");
        rdl__show_answer(&text, frame->op, frame->scratch);
    }
    rdl__text_add(&text, "\n");
    rdl__stage_fail(stage, "an answer is not the model's", &text);
}

static void call_real(struct rdl__stage *stage, struct rdl__frame *frame)
{
    if (frame->op->answer_size)
        memset(frame->answer, 0, frame->op->answer_size);
    let_all_go(stage, frame, false);
    rdl__stage_unlock();
    frame->op->call(frame->component->object, frame->args, frame->answer);
    rdl__stage_lock();
    if (frame->op->answer_size)
        frame->op->clear_answer(frame->answer);
    check_complete(stage, frame);
    judge(stage, frame, frame->answer);
}

/* ---- Who is played -------------------------------------------------------------------------- */

static void run(struct rdl__stage *stage, struct rdl__frame *frame);

/* Once something deviates, or a fault is injected, answers are others than call-outs say.  Code
 * that is real shows by what it does whether it can live with them. */
static bool may_differ(const struct rdl__stage *stage, const struct rdl__frame *frame)
{
    return frame->deviates ||
           (frame->pc && (stage->has_faults || stage->t->outcome->deviations > 0));
}

/* What the caller's call-outs say of the answer is what the callee says. */
static void check_agreement(struct rdl__stage *stage, const struct rdl__frame *frame)
{
    struct rdl__text text = {0};

    if (!frame->step || !frame->step->value || may_differ(stage, frame) ||
        rdl__same_answer(frame->op, frame->step->value, frame->answer))
        return;
    rdl__stage_add_call(&text, frame->op, frame->args);
    rdl__text_add(&text, " answers ");
    rdl__show_answer(&text, frame->op, frame->answer);
    rdl__text_add(&text, "; the call-outs of %s, at %s:%d, say ", frame->caller, frame->step->file,
                  frame->step->line);
    rdl__show_answer(&text, frame->op, frame->step->value);
    rdl__text_add(&text, "\n");
    rdl__stage_fail(stage, "caller and callee do not agree on an answer", &text);
}

/* The arguments of a call that is performed: those that the call-outs say or, if these leave them
 * open, some that they would take. */
static void choose_args(struct rdl__stage *stage, const struct rdl_step *step, void *out)
{
    const struct rdl_operation *op = step->type->operation;
    struct rdl_event event = {&rdl_calls, RDL_OUT, step->type, out, op->args_size};
    const struct rdl__component *callee = rdl__component_of(stage, op);

    for (const struct rdl_condition *c = step->pattern->conditions; c->kind; c++)
        if (c->kind == RDL__COND_IS) {
            memcpy(out, c->value, op->args_size);
            return;
        }
    for (int i = 0; i < 20; i++) {
        memset(out, 0, op->args_size);
        if (op->args && callee && callee->state)
            op->args(stage->t, callee->state, out);
        for (const struct rdl_condition *c = step->pattern->conditions; c->kind; c++)
            if (c->kind == RDL__COND_FIELD)
                memcpy((char *)out + c->offset, c->value, c->size);
        op->clear_args(out);
        if (rdl__pattern_holds(step->pattern, &event))
            return;
    }
    rdl__misuse(stage->t,
                "%s:%d: no arguments for %s.%s are found of which what the call-outs say holds: "
                "say it by rdl_call, or let its .args draw such",
                step->file, step->line, op->of, op->name);
}

/* Answer for a component that nobody plays. */
static void answer_for(struct rdl__stage *stage, struct rdl__frame *frame)
{
    const void *answer = NULL;

    if (frame->step)
        answer = frame->step->blocks ? await_release(stage, frame) : frame->step->value;
    if (answer)
        memcpy(frame->answer, answer, frame->op->answer_size);
    else if (frame->op->answer_size)
        memset(frame->answer, 0, frame->op->answer_size);
}

/* A component that is played calls another. */
static void perform(struct rdl__stage *stage, const struct rdl_step *step)
{
    const struct rdl_operation *op = step->type->operation;
    struct rdl__frame *frame = push(stage, NULL, op, NULL);

    choose_args(stage, step, frame->copy);
    frame->component = rdl__component_of(stage, op);
    frame->args = frame->copy;
    frame->step = step;
    if (frame->component && frame->component->is_tested)
        rdl__misuse(stage->t,
                    "%s:%d: %s calls the component under test: make a cluster of the two, and "
                    "test that (RDL_TEST_CLUSTER, .real = \"%s\")",
                    step->file, step->line, frame->caller, op->of);
    rdl__stage_tell_call(stage, frame);
    check_caller(stage, frame);
    if (frame->component) {
        check_pre(stage, frame);
        await_turn(stage, frame);
        expect_callouts(frame);
        run(stage, frame);
        check_agreement(stage, frame);
        rdl__stage_tell_answer(stage, frame);
    } else {
        answer_for(stage, frame);
    }
    pop_answered(stage, frame);
}

static uint32_t choose(struct rdl__stage *stage, uint32_t count)
{
    struct rdl__tape *tape = stage->t->tape;
    uint64_t chance = tape->fresh ? rdl__random_upto(&tape->random, count - 1) : 0;

    return (uint32_t)rdl__choose_or(tape, RDL__INTEGER, chance, count - 1);
}

static uint32_t choose_way(void *context, enum rdl__walk_choice what, uint32_t count)
{
    (void)what;
    return choose(context, count);
}

/* One of the streams of calls that its spec allows. */
static void perform_callouts(struct rdl__stage *stage, struct rdl__callouts *callouts)
{
    uint32_t count;
    const struct rdl_step *const *steps =
        rdl__step_walk(&callouts->arena, callouts->step, choose_way, stage, &count);

    for (uint32_t i = 0; i < count; i++)
        if (steps[i]->kind == RDL__STEP_RELEASE)
            let_go(stage, steps[i]);
        else
            perform(stage, steps[i]);
}

/* There is but one way to: no other state is needed, nor a copy of it. */
static void post_surely(struct rdl__stage *stage, struct rdl__frame *frame)
{
    struct rdl_call call = call_of(stage, frame);

    rdl__post(frame->component->spec, &call, frame->component->state, 0, frame->answer);
    rdl__reached_happened();
}

/* Let the model do it. */
static void post(struct rdl__stage *stage, struct rdl__frame *frame)
{
    const struct rdl__component *component = frame->component;
    struct rdl_call call = call_of(stage, frame);
    unsigned count = rdl__alternatives(frame->op);
    unsigned first = count > 1 ? choose(stage, count) : 0;

    for (unsigned i = 0; i < count; i++) {
        memcpy(stage->state, component->state, component->spec->state_size);
        if (rdl__post(component->spec, &call, stage->state, (first + i) % count, frame->answer)) {
            rdl__reached_happened();
            memcpy(component->state, stage->state, component->spec->state_size);
            return;
        }
    }
    rdl__misuse(stage->t, "spec %s cannot play: none of the alternatives of %s is possible",
                component->spec->name, frame->op->name);
}

static void play(struct rdl__stage *stage, struct rdl__frame *frame)
{
    const struct rdl_deviation *deviation;
    void *state = frame->component->state;

    if (frame->callouts.step && !frame->callouts.anything)
        perform_callouts(stage, &frame->callouts);
    deviation = rdl__deviation(frame->op, state, frame->args);
    frame->deviates = deviation != NULL;
    if (deviation) {
        memset(frame->answer, 0, frame->op->answer_size);
        deviation->effect(state, frame->args, frame->answer);
        rdl__deviated(stage->t);
    } else if (frame->op->post) {
        post_surely(stage, frame);
    } else {
        post(stage, frame);
    }
    check_invariant(stage, frame);
    rdl__waits_changed(&stage->waits, frame->component);
}

static void run(struct rdl__stage *stage, struct rdl__frame *frame)
{
    stage->number++;
    rdl__call_made(frame->op);
    if (frame->component->object)
        call_real(stage, frame);
    else
        play(stage, frame);
}

void rdl__stage_call(struct rdl__stage *stage, struct rdl__component *component,
                     const struct rdl_operation *op, const void *args)
{
    struct rdl__frame *frame;

    rdl__stage_lock();
    frame = push(stage, component, op, args);
    expect_callouts(frame);
    rdl__stage_tell_call(stage, frame);
    stage->told = false;
    run(stage, frame);
    rdl__stage_tell_answer(stage, frame);
    pop(stage);
    rdl__stage_unlock();
}

/* ---- Calls of real code --------------------------------------------------------------------- */

/* The arguments are copied, so that bytes between fields do not count. */
static struct rdl__frame *called(struct rdl__stage *stage, const struct rdl__op_call *call,
                                 bool is_answered)
{
    const struct rdl_operation *op = call->event->operation;
    struct rdl__frame *caller = top_of(stage);
    struct rdl__frame *frame = push(stage, rdl__component_of(stage, op), op, NULL);

    memcpy(frame->copy, call->args, op->args_size);
    op->clear_args(frame->copy);
    frame->args = frame->copy;
    frame->pc = rdl__bound_caller;
    rdl__stage_tell_call(stage, frame);
    if (caller) {
        frame->step = take(stage, caller, frame, call->event);
        check_caller(stage, frame);
    } else if (stage->open > 1) {
        forget_callouts(stage);
    }
    if (frame->component) {
        check_pre(stage, frame);
        if (!is_answered)
            await_turn(stage, frame);
    }
    expect_callouts(frame);
    return frame;
}

/* What happens within a real component is nobody else's business; nor is that the call of it that
 * we make ourselves comes here as well. */
static bool is_inside(struct rdl__stage *stage, const struct rdl_operation *op)
{
    const struct rdl__frame *caller = top_of(stage);

    return caller && caller->component && caller->component->object &&
           caller->component == rdl__component_of(stage, op);
}

/* True: the function itself has to be called. */
static bool answer_call(struct rdl__stage *stage, struct rdl__op_call *call)
{
    struct rdl__frame *frame = called(stage, call, false);

    call->frame = frame;
    if (frame->component && frame->component->object) {
        stage->number++;
        rdl__call_made(frame->op);
        let_all_go(stage, frame, false);
        return true;
    }
    if (frame->component)
        run(stage, frame);
    else
        answer_for(stage, frame);
    if (frame->component)
        check_agreement(stage, frame);
    if (frame->op->answer_size)
        memcpy(call->answer, frame->answer, frame->op->answer_size);
    rdl__stage_tell_answer(stage, frame);
    pop_answered(stage, frame);
    return false;
}

/* A fault, say: it has to be a call that is in order, but what the callee would do is not done.
 * What it is answered is not known yet, and told elsewhere. */
static void look_at_call(struct rdl__stage *stage, const struct rdl__op_call *call)
{
    const struct rdl_operation *op = call->event->operation;

    stage->has_faults = true;
    if (!is_inside(stage, op)) {
        called(stage, call, true);
        pop(stage);
        rdl__stage_asked(stage, top_of(stage), op, call->args);
    }
    if (call->answer)
        memset(call->answer, 0, op->answer_size);
}

void rdl__op_answered(const struct rdl_operation *op, const void *answer)
{
    struct rdl__stage *stage = rdl__the_stage;

    if (!stage || !rdl__stage_lock())
        return;
    if (!is_inside(stage, op))
        rdl__stage_said(stage, top_of(stage), op, answer);
    rdl__stage_unlock();
}

bool rdl__op_called(struct rdl__op_call *call)
{
    struct rdl__stage *stage = rdl__the_stage;
    const struct rdl_operation *op = call->event->operation;
    const struct rdl__component *component = stage ? rdl__component_of(stage, op) : NULL;
    bool is_answered = rdl__bound_is_answered, is_real;

    rdl__bound_is_answered = false;
    call->frame = NULL;
    rdl__stage_come(component ? (uintptr_t)component : (uintptr_t)op, rdl__bound_caller);
    if (!stage || !rdl__stage_lock())
        return true;
    if (is_answered)
        look_at_call(stage, call);
    is_real = !is_answered && (is_inside(stage, op) || answer_call(stage, call));
    rdl__stage_unlock();
    return is_real;
}

void rdl__op_returned(struct rdl__op_call *call)
{
    struct rdl__stage *stage = rdl__the_stage;
    struct rdl__frame *frame = call->frame;

    if (!stage || !frame)
        return;
    rdl__stage_lock();
    if (frame->op->answer_size) {
        memcpy(frame->answer, call->answer, frame->op->answer_size);
        frame->op->clear_answer(frame->answer);
    }
    check_complete(stage, frame);
    judge(stage, frame, frame->answer);
    check_agreement(stage, frame);
    rdl__stage_tell_answer(stage, frame);
    pop_answered(stage, frame);
    rdl__stage_unlock();
}

struct rdl_port rdl_calls = {.name = ""}; /* calls are shown as such */
