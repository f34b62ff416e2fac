/* copies.c -- what arguments point to: copied when a call is made. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control/gate/expression.h"
#include "control/mock/mock.h"
#include "spec/values.h"

enum { TEXT_MAX = 1 << 20, ADDRESS_IS = 0x03 /* DW_OP_addr */ };

struct rdl__copying {
    const struct rdl__mock_value *parameter;
    long count;                           /* of elements, if it is not */
    struct rdl__expression *expression;   /* this, or */
    const struct rdl__mock_value *length; /* a parameter without a name; or none of these */
};

/* ---- Lengths that are expressions -------- */

/* The parameters, as variables that lie in the values of the call. */
static bool evaluate(const struct rdl__mock_call *call, const struct rdl__expression *expression,
                     uint64_t *out, struct rdl__error *error)
{
    const struct rdl__mocked *function = call->function;
    uint32_t count = function->prototype.count;
    struct rdl__variable *variables = rdl__allocate(count * sizeof *variables);
    struct rdl__recipe_op *ops = rdl__allocate(count * sizeof *ops);
    struct rdl__stack_frame frame = {.is_known = true, .own = {variables, count}};
    struct rdl__expression_scope scope = {.frame = &frame, .thread = ""};
    struct rdl__value value;
    bool is_found;

    for (uint32_t i = 0; i < count; i++) {
        const struct rdl__mock_value *parameter = &function->parameters[i];

        ops[i] = (struct rdl__recipe_op){.code = ADDRESS_IS,
                                         .a = (uintptr_t)(call->values + parameter->at)};
        variables[i] = (struct rdl__variable){.name = parameter->name,
                                              .type_name = parameter->type_name,
                                              .type = parameter->type,
                                              .size = parameter->size,
                                              .kind = RDL__PARAMETER,
                                              .where = {&ops[i], 1}};
    }
    is_found = rdl__expression_value(expression, &scope, &value, error);
    if (is_found)
        *out = value.bits;
    free(variables);
    free(ops);
    return is_found;
}

/* "3": the third parameter, if that is what it is called. */
static const struct rdl__mock_value *length_called(const struct rdl__mocked *function,
                                                   const char *text)
{
    const struct rdl__mock_value *parameter = rdl__mocked_parameter(function, text);

    return parameter && strcmp(parameter->name, text) == 0 && text[strspn(text, "0123456789")] == 0
               ? parameter
               : NULL;
}

static uint64_t length_in(const struct rdl__mock_call *call, const struct rdl__mock_value *length)
{
    unsigned unused = 64 - 8 * length->size;
    uint64_t bits = 0;

    memcpy(&bits, call->values + length->at, length->size);
    return length->type->kind == RDL__TYPE_SIGNED ? (uint64_t)((int64_t)(bits << unused) >> unused)
                                                  : bits;
}

/* ---- Copying -------- */

/* Up to the NUL, which is copied, too. */
static bool copy_text(uint64_t address, struct rdl__mock_copy *out)
{
    enum { PIECE = 64 };
    struct rdl__text text = {0};
    char piece[PIECE];
    bool ended = false, readable = true;

    while (readable && !ended && text.count < TEXT_MAX) {
        size_t size = PIECE - (address + text.count) % PIECE, length;

        readable = rdl__memory_read(address + text.count, piece, size);
        length = readable ? strnlen(piece, size) : 0;
        ended = readable && length < size;
        if (readable)
            rdl__text_add_bytes(&text, piece, length);
    }
    if (ended) {
        out->size = text.count + 1;
        out->bytes = memcpy(rdl__arena_alloc(rdl__mock_arena(), out->size), rdl__text_string(&text),
                            out->size);
    }
    rdl__text_release(&text);
    return ended;
}

static bool copy_bytes(uint64_t address, size_t size, struct rdl__mock_copy *out)
{
    void *bytes;

    if (size > TEXT_MAX)
        return false;
    bytes = rdl__arena_alloc(rdl__mock_arena(), size + 1);
    if (!rdl__memory_read(address, bytes, size))
        return false;
    out->bytes = bytes;
    out->size = size;
    return true;
}

static size_t element_size(const struct rdl__mock_value *parameter)
{
    const struct rdl__type *of = parameter->type->of;

    return of && of->size ? of->size : 1;
}

static void copy(struct rdl__mock_call *call, const struct rdl__copying *copying,
                 struct rdl__mock_copy *out)
{
    const struct rdl__type *of = copying->parameter->type->of;
    struct rdl__error error;
    struct rdl__text text = {0};
    uint64_t address, count = copying->count >= 0 ? (uint64_t)copying->count : 1;

