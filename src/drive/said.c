/* said.c -- what call-outs were made with, and answered: for the operation that has made them. */
#include <string.h>

#include "drive/stage_inner.h"
#include "raddle/callouts.h"

struct rdl__said {
    const struct rdl_operation *op;
    struct rdl__said *next; /* the one before */
    void *args, *answer;    /* NULL: it is not known */
};

static void *copy(struct rdl__stage *stage, const void *bytes, size_t size)
{
    return memcpy(rdl__arena_alloc(&stage->waits.arena, size + 1), bytes, size);
}

void rdl__said_add(struct rdl__stage *stage, struct rdl__frame *caller,
                   const struct rdl__frame *call, const void *answer)
{
    const struct rdl_operation *op = call->op;
    struct rdl__said *said = rdl__arena_alloc(&stage->waits.arena, sizeof *said);

    *said = (struct rdl__said){.op = op,
                               .next = caller->said,
                               .args = copy(stage, call->args, op->args_size),
                               .answer = answer ? copy(stage, answer, op->answer_size) : NULL};
    caller->said = said;
}

void rdl__said_answer(struct rdl__stage *stage, struct rdl__frame *caller,
                      const struct rdl_operation *op, const void *answer)
{
    struct rdl__said *said = caller->said;

    while (said && said->op != op)
        said = said->next;
    if (said)
        said->answer = copy(stage, answer, op->answer_size);
}

/* By the functions of the operation that has made its last call-out. */
static const struct rdl__said *last_of(const struct rdl_event_type *event)
{
    struct rdl__stage *stage = rdl__the_stage;
    const struct rdl__said *said = NULL;

    if (stage) {
        struct rdl__stack *stack = rdl__stack_of(stage);

        said = stack->frames[stack->depth ? stack->depth - 1 : 0].said;
    }
    while (said && said->op != event->operation)
        said = said->next;
    return said;
}

const void *rdl__answered(const struct rdl_event_type *event)
{
    const struct rdl__said *said = last_of(event);

    return said ? said->answer : NULL;
}

const void *rdl__called_with(const struct rdl_event_type *event)
{
    const struct rdl__said *said = last_of(event);

    return said ? said->args : NULL;
}
