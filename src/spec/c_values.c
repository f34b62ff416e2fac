/* c_values.c -- values as a C program would initialise a variable by them:
 *
 *     {.text = {'a', 'b'}, .colour = GREEN, .items = {.count = 1, .items = {3}}}  */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "spec/values.h"

static bool add_signed(struct rdl__text *out, const struct rdl__type *type, const void *value)
{
    unsigned unused = 64 - 8 * type->size;
    uint64_t bits = 0;
    int64_t number;

    memcpy(&bits, value, type->size);
    number = (int64_t)(bits << unused) >> unused;
    if (number == INT64_MIN)
        rdl__text_add(out, "%" PRId64 " - 1", INT64_MIN + 1);
    else
        rdl__text_add(out, "%" PRId64, number);
    return true;
}

static bool add_unsigned(struct rdl__text *out, const struct rdl__type *type, const void *value)
{
    uint64_t number = 0;

    memcpy(&number, value, type->size);
    rdl__text_add(out, number > INT32_MAX ? "%" PRIu64 "u" : "%" PRIu64, number);
    return true;
}

static bool add_enumerator(struct rdl__text *out, const struct rdl__type *type, const void *value)
{
    for (uint32_t i = 0; i < type->count; i++)
        if (memcmp(&type->enumerators[i].value, value, type->size) == 0) {
            rdl__text_add(out, "%s", type->enumerators[i].name);
            return true;
        }
    return type->is_signed ? add_signed(out, type, value) : add_unsigned(out, type, value);
}

static bool add_float(struct rdl__text *out, const struct rdl__type *type, const void *value)
{
    bool is_float = type->size == sizeof(float);
    double number;
    float small;

    if (type->size > sizeof number)
        return false;
    memcpy(is_float ? (void *)&small : (void *)&number, value, type->size);
    number = is_float ? (double)small : number;
    if (!isfinite(number))
        return false;
    rdl__text_add_double(out, number, is_float);
    return true;
}

static bool add_char(struct rdl__text *out, const void *value)
{
    const char c = *(const char *)value;

    if (c >= ' ' && c < 0x7f)
        rdl__text_add_character(out, (unsigned char)c);
    else
        rdl__text_add(out, "%d", c);
    return true;
}

static bool add_items(struct rdl__text *out, const struct rdl__type *of, uint32_t count,
                      const void *first)
{
    bool all = true;

    rdl__text_add(out, "{");
    for (uint32_t i = 0; i < count && all; i++) {
        rdl__text_add(out, i ? ", " : "");
        all = rdl__value_add_c(out, of, (const char *)first + (size_t)i * of->size);
    }
    rdl__text_add(out, "}");
    return all;
}

/* A text that fills its array has no NUL, so it is no string.  In C, digits that follow a byte's
 * would be its own: between them the string ends, and begins anew. */
static bool add_text(struct rdl__text *out, const struct rdl__type *type, const char *text)
{
    static const struct rdl__type character = {.kind = RDL__TYPE_CHAR, .size = 1};
    size_t count = strnlen(text, type->count);
    struct rdl__text quoted = {0};

    for (size_t i = 0; i < type->count; i++)
        if (count == type->count || (i > count && text[i]))
            return add_items(out, &character, type->count, text);
    rdl__text_add_quoted(&quoted, text, count);
    for (const char *at = quoted.bytes; *at; at++) {
        bool is_byte = at[0] == '\\' && at[1] == 'x';
        size_t length = is_byte ? 4 : at[0] == '\\' ? 2 : 1;

        rdl__text_add(out, "%.*s%s", (int)length, at,
                      is_byte && isxdigit((unsigned char)at[4]) ? "\"\"" : "");
        at += length - 1;
    }
    rdl__text_release(&quoted);
    return true;
}

static bool add_members(struct rdl__text *out, const struct rdl__type *type, const void *value)
{
    bool all = true;

    rdl__text_add(out, "{");
    for (uint32_t i = 0; i < type->count && all; i++) {
        const struct rdl__member *member = &type->members[i];
        unsigned char room[RDL__SCALAR_MAX];

        rdl__text_add(out, "%s.%s = ", i ? ", " : "", member->name);
        all = member->name[0] &&
              rdl__value_add_c(out, member->type, rdl__value_member(member, value, room));
    }
    rdl__text_add(out, "}");
    return all;
}

static bool add_list(struct rdl__text *out, const struct rdl__type *type, const void *value)
{
    const struct rdl__member *items = &type->members[1];
    uint32_t count;
    bool all;

    if (!rdl__value_count(type, value, &count))
        return add_members(out, type, value);
    rdl__text_add(out, "{.%s = %u, .%s = ", type->members[0].name, count, items->name);
    all = add_items(out, items->type->of, count, (const char *)value + items->offset);
    rdl__text_add(out, "}");
    return all;
}

static bool add_pointer(struct rdl__text *out, const void *value)
{
    uintptr_t address;

    memcpy(&address, value, sizeof address);
    rdl__text_add(out, "NULL");
    return address == 0;
}

bool rdl__value_add_c(struct rdl__text *out, const struct rdl__type *type, const void *value)
{
    switch (type->kind) {
    case RDL__TYPE_SIGNED:
        return type->size <= 8 && add_signed(out, type, value);
    case RDL__TYPE_UNSIGNED:
        return type->size <= 8 && add_unsigned(out, type, value);
    case RDL__TYPE_BOOL:
        rdl__text_add(out, *(const char *)value ? "true" : "false");
        return true;
    case RDL__TYPE_CHAR:
        return add_char(out, value);
    case RDL__TYPE_FLOAT:
        return add_float(out, type, value);
    case RDL__TYPE_ENUM:
        return type->size <= 8 && add_enumerator(out, type, value);
    case RDL__TYPE_POINTER:
        return add_pointer(out, value);
    case RDL__TYPE_ARRAY:
        return !type->is_complex && add_items(out, type->of, type->count, value);
    case RDL__TYPE_TEXT:
        return add_text(out, type, value);
    case RDL__TYPE_STRUCT:
        return add_members(out, type, value);
    case RDL__TYPE_LIST:
    case RDL__TYPE_MAP:
        return add_list(out, type, value);
    default:
        return false;
    }
}

bool rdl__type_is_integer(const struct rdl__type *type)
{
    return type->size <= 8 && (type->kind == RDL__TYPE_SIGNED || type->kind == RDL__TYPE_UNSIGNED ||
                               type->kind == RDL__TYPE_BOOL || type->kind == RDL__TYPE_CHAR ||
                               type->kind == RDL__TYPE_ENUM);
}

bool rdl__type_has_refs(const struct rdl__type *type)
{
    bool any = type->kind == RDL__TYPE_REF || (type->of && rdl__type_has_refs(type->of));

    for (uint32_t i = 0; type->members && i < type->count && !any; i++)
        any = rdl__type_has_refs(type->members[i].type);
    return any;
}
