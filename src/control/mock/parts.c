/* parts.c -- rdl_arg, rdl_returns and the like: checked once, then asked at each call. */
#include <stdlib.h>
#include <string.h>

#include "control/mock/mock.h"
#include "port/frame.h"
#include "spec/values.h"

/* ---- Reading them -------- */

static bool is_positional(enum rdl__part_kind kind)
{
    return kind >= RDL__PART_ARG && kind <= RDL__PART_SAME_AS;
}

static const char *word_for(enum rdl__part_kind kind)
{
    static const char *const words[] = {[RDL__PART_RETURNS] = "rdl_returns",
                                        [RDL__PART_SETS] = "rdl_sets",
                                        [RDL__PART_SETS_BYTES] = "rdl_sets_bytes",
                                        [RDL__PART_OR_FAILS] = "rdl_or_fails",
                                        [RDL__PART_ARG] = "rdl_arg",
                                        [RDL__PART_STR] = "rdl_str",
                                        [RDL__PART_BYTES] = "rdl_points_to",
                                        [RDL__PART_KEEPS] = "rdl_keeps",
                                        [RDL__PART_SAME_AS] = "rdl_same_as",
                                        [RDL__PART_WHERE] = "rdl_where",
                                        [RDL__PART_THAT] = "rdl_that",
                                        [RDL__PART_AT_CALL] = "rdl_at_call",
                                        [RDL__PART_CHANCE] = "rdl_percent",
                                        [RDL__PART_WHEN] = "rdl_when"};

    return (size_t)kind < sizeof words / sizeof *words && words[kind] ? words[kind] : "a part";
}

static bool fail_at(const struct rdl__mocked *function, const struct rdl__mock_part *part,
                    const struct rdl__error *why, struct rdl__error *error)
{
    if (part->parameter)
        return rdl__fail(error, "%s, %s of %s: %s", word_for(part->kind), part->parameter->name,
                         function->name, why->text);
    return rdl__fail(error, "%s of %s: %s", word_for(part->kind), function->name, why->text);
}

/* What the value is of: the parameter, what it points to, or the result. */
static struct rdl__mock_value target_of(const struct rdl__mocked *function,
                                        const struct rdl__mock_part *part)
{
    struct rdl__mock_value target = part->parameter ? *part->parameter : function->result;

    if (part->kind != RDL__PART_SETS)
        return target;
    target.type_name = "what it points to";
    target.type = target.type ? target.type->of : NULL;
    target.size = target.type ? target.type->size : 0;
    return target;
}

static bool read_value(struct rdl__mock_part *out, struct rdl__arena *arena,
                       const struct rdl__mocked *function, const struct rdl_part *part,
                       struct rdl__error *error)
{
    struct rdl__mock_value target = target_of(function, out);
    struct rdl__error why;
    void *value;

    if (out->kind == RDL__PART_SETS && target.size == 0) { /* void *: as large as it is */
        out->size = part->size;
        out->value = memcpy(rdl__arena_alloc(arena, part->size), part->value, part->size);
        return true;
    }
    if (target.size == 0) {
        rdl__fail(&why, "the function returns nothing");
        return fail_at(function, out, &why, error);
    }
    out->size = target.size;
    out->value = value = rdl__arena_alloc(arena, target.size);
    memset(value, 0, target.size);
    if (!rdl__mock_convert(part, target.type, target.type_name, target.size, value, &why))
        return fail_at(function, out, &why, error);
    if (out->kind == RDL__PART_ARG || out->kind == RDL__PART_WHERE)
        rdl__mock_clear_padding(out->parameter, value);
    return true;
}

