/* show.c -- calls in words: flash_write(block = 3, data = "ab") -> -1 */
#include <stdio.h>
#include <string.h>

#include "control/mock/mock.h"
#include "port/frame.h"
#include "raddle/check.h"
#include "spec/values.h"

enum { SHOWN = 64 };

/* Memory that the caller promises not to be written to has something in it. */
static bool is_given(const struct rdl__mock_value *of)
{
    return strncmp(of->type_name, "const ", 6) == 0;
}

static void add_text(struct rdl__text *out, const void *bytes, size_t size)
{
    size_t length = strnlen(bytes, size), shown = length < SHOWN ? length : SHOWN;
    char copy[SHOWN + 1] = {0};

    memcpy(copy, bytes, shown);
    rdl__text_add_quoted(out, copy, shown);
    rdl__text_add(out, "%s", shown < length ? "..." : "");
}

static void add_bytes(struct rdl__text *out, const struct rdl__type *of, const void *bytes,
                      size_t size)
{
    size_t count = of && of->size ? size / of->size : 0;

    if (of && of->kind == RDL__TYPE_CHAR) {
        add_text(out, bytes, size);
    } else if (count == 1) {
        rdl__text_add(out, "&");
        rdl__value_show(out, of, bytes);
    } else if (of && count > 1 && count <= SHOWN) {
        for (size_t i = 0; i < count; i++) {
            rdl__text_add(out, "%s", i ? ", " : "[");
            rdl__value_show(out, of, (const char *)bytes + i * of->size);
        }
        rdl__text_add(out, "]");
    } else {
        rdl__text_add(out, "<");
        rdl__text_add_hex(out, bytes, size < SHOWN ? size : SHOWN);
        rdl__text_add(out, "%s>", size > SHOWN ? " ..." : "");
    }
}

/* A text may end at any page. */
static bool read_text(uint64_t address, char out[SHOWN + 1])
{
    enum { PAGE = 4096 };
    size_t first = PAGE - address % PAGE;

    memset(out, 0, SHOWN + 1);
    if (first >= SHOWN)
        return rdl__memory_read(address, out, SHOWN);
    if (!rdl__memory_read(address, out, first))
        return false;
    if (strnlen(out, first) == first)
        rdl__memory_read(address + first, out + first, SHOWN - first);
    return true;
}

static bool add_pointed_to(struct rdl__text *out, const struct rdl__mock_value *of,
                           uint64_t address)
{
    const struct rdl__type *to = of->type->of;
    unsigned char bytes[256];
    char text[SHOWN + 1];

    if (!to || !is_given(of))
        return false;
    if (to->kind == RDL__TYPE_CHAR) {
        if (read_text(address, text))
            add_bytes(out, to, text, SHOWN);
        else
            return false;
        return true;
    }
    if (to->size == 0 || to->size > sizeof bytes || !rdl__memory_read(address, bytes, to->size))
        return false;
    add_bytes(out, to, bytes, to->size);
    return true;
}

void rdl__mock_show_value(struct rdl__text *out, const struct rdl__mock_value *of,
                          const void *value, const struct rdl__mock_copy *copy)
{
    uint64_t address = 0;

    if (of->type && of->type->kind == RDL__TYPE_POINTER)
        memcpy(&address, value, sizeof address);
    if (address && copy && copy->bytes)
        add_bytes(out, of->type->of, copy->bytes, copy->size);
    else if (address && add_pointed_to(out, of, address))
        return;
    else if (of->type)
        rdl__value_show(out, of->type, value);
    else if (of->size == sizeof address)
        rdl__text_add(out, "%lld", *(const long long *)value);
    else
        add_bytes(out, NULL, value, of->size);
}

/* What a mock compares is shown, wherever it lies; false: nobody does, or it cannot be read. */
static bool add_compared(struct rdl__text *out, const struct rdl__mock_call *call,
                         const struct rdl__mock_value *parameter)
{
    const struct rdl__mock_part *part = NULL;
    unsigned char bytes[256];
    uint64_t address;

    for (const struct rdl_mock *mock = call->function->mocks; mock; mock = mock->next)
        for (uint32_t i = 0; i < mock->parts.count; i++)
            if (mock->parts.items[i].parameter == parameter &&
                mock->parts.items[i].kind == RDL__PART_BYTES)
                part = &mock->parts.items[i];
    if (!part || part->size > sizeof bytes)
        return false;
    memcpy(&address, call->values + parameter->at, sizeof address);
    if (!address || !rdl__memory_read(address, bytes, part->size))
        return false;
    add_bytes(out, parameter->type->of, bytes, part->size);
    return true;
}

