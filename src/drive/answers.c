/* answers.c -- what call-outs were made with, and answered: who has made them may ask for that
 * (rdl_called_with, rdl_answered). */
#include <string.h>

#include "drive/stage_inner.h"
#include "raddle/callouts.h"

static void keep(struct rdl__stage *stage, struct rdl__said **list, const struct rdl_operation *op,
                 const void *bytes, size_t size)
{
    struct rdl__said *said = rdl__arena_alloc(&stage->waits.arena, sizeof *said + size);

    said->op = op;
    said->next = *list;
    memcpy(said->bytes, bytes, size);
    *list = said;
}

void rdl__stage_asked(struct rdl__stage *stage, struct rdl__frame *caller,
                      const struct rdl_operation *op, const void *args)
{
    if (caller && caller->op->asks_answers)
        keep(stage, &caller->asked, op, args, op->args_size);
}

void rdl__stage_said(struct rdl__stage *stage, struct rdl__frame *caller,
                     const struct rdl_operation *op, const void *answer)
{
    if (caller && caller->op->asks_answers)
        keep(stage, &caller->said, op, answer, op->answer_size);
}

/* By the functions of the operation that has made its last call-out. */
static const struct rdl__frame *asking_frame(void)
{
    struct rdl__stage *stage = rdl__the_stage;
    struct rdl__stack *stack = stage ? rdl__stack_of(stage) : NULL;

    return stack ? &stack->frames[stack->depth ? stack->depth - 1 : 0] : NULL;
}

static const void *last_of(const struct rdl__said *said, const struct rdl_event_type *event)
{
    while (said && said->op != event->operation)
        said = said->next;
    return said ? said->bytes : NULL;
}

const void *rdl__answered(const struct rdl_event_type *event)
{
    const struct rdl__frame *frame = asking_frame();

    return frame ? last_of(frame->said, event) : NULL;
}

const void *rdl__called_with(const struct rdl_event_type *event)
{
    const struct rdl__frame *frame = asking_frame();

    return frame ? last_of(frame->asked, event) : NULL;
}