static bool check_slot(const struct rdl__mocked *function, const struct rdl__mock_part *part,
                       bool with_slots, struct rdl__error *error)
{
    struct rdl__error why;

    if (with_slots && part->slot->size == part->parameter->size)
        return true;
    if (with_slots)
        rdl__fail(&why, "the slot %s has %zu bytes, and the parameter %u", part->slot->name,
                  part->slot->size, part->parameter->size);
    else
        rdl__fail(&why, "rdl_keeps and rdl_same_as go with rdl_call_to only");
    return fail_at(function, part, &why, error);
}

static bool check_pointer(const struct rdl__mocked *function, const struct rdl__mock_part *part,
                          struct rdl__error *error)
{
    struct rdl__error why;

    if (part->parameter->type && part->parameter->type->kind == RDL__TYPE_POINTER)
        return true;
    rdl__fail(&why, "it is no pointer");
    return fail_at(function, part, &why, error);
}

/* What a pointer of this type leads to is not written to, neither by the function nor by us. */
static bool check_writable(const struct rdl__mocked *function, const struct rdl__mock_part *part,
                           struct rdl__error *error)
{
    struct rdl__error why;

    if (strncmp(part->parameter->type_name, "const ", 6) != 0)
        return true;
    rdl__fail(&why, "it is a %s, and what that points to stays as it is",
              part->parameter->type_name);
    return fail_at(function, part, &why, error);
}

static bool read_bytes(struct rdl__mock_part *out, struct rdl__arena *arena,
                       const struct rdl__mocked *function, const struct rdl_part *part,
                       struct rdl__error *error)
{
    size_t size = out->kind == RDL__PART_STR ? strlen(part->value) + 1 : part->size;

    if (!check_pointer(function, out, error) ||
        (out->kind == RDL__PART_SETS_BYTES && !check_writable(function, out, error)))
        return false;
    out->size = size;
    out->value = memcpy(rdl__arena_alloc(arena, size), part->value, size);
    return true;
}

/* Each step of an expectation is one call. */
static bool check_number(const struct rdl__mocked *function, const struct rdl__mock_part *part,
                         bool is_step, struct rdl__error *error)
{
    if (is_step)
        return rdl__fail(error, "%s of %s: that goes with rdl_mock, but not with rdl_call_to",
                         word_for(part->kind), function->name);
    if (part->kind == RDL__PART_AT_CALL && part->number < 1)
        return rdl__fail(error, "rdl_at_call(%ld) of %s: calls are counted from 1", part->number,
                         function->name);
    if (part->kind == RDL__PART_CHANCE && (part->number < 0 || part->number > 100))
        return rdl__fail(error, "rdl_percent(%ld) of %s: it is 0 to 100", part->number,
                         function->name);
    return true;
}

static bool read_part(struct rdl__mock_part *out, struct rdl__arena *arena,
                      const struct rdl__mocked *function, const struct rdl_part *part,
                      bool with_slots, struct rdl__error *error)
{
    switch (part->kind) {
    case RDL__PART_SETS:
        return check_pointer(function, out, error) && check_writable(function, out, error) &&
               read_value(out, arena, function, part, error);
    case RDL__PART_RETURNS:
    case RDL__PART_OR_FAILS:
    case RDL__PART_ARG:
    case RDL__PART_WHERE:
        return read_value(out, arena, function, part, error);
    case RDL__PART_SETS_BYTES:
    case RDL__PART_STR:
    case RDL__PART_BYTES:
        return read_bytes(out, arena, function, part, error);
    case RDL__PART_KEEPS:
    case RDL__PART_SAME_AS:
        return check_slot(function, out, with_slots, error);
    case RDL__PART_AT_CALL:
    case RDL__PART_CHANCE:
    case RDL__PART_WHEN:
        return check_number(function, out, with_slots, error);
    default:
        return true;
    }
}

/* Are parameters called "1", "2", ...? */
static bool is_nameless(const struct rdl__mocked *function)
{
    return function->prototype.count && strcmp(function->parameters[0].name, "1") == 0;
}

/* "it has block, data, length" */
static bool fail_without_parameter(const struct rdl__mocked *function, const struct rdl_part *part,
                                   struct rdl__error *error)
{
    struct rdl__text names = {0};
    bool failed;

