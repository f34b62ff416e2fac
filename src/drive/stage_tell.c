/* stage_tell.c -- calls between components in words: as they happen, and what is wrong. */
#include <stdio.h>

#include "control/mock/mock.h"
#include "drive/drive.h"
#include "drive/stage_inner.h"

/* ---- Failures ------------------------------------------------------------------------------- */

void rdl__stage_add_call(struct rdl__text *out, const struct rdl_operation *op, const void *args)
{
    rdl__text_add(out, "%s.", op->of);
    rdl__show_call(out, op, args);
}

/* Where a function of the spec has called as the last it does, it would be our own line. */
void rdl__stage_add_place(struct rdl__text *out, uintptr_t pc)
{
    if (pc && !rdl__is_own_code(pc))
        rdl__text_add(out, ", called in " RDL__AT_FUNCTION "%016lx" RDL__AT_END, (unsigned long)pc);
}

/* Has the model of what is tested done it already?  Not where answers have to be seen first. */
static bool is_done(const struct rdl__stage *stage, const struct rdl__component *component)
{
    bool is_foretold = !stage->waits.can_end;

    for (size_t i = 0; i < component->spec->operation_count; i++) {
        const struct rdl_operation *op = rdl__operation(component->spec, i);

        is_foretold &= !op->judge && !op->post_any && !op->asks_answers;
    }
    return is_foretold;
}

static void add_states(const struct rdl__stage *stage, struct rdl__text *out)
{
    for (uint32_t i = 0; i < stage->count; i++) {
        const struct rdl__component *component = &stage->components[i];

        if (!component->state || component->spec->state_size == 0)
            continue;
        rdl__text_add(out, "state of %s%s: ", component->spec->name,
                      !component->is_tested       ? ""
                      : is_done(stage, component) ? " after it"
                                                  : " before it");
        rdl__show_state(out, component->spec, component->state);
        rdl__text_add(out, "\n");
    }
}

/* Who calls whom, from the test down. */
static void add_frames(struct rdl__stage *stage, struct rdl__text *out)
{
    const struct rdl__stack *stack = rdl__stack_of(stage);

    for (uint32_t i = 0; i < stack->depth; i++) {
        rdl__text_add(out, "%s", i == 0 ? "in " : "  which calls ");
        rdl__stage_add_call(out, stack->frames[i].op, stack->frames[i].args);
        rdl__stage_add_place(out, stack->frames[i].pc);
        rdl__text_add(out, "\n");
    }
}

_Noreturn void rdl__stage_fail(struct rdl__stage *stage, const char *check, struct rdl__text *text)
{
    const struct rdl__stack *stack = rdl__stack_of(stage);
    const struct rdl_operation *op = stack->depth ? stack->frames[stack->depth - 1].op : NULL;

    if (stack->depth)
        rdl__trace_state(stage->t->trace, stack->frames[stack->depth - 1].drawn, "fails", check);
    add_frames(stage, text);
    add_states(stage, text);
    rdl__waits_add(&stage->waits, text);
    rdl__stage_unlock();
    rdl__differs_in(stage->t, op, "bad-call", check, text);
}

/* ---- What is told --------------------------------------------------------------------------- */

/* Whose thread it is, if there are several. */
static void begin_line(struct rdl__stage *stage, struct rdl__text *line)
{
    const struct rdl__stack *stack = rdl__stack_of(stage);

    rdl__text_add(line, "%*s", 2 * (int)(stack->depth - 1), "");
    if (stack->client)
        rdl__text_add(line, "%u: ", stack->client - 1);
}

/* The lane of who calls: the client whose thread it is, or another component. */
static uint32_t lane_of_caller(struct rdl__stage *stage, const struct rdl__frame *frame)
{
    const struct rdl__stack *stack = rdl__stack_of(stage);
    char name[32];

    if (!stack->client || stack->depth > 2)
        return rdl__trace_lane(stage->t->trace, "component", frame->caller);
    snprintf(name, sizeof name, "client %u", stack->client - 1);
    return rdl__trace_lane(stage->t->trace, "client", name);
}

static void draw_state(const struct rdl__stage *stage, const struct rdl__frame *frame,
                       const char *which)
{
    if (frame->component)
        rdl__draw_state(stage->t, frame->drawn, which, frame->component->spec,
                        frame->component->state);
}

static void draw_call(struct rdl__stage *stage, struct rdl__frame *frame)
{
    uint32_t from = frame == rdl__stack_of(stage)->frames ? 0 : lane_of_caller(stage, frame);
    uint32_t to = rdl__trace_lane(stage->t->trace, "component", frame->op->of);
    struct rdl__text call = {0};

    rdl__show_call(&call, frame->op, frame->args);
    frame->drawn = rdl__trace_call_between(stage->t->trace, from, to, rdl__text_string(&call));
    draw_state(stage, frame, "before");
    rdl__text_release(&call);
}

void rdl__stage_draw_end(struct rdl__stage *stage, const struct rdl__frame *frame)
{
    struct rdl__text answer = {0};

    if (!frame->drawn)
        return;
    rdl__text_add(&answer, "returns");
    if (frame->op->answer_size) {
        rdl__text_add(&answer, " ");
        rdl__show_answer(&answer, frame->op, frame->answer);
    }
    rdl__text_add(&answer, "%s", frame->deviates ? " (deviates)" : "");
    rdl__trace_until(stage->t->trace, frame->drawn, answer.bytes);
    draw_state(stage, frame, "after");
    rdl__text_release(&answer);
}

void rdl__stage_tell_call(struct rdl__stage *stage, struct rdl__frame *frame)
{
    struct rdl__text line = {0};

    if (!stage->t->trace->on)
        return;
    draw_call(stage, frame);
    begin_line(stage, &line);
    rdl__stage_add_call(&line, frame->op, frame->args);
    rdl__tell(stage->t, &line);
    rdl__text_release(&line);
    stage->told = true;
    stage->line = frame;
}

/* In the same line, or in one of its own if there have been others meanwhile. */
void rdl__stage_tell_answer(struct rdl__stage *stage, const struct rdl__frame *frame)
{
    struct rdl__text line = {0};
    bool alone = stage->line != frame;

    if (!stage->t->trace->on || !frame->op->answer_size)
        return;
    if (alone)
        begin_line(stage, &line);
    if (alone && rdl__stack_of(stage)->client)
        rdl__stage_add_call(&line, frame->op, frame->args);
    rdl__text_add(&line, " -> ");
    rdl__show_answer(&line, frame->op, frame->answer);
    rdl__text_add(&line, "%s", frame->deviates ? " (deviates)" : "");
    if (alone)
        rdl__tell(stage->t, &line);
    else
        rdl__tell_more(stage->t, &line);
    rdl__text_release(&line);
}

bool rdl__stage_told(const struct rdl__stage *stage)
{
    return stage->told;
}

void rdl__stage_tell_anew(struct rdl__stage *stage)
{
    stage->told = false;
    stage->line = NULL;
}

void rdl__stage_add_waiting(const struct rdl__stage *stage, struct rdl__text *out)
{
    rdl__waits_add(&stage->waits, out);
}
