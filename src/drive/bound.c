/* bound.c -- calls of functions become calls of operations, and their answers what is returned.
 *
 * The function that an operation names as its .mock does that.  Without one it is done by names:
 * fields of the arguments are what parameters of the same name are, or point to; fields of the
 * answer are what parameters of the same name point to afterwards, and the one that is none is the
 * result.  What is no struct stands for the only parameter, and for the result. */
#include "drive/bound.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "control/mock/mock.h"
#include "spec/values.h"

enum { MOVES_MAX = 64 };

/* A field, and where it comes from or goes to. */
struct move {
    uint32_t offset, size;                   /* in the arguments, or in the answer */
    const struct rdl__mock_value *parameter; /* NULL: the result */
    uint32_t index;
    bool through; /* what it points to */
};

struct bound {
    const struct rdl_operation *op;
    struct rdl__mocked *function;
    struct rdl_event_type event;
    struct move in[MOVES_MAX], out[MOVES_MAX];
    uint32_t in_count, out_count;
    bool knows_answer; /* from what the function returns and sets */
    struct bound *next;
};

static struct bound *all; /* that were ever bound */

_Thread_local uintptr_t rdl__bound_caller;
_Thread_local bool rdl__bound_is_answered;

/* ---- By names ------------------------------------------------------------------------------- */

static bool is_scalar(const struct rdl__type *type)
{
    return type->kind != RDL__TYPE_STRUCT && type->kind != RDL__TYPE_LIST &&
           type->kind != RDL__TYPE_MAP && type->kind != RDL__TYPE_UNION;
}

static bool refuse(const struct bound *b, struct rdl__error *error, const char *what)
{
    return rdl__fail(error,
                     "%s.%s cannot be made of calls of %s by names: %s (a .mock function does "
                     "it: RDL_MOCKS)",
                     b->op->of, b->op->name, b->function->name, what);
}

/* The same of a field that is no parameter, with those that there are. */
static bool refuse_field(const struct bound *b, struct rdl__error *error, const char *field,
                         const char *why)
{
    struct rdl__text names = {0};

    for (uint32_t i = 0; i < b->function->prototype.count; i++)
        rdl__text_add(&names, "%s%s", i ? ", " : "", b->function->parameters[i].name);
    rdl__fail(error,
              "%s.%s cannot be made of calls of %s(%s) by names: %s is no parameter%s (a .mock "
              "function does it: RDL_MOCKS)",
              b->op->of, b->op->name, b->function->name, rdl__text_string(&names), field, why);
    rdl__text_release(&names);
    return false;
}

/* What is moved must be of the same size; through a pointer, if it is known what that points to. */
static bool add_move(struct bound *b, struct move *move, const struct rdl__type *type,
                     struct rdl__error *error)
{
    const struct rdl__mock_value *from = move->parameter ? move->parameter : &b->function->result;

    if (move->through && (!from->type || !from->type->of))
        return refuse(b, error, "a pointer does not say how much it points to");
    if (type->size != (move->through ? from->type->of->size : from->size))
        return refuse(b, error, "a field has another size than the parameter of its name");
    move->size = type->size;
    return true;
}

static bool is_pointer(const struct rdl__mock_value *value)
{
    return value->type && value->type->kind == RDL__TYPE_POINTER;
}

static uint32_t index_of(const struct bound *b, const struct rdl__mock_value *parameter)
{
    return parameter ? (uint32_t)(parameter - b->function->parameters) : 0;
}

static bool bind_argument(struct bound *b, const char *name, const struct rdl__type *type,
                          uint32_t offset, struct rdl__error *error)
{
    struct move *move = &b->in[b->in_count++];
    const struct rdl__mock_value *parameter = rdl__mocked_parameter(b->function, name);

    if (!parameter)
        return refuse_field(b, error, name, "");
    *move = (struct move){.offset = offset, .parameter = parameter};
    move->index = index_of(b, parameter);
    move->through = is_pointer(parameter) && type->kind != RDL__TYPE_POINTER;
    return add_move(b, move, type, error);
}

static bool bind_answer(struct bound *b, const char *name, const struct rdl__type *type,
                        uint32_t offset, struct rdl__error *error)
{
    struct move *move = &b->out[b->out_count++];
    const struct rdl__mock_value *parameter =
        name ? rdl__mocked_parameter(b->function, name) : NULL;

    *move = (struct move){.offset = offset, .parameter = parameter, .through = parameter != NULL};
    move->index = index_of(b, parameter);
    for (uint32_t i = 0; !parameter && i + 1 < b->out_count; i++)
        if (!b->out[i].parameter)
            return refuse_field(b, error, name, ", and there is one result only");
    return add_move(b, move, type, error);
}

/* What is said of all fields, or of what is none. */
static bool bind_all(struct bound *b, const struct rdl__type *type, const char *alone,
                     bool (*bind)(struct bound *b, const char *name, const struct rdl__type *type,
                                  uint32_t offset, struct rdl__error *error),
                     struct rdl__error *error)
{
    if (!type)
        return refuse(b, error, "nothing is known of its types (compile with -g)");
    if (is_scalar(type))
        return bind(b, alone, type, 0, error);
    if (type->kind != RDL__TYPE_STRUCT)
        return refuse(b, error, "its arguments, or its answer, are no plain struct");
    for (uint32_t i = 0; i < type->count; i++)
        if (i == MOVES_MAX || type->members[i].bits ||
            !bind(b, type->members[i].name, type->members[i].type, type->members[i].offset, error))
            return error->text[0] ? false : refuse(b, error, "it has too many fields, or bits");
    return true;
}