    if (!function->is_known)
        return rdl__fail(error,
                         "nothing is known of the parameters of %s: it was compiled "
                         "without -g; say RDL_PROTOTYPE(%s)",
                         function->name, function->name);
    for (uint32_t i = 0; i < function->prototype.count; i++)
        rdl__text_add(&names, "%s%s", i ? ", " : "", function->parameters[i].name);
    if (is_positional(part->kind))
        failed = rdl__fail(
            error, "%s has %u parameter%s: %s%s", function->name, function->prototype.count,
            function->prototype.count == 1 ? "" : "s", rdl__text_string(&names),
            function->prototype.is_variadic ? "; nothing is known of what follows" : "");
    else
        failed = rdl__fail(error, "%s has no parameter %s; it has: %s%s", function->name,
                           part->name, rdl__text_string(&names),
                           is_nameless(function) ? "; RDL_PROTOTYPE tells their names" : "");
    rdl__text_release(&names);
    return failed;
}

static bool find_parameter(struct rdl__mock_part *out, const struct rdl__mocked *function,
                           const struct rdl_part *part, uint32_t *next, struct rdl__error *error)
{
    bool by_name = part->kind == RDL__PART_WHERE || part->kind == RDL__PART_SETS ||
                   part->kind == RDL__PART_SETS_BYTES;

    if (by_name)
        out->parameter = rdl__mocked_parameter(function, part->name);
    else if (is_positional(part->kind) && function->is_known && *next < function->prototype.count)
        out->parameter = &function->parameters[(*next)++];
    return out->parameter || !(by_name || is_positional(part->kind)) ||
           fail_without_parameter(function, part, error);
}

bool rdl__mock_parts_read(struct rdl__mock_parts *out, struct rdl__arena *arena,
                          const struct rdl__mocked *function, const struct rdl_part *parts,
                          bool with_slots, struct rdl__error *error)
{
    struct rdl__mock_part *items;
    uint32_t count = 0, next = 0;

    while (parts[count].kind != RDL__PART_END)
        count++;
    *out = (struct rdl__mock_parts){0};
    out->items = items = rdl__arena_alloc(arena, (count + 1) * sizeof *items);
    for (uint32_t i = 0; i < count; i++) {
        struct rdl__mock_part *item = &items[out->count];

        if (parts[i].kind == RDL__PART_BEGIN)
            continue;
        *item = (struct rdl__mock_part){.kind = parts[i].kind,
                                        .name = parts[i].name,
                                        .code = parts[i].code,
                                        .number = parts[i].number,
                                        .slot = parts[i].slot};
        if (!find_parameter(item, function, &parts[i], &next, error) ||
            !read_part(item, arena, function, &parts[i], with_slots, error))
            return false;
        out->says_what |= item->kind >= RDL__PART_CALLS && item->kind <= RDL__PART_OR_FAILS;
        out->says_arguments |= is_positional(item->kind) || item->kind == RDL__PART_WHERE;
        out->count++;
    }
    return true;
}

const struct rdl__mock_part *rdl__mock_part_of(const struct rdl__mock_parts *parts,
                                               enum rdl__part_kind kind)
{
    for (uint32_t i = 0; i < parts->count; i++)
        if (parts->items[i].kind == kind)
            return &parts->items[i];
    return NULL;
}

/* ---- Does a call fit? -------- */

static uint64_t pointer_at(const void *value)
{
    uint64_t pointer;

    memcpy(&pointer, value, sizeof pointer);
    return pointer;
}

/* Elements of a known type are compared as such: padding does not count. */
static bool are_alike(const struct rdl__mock_part *part, const unsigned char *bytes)
{
    const struct rdl__type *of = part->parameter->type->of;
    const unsigned char *wanted = part->value;

    if (part->kind == RDL__PART_STR || !of || of->size == 0 || part->size % of->size != 0)
        return memcmp(bytes, wanted, part->size) == 0;
    for (size_t at = 0; at < part->size; at += of->size)
        if (!rdl__value_same(of, bytes + at, wanted + at))
            return false;
    return true;
}