void rdl__mock_show_call(struct rdl__text *out, const struct rdl__mock_call *call)
{
    const struct rdl__mocked *function = call->function;

    rdl__text_add(out, "%s(%s", function->name, function->is_known ? "" : "...");
    for (uint32_t i = 0; function->is_known && i < function->prototype.count; i++) {
        const struct rdl__mock_value *parameter = &function->parameters[i];

        rdl__text_add(out, "%s%s = ", i ? ", " : "", parameter->name);
        if (!add_compared(out, call, parameter))
            rdl__mock_show_value(out, parameter, call->values + parameter->at,
                                 rdl__mock_copy_of(call, parameter));
    }
    if (function->is_known && function->prototype.is_variadic)
        rdl__text_add(out, "%s...", function->prototype.count ? ", " : "");
    rdl__text_add(out, ")");
}

/* ---- Which calls -------- */

static void add_part(struct rdl__text *out, const struct rdl__mock_part *part)
{
    const char *name = part->parameter->name;

    switch (part->kind) {
    case RDL__PART_ANYTHING:
        rdl__text_add(out, "any %s", name);
        break;
    case RDL__PART_THAT:
        rdl__text_add(out, "%s that %s", name, part->name);
        break;
    case RDL__PART_KEEPS:
        rdl__text_add(out, "%s as %s", name, part->slot->name);
        break;
    case RDL__PART_SAME_AS:
        rdl__text_add(out, "%s = %s", name, part->slot->name);
        break;
    case RDL__PART_STR:
        rdl__text_add(out, "%s = ", name);
        add_text(out, part->value, part->size);
        break;
    case RDL__PART_BYTES:
        rdl__text_add(out, "%s = ", name);
        add_bytes(out, part->parameter->type->of, part->value, part->size);
        break;
    default:
        rdl__text_add(out, "%s = ", name);
        rdl__mock_show_value(out, part->parameter, part->value, NULL);
    }
}

void rdl__mock_show_parts(struct rdl__text *out, const struct rdl__mock_parts *parts)
{
    bool is_first = true;

    for (uint32_t i = 0; i < parts->count; i++) {
        const struct rdl__mock_part *part = &parts->items[i];

        if (part->kind < RDL__PART_ARG || part->kind > RDL__PART_WHERE)
            continue;
        rdl__text_add(out, "%s", is_first ? "" : ", ");
        add_part(out, part);
        is_first = false;
    }
    rdl__text_add(out, "%s", is_first ? "..." : "");
}

/* ---- The story -------- */

static void add_set(struct rdl__text *out, const struct rdl__mock_call *call)
{
    for (uint32_t i = 0; call->answer && !call->failure && i < call->answer->count; i++) {
        const struct rdl__mock_part *part = &call->answer->items[i];
        uint64_t address;

        if (part->kind != RDL__PART_SETS && part->kind != RDL__PART_SETS_BYTES)
            continue;
        memcpy(&address, call->values + part->parameter->at, sizeof address);
        if (!address)
            continue;
        rdl__text_add(out, ", %s set to ", part->parameter->name);
        if (part->kind == RDL__PART_SETS && part->parameter->type->of &&
            part->parameter->type->of->size == part->size)
            rdl__value_show(out, part->parameter->type->of, part->value);
        else
            add_bytes(out, NULL, part->value, part->size);
    }
}

static bool is_let_run(const struct rdl__mock_call *call)
{
    return call->code && call->code == rdl__detour_real(&call->entry->detour);
}

void rdl__mock_tell(const struct rdl__mock_call *call)
{
    struct rdl__trace *trace = rdl__current->trace;
    struct rdl__text line = {0};

    if (rdl__current->outcome->phases > 0)
        rdl__text_add(&line, "  "); /* below the call of a spec in which it is made */
    rdl__mock_show_call(&line, call);
    if (call->function->result.size) {
        rdl__text_add(&line, " -> ");
        rdl__mock_show_value(&line, &call->function->result,
                             call->values + call->function->result.at, NULL);
    }
    add_set(&line, call);
    rdl__text_add(&line, "%s", call->is_injected || call->failure ? ", injected" : "");
    rdl__trace_note(trace, is_let_run(call) ? RDL__LET_RUN : "call", line.bytes);
    rdl__trace_point(trace, "call", 0, rdl__trace_lane(trace, "component", call->function->name),
                     line.bytes, "");
    rdl__text_release(&line);
}