    *out = (struct rdl__mock_copy){0};
    memcpy(&address, call->values + copying->parameter->at, sizeof address);
    if (!address)
        return;
    if (!copying->expression && !copying->length && copying->count < 0 && of &&
        of->kind == RDL__TYPE_CHAR) {
        copy_text(address, out);
        return;
    }
    if (copying->length)
        count = length_in(call, copying->length);
    if (copying->expression && !evaluate(call, copying->expression, &count, &error)) {
        rdl__text_add(&text, "how much %s points to cannot be found: %s", copying->parameter->name,
                      error.text);
        rdl__mock_fail(call, "a call that cannot be copied", &text);
    }
    if ((int64_t)count < 0) {
        rdl__text_add(&text, "%s is said to point to %lld elements", copying->parameter->name,
                      (long long)count);
        rdl__mock_fail(call, "a call that cannot be copied", &text);
    }
    if (!copy_bytes(address, count * element_size(copying->parameter), out)) {
        rdl__text_add(&text, "%s does not point to %llu bytes that can be read",
                      copying->parameter->name,
                      (unsigned long long)(count * element_size(copying->parameter)));
        rdl__mock_fail(call, "a call with a wrong pointer", &text);
    }
}

void rdl__mock_copy_all(struct rdl__mock_call *call)
{
    const struct rdl_mock *mock = call->mock;

    call->kept->copies =
        rdl__arena_alloc(rdl__mock_arena(), mock->copying_count * sizeof(struct rdl__mock_copy));
    for (uint32_t i = 0; i < mock->copying_count; i++)
        copy(call, &mock->copyings[i], &call->kept->copies[i]);
}

const struct rdl__mock_copy *rdl__mock_copy_of(const struct rdl__mock_call *call,
                                               const struct rdl__mock_value *parameter)
{
    for (uint32_t i = 0; call->kept && call->kept->copies && i < call->mock->copying_count; i++)
        if (call->mock->copyings[i].parameter == parameter)
            return &call->kept->copies[i];
    return NULL;
}

/* ---- Saying and asking -------- */

static void free_expression(void *it)
{
    rdl__expression_free(it);
}

static bool add_copying(struct rdl_mock *mock, const struct rdl__copying *one,
                        struct rdl__error *error)
{
    struct rdl__copying *all;

    if (!one->parameter->type || one->parameter->type->kind != RDL__TYPE_POINTER)
        return rdl__fail(error, "%s of %s is no pointer, so that there is nothing to copy",
                         one->parameter->name, mock->function->name);
    if (one->length && (!one->length->type || !rdl__type_is_integer(one->length->type)))
        return rdl__fail(error, "parameter %s of %s is no number", one->length->name,
                         mock->function->name);
    if (one->count < 0 && one->count != RDL__NOT_SAID)
        return rdl__fail(error, "rdl_copies of %s: there are no %ld elements", mock->function->name,
                         one->count);
    if (mock->count)
        return rdl__fail(error, "rdl_copies must come before the first call of the function");
    rdl__mock_lock();
    all = rdl__arena_alloc(rdl__mock_arena(), (mock->copying_count + 1) * sizeof *all);
    if (mock->copying_count)
        memcpy(all, mock->copyings, mock->copying_count * sizeof *all);
    all[mock->copying_count] = *one;
    mock->copyings = all;
    mock->copying_count++;
    rdl__mock_unlock();
    return true;
}

void rdl__copies(struct rdl_mock *mock, const char *parameter, long count, const char *expression,
                 const char *file, int line)
{
    struct rdl__copying one = {.parameter = rdl__mocked_parameter(mock->function, parameter),
                               .count = count};
    struct rdl__error error;

    if (!one.parameter)
        rdl__misuse(mock->t, "%s:%d: %s has no parameter %s", file, line, mock->function->name,
                    parameter);
    one.length = expression ? length_called(mock->function, expression) : NULL;
    if (expression && !one.length) {
        one.expression = rdl__expression_read(expression, &error);
        if (!one.expression)
            rdl__misuse(mock->t, "%s:%d: \"%s\": %s", file, line, expression, error.text);
        rdl__defer(mock->t, free_expression, one.expression);
    }
    if (!add_copying(mock, &one, &error))
        rdl__misuse(mock->t, "%s:%d: %s", file, line, error.text);
}

const void *rdl_mock_copy(struct rdl_mock *mock, size_t i, const char *parameter, size_t *out_size)
{
    const struct rdl__mock_value *wanted = rdl__mocked_parameter(mock->function, parameter);
    const struct rdl__kept_call *kept = rdl__mock_kept(mock, i);

    for (uint32_t k = 0; k < mock->copying_count; k++)
        if (kept && mock->copyings[k].parameter == wanted) {
            if (out_size)
                *out_size = kept->copies[k].size;
            return kept->copies[k].bytes;
        }
    rdl__misuse(mock->t,
                "rdl_mock_copy: %s of call %zu of %s was not copied: rdl_copies says what is to be",
                parameter, i, mock->function->name);
}