static bool points_to(const struct rdl__mock_part *part, const void *value)
{
    uint64_t pointer = pointer_at(value);
    unsigned char stack[256],
        *bytes = part->size <= sizeof stack ? stack : rdl__allocate(part->size);
    bool same = pointer && rdl__memory_read(pointer, bytes, part->size) && are_alike(part, bytes);

    if (bytes != stack)
        free(bytes);
    return same;
}

/* A function of the user's takes what the parameter takes. */
static bool says_so(const struct rdl__mock_part *part, const void *value)
{
    const struct rdl__type *type = part->parameter->type;
    uint64_t bits = 0;
    float small;
    double real;

    if (type && type->kind == RDL__TYPE_FLOAT && type->size == sizeof small) {
        memcpy(&small, value, sizeof small);
        return ((bool (*)(float))part->code)(small);
    }
    if (type && type->kind == RDL__TYPE_FLOAT && type->size == sizeof real) {
        memcpy(&real, value, sizeof real);
        return ((bool (*)(double))part->code)(real);
    }
    if (part->parameter->size > sizeof bits || !type || type->kind == RDL__TYPE_STRUCT ||
        type->kind == RDL__TYPE_UNION)
        return ((bool (*)(const void *))part->code)(value);
    memcpy(&bits, value, part->parameter->size);
    return ((bool (*)(uint64_t))part->code)(bits);
}

static bool fits(const struct rdl__mock_part *part, const unsigned char *values)
{
    const void *value = part->parameter ? values + part->parameter->at : NULL;

    switch (part->kind) {
    case RDL__PART_ARG:
    case RDL__PART_WHERE:
        return memcmp(value, part->value, part->size) == 0;
    case RDL__PART_STR:
    case RDL__PART_BYTES:
        return points_to(part, value);
    case RDL__PART_THAT:
        return says_so(part, value);
    default:
        return true;
    }
}

bool rdl__mock_parts_fit(const struct rdl__mock_parts *parts, const unsigned char *values)
{
    for (uint32_t i = 0; i < parts->count; i++)
        if (!fits(&parts->items[i], values))
            return false;
    return true;
}

/* ---- What happens -------- */

/* As the function itself would: a pointer that leads nowhere is the caller's fault, and a crash. */
static void set_pointed_to(const struct rdl__mock_call *call, const struct rdl__mock_part *part)
{
    void *pointer = (void *)(uintptr_t)pointer_at(call->values + part->parameter->at);

    if (pointer)
        memcpy(pointer, part->value, part->size);
}

static void return_value(struct rdl__mock_call *call, const void *value)
{
    const struct rdl__mocked *function = call->function;
    void *result = call->values + function->result.at;

    if (function->result.size == 0)
        return;
    if (value)
        memcpy(result, value, function->result.size);
    else
        memset(result, 0, function->result.size);
    if (function->is_known)
        rdl__returned_write(&function->prototype, call->arguments, result);
    else
        memcpy(&call->arguments->rax, result, sizeof call->arguments->rax);
}

void rdl__mock_answer(struct rdl__mock_call *call)
{
    const struct rdl__mock_part *returns = call->failure;

    for (uint32_t i = 0; call->answer && !call->failure && i < call->answer->count; i++) {
        const struct rdl__mock_part *part = &call->answer->items[i];

        if (part->kind == RDL__PART_SETS || part->kind == RDL__PART_SETS_BYTES)
            set_pointed_to(call, part);
        else if (part->kind == RDL__PART_RETURNS)
            returns = part;
    }
    if (returns || !call->code)
        return_value(call, returns ? returns->value : NULL);
}
