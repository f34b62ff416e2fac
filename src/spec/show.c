/* show.c -- arguments, answers and states of a spec in words, and back. */
#include <stdlib.h>
#include <string.h>

#include "spec/spec.h"

static void show_bytes(struct rdl__text *out, const void *bytes, size_t size)
{
    int64_t number = 0;

    if (size == 0)
        return;
    if (size > sizeof number) {
        rdl__text_add_hex(out, bytes, size);
        return;
    }
    memcpy(&number, bytes, size);
    rdl__text_add(out, "%lld", (long long)number);
}

void rdl__show_call(struct rdl__text *out, const struct rdl_operation *op, const void *args)
{
    rdl__text_add(out, "%s(", op->name);
    show_bytes(out, args, op->args_size);
    rdl__text_add(out, ")");
}

void rdl__show_answer(struct rdl__text *out, const struct rdl_operation *op, const void *answer)
{
    show_bytes(out, answer, op->answer_size);
}

void rdl__show_state(struct rdl__text *out, const struct rdl_spec *spec, const void *s)
{
    show_bytes(out, s, spec->state_size);
}

void rdl__show_client(struct rdl__text *out, const struct rdl_spec *spec, const void *me)
{
    show_bytes(out, me, spec->client_size);
}

void rdl__show_sched(struct rdl__text *out, const struct rdl_policy *policy, const void *p)
{
    show_bytes(out, p, policy->state_size);
}

bool rdl__answers_look_the_same(const struct rdl_operation *op, const void *a, const void *b)
{
    (void)op, (void)a, (void)b;
    return false;
}