static bool bind_answers(struct bound *b, struct rdl__error *error)
{
    error->text[0] = '\0';
    b->knows_answer =
        b->function->is_known &&
        (!b->op->answer_size || bind_all(b, rdl__answer_type(b->op), NULL, bind_answer, error));
    return b->knows_answer;
}

static bool bind_by_names(struct bound *b, struct rdl__error *error)
{
    const struct rdl_operation *op = b->op;

    error->text[0] = '\0';
    if (!b->function->is_known)
        return refuse(b, error, "nothing is known of its parameters (compile with -g)");
    if (op->args_size && !bind_all(b, rdl__args_type(op), "1", bind_argument, error))
        return false;
    return bind_answers(b, error);
}

/* ---- Calls ---------------------------------------------------------------------------------- */

static void *pointed_to(const struct bound *b, const struct move *move,
                        const struct rdl__arguments *arguments)
{
    void *pointer;

    rdl__argument_read(&b->function->prototype, move->index, arguments, &pointer);
    return pointer;
}

static void read_arguments(const struct bound *b, const struct rdl__arguments *arguments, char *out)
{
    memset(out, 0, b->op->args_size);
    for (uint32_t i = 0; i < b->in_count; i++) {
        const struct move *move = &b->in[i];
        const void *from = move->through ? pointed_to(b, move, arguments) : NULL;

        if (!move->through)
            rdl__argument_read(&b->function->prototype, move->index, arguments, out + move->offset);
        else if (from)
            memcpy(out + move->offset, from, move->size);
    }
}

static void write_answer(const struct bound *b, struct rdl__arguments *arguments, const char *from)
{
    for (uint32_t i = 0; i < b->out_count; i++) {
        const struct move *move = &b->out[i];
        void *to = move->through ? pointed_to(b, move, arguments) : NULL;

        if (!move->through)
            rdl__returned_write(&b->function->prototype, arguments, from + move->offset);
        else if (to)
            memcpy(to, from + move->offset, move->size);
    }
}

static void read_answer(const struct bound *b, const struct rdl__arguments *arguments, char *out)
{
    memset(out, 0, b->op->answer_size);
    for (uint32_t i = 0; i < b->out_count; i++) {
        const struct move *move = &b->out[i];
        const void *from = move->through ? pointed_to(b, move, arguments) : NULL;

        if (!move->through)
            rdl__returned_read(&b->function->prototype, arguments, out + move->offset);
        else if (from)
            memcpy(out + move->offset, from, move->size);
    }
}

static void call_by_names(struct rdl__mock_call *call, const struct bound *b)
{
    struct rdl__arguments *arguments = call->arguments;
    char *args = __builtin_alloca(b->op->args_size + 1);
    char *answer = __builtin_alloca(b->op->answer_size + 1);
    struct rdl__op_call made = {.event = &b->event, .args = args, .answer = answer};

    read_arguments(b, arguments, args);
    if (rdl__op_called(&made)) {
        rdl__mocked_run(b->function, rdl__detour_real(&call->entry->detour), arguments);
        read_answer(b, arguments, answer);
        rdl__op_returned(&made);
    } else if (!call->is_answered) {
        write_answer(b, arguments, answer);
    }
}

/* A function is called that stands for an operation. */
static void called(struct rdl__mock_call *call, void *it)
{
    const struct bound *b = it;

    rdl__bound_caller = call->arguments->caller;
    rdl__bound_is_answered = call->is_answered;
    if (b->op->mock)
        rdl__mocked_run(call->function, (uintptr_t)b->op->mock, call->arguments);
    else
        call_by_names(call, b);
}

/* Somebody else has answered it. */
static void answered(struct rdl__mock_call *call, void *it)
{
    const struct bound *b = it;
    char *answer = __builtin_alloca(b->op->answer_size + 1);

    if (!b->knows_answer)
        return;
    read_answer(b, call->arguments, answer);
    rdl__op_answered(b->op, answer);
}

/* ---- Binding -------------------------------------------------------------------------------- */

static struct bound *bound_to(const struct rdl_operation *op)
{
    struct bound *b = all;

    while (b && b->op != op)
        b = b->next;
    return b;
}

static struct bound *bind(const struct rdl_operation *op, struct rdl__mocked *function,
                          struct rdl__error *error)
{
    struct bound *b = rdl__allocate(sizeof *b);
    struct rdl__error unknown;
    struct rdl__text name = {0};

    rdl__text_add(&name, "%s.%s", op->of, op->name);
    b->op = op;
    b->function = function;
    b->event = (struct rdl_event_type){.name = name.bytes, .size = op->args_size, .operation = op};
    if (!op->mock && !bind_by_names(b, error)) {
        free(b);
        return NULL;
    }
    if (op->mock)
        bind_answers(b, &unknown);
    b->next = all;
    all = b;
    return b;
}

void rdl__bind_ahead(const struct rdl_operation *const *ops, size_t count)
{
    const char **places = rdl__allocate((count + 1) * sizeof *places);
    size_t place_count = 0;

    for (size_t i = 0; i < count; i++)
        if (!bound_to(ops[i]))
            places[place_count++] = ops[i]->mocks;
    if (place_count > 0)
        rdl__mocked_look_up(places, place_count);
    free(places);
}

bool rdl__bind_function(struct rdl_case *t, const struct rdl_operation *op,
                        struct rdl__error *error)
{
    struct rdl__mocked *function = rdl__mocked_get(t, op->mocks, NULL, false, error);
    struct bound *b = bound_to(op);

    if (!function || (!b && !(b = bind(op, function, error))))
        return false;
    rdl__mock_begin(t);
    function->handler = called;
    function->answered = answered;
    function->handled_by = b;
    return true;
}

bool rdl__is_bound(const struct rdl_operation *op)
{
    const struct bound *b = bound_to(op);

    return b && b->function->handled_by == b && b->function->handler;
}
