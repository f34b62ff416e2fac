/* answers.c -- what the call-outs of an operation were answered, for functions of its spec that ask
 * for that (rdl_answered). */
#include <string.h>

#include "drive/stage_inner.h"
#include "raddle/callouts.h"

void rdl__stage_said(struct rdl__stage *stage, struct rdl__frame *caller,
                     const struct rdl_operation *op, const void *answer)
{
    struct rdl__said *said;

    if (!caller || !caller->op->asks_answers)
        return;
    said = rdl__arena_alloc(&stage->waits.arena, sizeof *said + op->answer_size);
    said->op = op;
    said->next = caller->said;
    memcpy(said->answer, answer, op->answer_size);
    caller->said = said;
}

/* By the functions of the operation that has made its last call-out. */
const void *rdl__answered(const struct rdl_event_type *event)
{
    struct rdl__stage *stage = rdl__the_stage;
    const struct rdl__said *said = NULL;

    if (stage) {
        struct rdl__stack *stack = rdl__stack_of(stage);

        said = stack->frames[stack->depth ? stack->depth - 1 : 0].said;
    }
    while (said && said->op != event->operation)
        said = said->next;
    return said ? said->answer : NULL;
}
