/* read.c -- values of any type, read from text.
 *
 * Braces and brackets of structs and arrays, and names of members, may be left out, since
 * the type says what comes; not so those of lists and maps, whose length it does not say. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spec/values.h"

struct reader {
    const char *text, *at;
    const char *field; /* that is being read; NULL: none yet */
    const char *wrong; /* where something else was expected */
    struct rdl__error error;
};

/* ---- Words ------------------------------------------------------------------------------- */

static void skip_blanks(struct reader *r)
{
    while (isspace((unsigned char)*r->at))
        r->at++;
}

static void skip_separators(struct reader *r)
{
    while (isspace((unsigned char)*r->at) || *r->at == ',')
        r->at++;
}

static bool expected(struct reader *r, const char *what)
{
    char found[32] = "the end";

    if (*r->at)
        snprintf(found, sizeof found, "\"%.24s\"", r->at);
    r->wrong = r->at;
    return rdl__fail(&r->error, "expected %s%s%s at column %d, not %s", what,
                     r->field ? " for " : "", r->field ? r->field : "", (int)(r->at - r->text) + 1,
                     found);
}

static bool take(struct reader *r, char wanted)
{
    skip_separators(r);
    if (*r->at != wanted)
        return false;
    r->at++;
    return true;
}

static bool need(struct reader *r, char wanted)
{
    char what[] = {'\'', wanted, '\'', '\0'};

    return take(r, wanted) || expected(r, what);
}

static size_t length_of_name(const char *text)
{
    size_t length = 0;

    while (isalnum((unsigned char)text[length]) || text[length] == '_')
        length++;
    return length && !isdigit((unsigned char)text[0]) ? length : 0;
}

static bool take_name(struct reader *r, const char *name)
{
    size_t length = length_of_name(r->at);

    if (length == 0 || strlen(name) != length || strncmp(r->at, name, length) != 0)
        return false;
    r->at += length;
    return true;
}

/* `name =` or `.name =`, if it is there. */
static bool take_label(struct reader *r, const char *name)
{
    const char *start;

    skip_separators(r);
    start = r->at;
    r->at += *r->at == '.';
    if (take_name(r, name)) {
        skip_blanks(r);
        if (*r->at == '=' && r->at[1] != '=') {
            r->at++;
            return true;
        }
    }
    r->at = start;
    return false;
}

/* ---- Scalars -------------------------------------------------------------------------------- */

static int digit_of(char c)
{
    return isdigit((unsigned char)c)    ? c - '0'
           : isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10
                                        : 99;
}

/* Digits, in base 10 or after 0x 16; false: there are none, or too many. */
static bool read_digits(struct reader *r, unsigned __int128 *out)
{
    bool is_hex = r->at[0] == '0' && (r->at[1] == 'x' || r->at[1] == 'X');
    unsigned base = is_hex ? 16 : 10;
    const char *start = r->at += is_hex ? 2 : 0;

    for (*out = 0; (unsigned)digit_of(*r->at) < base; r->at++) {
        unsigned digit = (unsigned)digit_of(*r->at);

        if (*out > (~(unsigned __int128)0 - digit) / base)
            return false;
        *out = *out * base + digit;
    }
    return r->at > start && length_of_name(r->at) == 0;
}

/* One character of a text or between quotes, as it is shown. */
static bool read_character(struct reader *r, char *out)
{
    static const char named[] = "a\ab\bf\fn\nr\rt\tv\v\\\\\"\"''0\0";

    if (*r->at == '\0')
        return expected(r, "a character");
    if (*r->at != '\\') {
        *out = *r->at++;
        return true;
    }
    if (r->at[1] == 'x' && isxdigit((unsigned char)r->at[2]) && isxdigit((unsigned char)r->at[3])) {
        *out = (char)(16 * digit_of(r->at[2]) + digit_of(r->at[3]));
        r->at += 4;
        return true;
    }
    for (size_t i = 0; i + 1 < sizeof named; i += 2)
        if (named[i] == r->at[1]) {
            *out = named[i + 1];
            r->at += 2;
            return true;
        }
    return expected(r, "a character after the backslash");
}

static bool read_quoted_character(struct reader *r, char *out)
{
    r->at++;
    return read_character(r, out) && (*r->at++ == '\'' || (r->at--, expected(r, "'")));
}

static bool fits(const struct rdl__type *type, bool is_signed, bool negative,
                 unsigned __int128 number)
{
    unsigned bits = 8 * type->size;
    unsigned __int128 top = (unsigned __int128)1 << (bits - 1);

    if (is_signed)
        return negative ? number <= top : number < top;
    return (!negative || number == 0) && (bits == 128 || number <= (top - 1) * 2 + 1);
}

bool rdl__value_store(const struct rdl__type *type, bool is_signed, bool negative,
                      unsigned __int128 number, void *out)
{
    if (!fits(type, is_signed, negative, number))
        return false;
    number = negative ? -number : number;
    memcpy(out, &number, type->size);
    return true;
}

static bool read_number(struct reader *r, const struct rdl__type *type, bool is_signed, void *out)
{
    const char *start = r->at;
    unsigned __int128 number;
    bool negative = *r->at == '-';
    char character;

    if (*r->at == '\'') {
        if (!read_quoted_character(r, &character))
            return false;
        number = (unsigned __int128)(__int128)character;
        memcpy(out, &number, type->size);
        return true;
    }
    r->at += *r->at == '-' || *r->at == '+';
    if (!read_digits(r, &number)) {
        r->at = start;
        return expected(r, "a number");
    }
    if (rdl__value_store(type, is_signed, negative, number, out))
        return true;
    r->at = start;
    return expected(r, type->size == 1 ? "a number of one byte" : "a number that fits");
}

static bool read_float(struct reader *r, const struct rdl__type *type, void *out)
{
    long double large;
    char *end;

    if (isspace((unsigned char)*r->at))
        return expected(r, "a number");
    large = strtold(r->at, &end);
    if (end == r->at)
        return expected(r, "a number");
    if (type->size == sizeof(float))
        memcpy(out, &(float){strtof(r->at, NULL)}, sizeof(float));
    else if (type->size == sizeof(double))
        memcpy(out, &(double){strtod(r->at, NULL)}, sizeof(double));
    else
        memcpy(out, &large, 10);
    r->at = end;
    return true;
}

static bool read_enumerator(struct reader *r, const struct rdl__type *type, void *out)
{
    for (uint32_t i = 0; i < type->count; i++)
        if (take_name(r, type->enumerators[i].name)) {
            memcpy(out, &type->enumerators[i].value, type->size);
            return true;
        }
    if (length_of_name(r->at))
        return expected(r, "an enumerator");
    return read_number(r, type, type->is_signed, out);
}

static bool read_scalar(struct reader *r, const struct rdl__type *type, void *out)
{
    switch (type->kind) {
    case RDL__TYPE_BOOL:
        if (take_name(r, "true") || take_name(r, "false")) {
            *(char *)out = r->at[-2] == 'u';
            return true;
        }
        if (length_of_name(r->at))
            return expected(r, "true or false");
        return read_number(r, type, false, out);
    case RDL__TYPE_FLOAT:
        return read_float(r, type, out);
    case RDL__TYPE_ENUM:
        return read_enumerator(r, type, out);
    case RDL__TYPE_REF:
        r->at += *r->at == '#';
        return take_name(r, "none") || read_number(r, type, false, out);
    case RDL__TYPE_POINTER:
        return take_name(r, "NULL") || read_number(r, type, false, out);
    case RDL__TYPE_CHAR:
        return read_number(r, type, *r->at == '-', out);
    default:
        return read_number(r, type, type->kind == RDL__TYPE_SIGNED, out);
    }
}

/* ---- What has parts ------------------------------------------------------------------------- */

static bool read_value(struct reader *r, const struct rdl__type *type, void *out);

static void *at(void *value, size_t offset)
{
    return (char *)value + offset;
}

static bool read_bytes(struct reader *r, size_t size, unsigned char *out)
{
    if (!need(r, '<'))
        return false;
    for (size_t i = 0; i < size; i++) {
        skip_separators(r);
        if (!isxdigit((unsigned char)r->at[0]) || !isxdigit((unsigned char)r->at[1]))
            return expected(r, "a byte in hexadecimal");
        out[i] = (unsigned char)(16 * digit_of(r->at[0]) + digit_of(r->at[1]));
        r->at += 2;
    }
    return need(r, '>');
}

static bool read_text(struct reader *r, const struct rdl__type *type, char *out)
{
    if (*r->at++ != '"') {
        r->at--;
        return expected(r, "a text in quotes");
    }
    for (uint32_t i = 0; *r->at != '"'; i++)
        if (i == type->count)
            return expected(r, "the end of the text, which is too long");
        else if (!read_character(r, &out[i]))
            return false;
    r->at++;
    return true;
}

static bool read_array(struct reader *r, const struct rdl__type *type, void *out)
{
    bool bracket = take(r, '[');

    for (uint32_t i = 0; i < type->count; i++)
        if (!read_value(r, type->of, at(out, (size_t)i * type->of->size)))
            return false;
    return !bracket || need(r, ']');
}

static bool read_item(struct reader *r, const struct rdl__type *type, bool is_map, void *out)
{
    const struct rdl__member *key, *value;

    if (!is_map)
        return read_value(r, type, out);
    key = &type->members[0], value = &type->members[1];
    return read_value(r, key->type, at(out, key->offset)) && need(r, ':') &&
           read_value(r, value->type, at(out, value->offset));
}

static bool read_list(struct reader *r, const struct rdl__type *type, void *out)
{
    const struct rdl__type *items = type->members[1].type;
    bool is_map = type->kind == RDL__TYPE_MAP;
    uint64_t count = 0;

    if (!need(r, is_map ? '{' : '['))
        return false;
    for (; !take(r, is_map ? '}' : ']'); count++) {
        if (count == items->count)
            return expected(r, is_map ? "'}', since no more items fit in,"
                                      : "']', since no more items fit in,");
        if (!read_item(r, items->of, is_map,
                       at(out, type->members[1].offset + count * items->of->size)))
            return false;
    }
    memcpy(at(out, type->members[0].offset), &count, type->members[0].type->size);
    return true;
}

/* Bits are read as the number that they are, which must then fit. */
static bool read_member(struct reader *r, const struct rdl__member *member, void *out)
{
    unsigned char wanted[RDL__SCALAR_MAX] = {0};
    const char *start;

    if (member->name[0])
        r->field = member->name;
    if (!member->bits || member->type->size > RDL__SCALAR_MAX)
        return read_value(r, member->type, at(out, member->offset));
    skip_separators(r);
    start = r->at;
    if (!read_value(r, member->type, wanted))
        return false;
    if (rdl__value_fit_in(member, wanted, out))
        return true;
    r->at = start;
    return expected(r, "a number that fits into its bits");
}

static bool read_members(struct reader *r, const struct rdl__type *type, void *out)
{
    for (uint32_t i = 0; i < type->count; i++) {
        if (type->members[i].name[0])
            take_label(r, type->members[i].name);
        if (!read_member(r, &type->members[i], out))
            return false;
    }
    return true;
}

static bool read_struct(struct reader *r, const struct rdl__type *type, void *out)
{
    bool brace = take(r, '{');

    return read_members(r, type, out) && (!brace || need(r, '}'));
}

static bool read_union(struct reader *r, const struct rdl__type *type, void *out)
{
    bool brace;

    skip_separators(r);
    if (*r->at == '<')
        return read_bytes(r, type->size, out);
    brace = take(r, '{');
    for (uint32_t i = 0; i < type->count; i++)
        if (type->members[i].name[0] && take_label(r, type->members[i].name))
            return read_member(r, &type->members[i], out) && (!brace || need(r, '}'));
    return (type->count == 0 || read_member(r, &type->members[0], out)) && (!brace || need(r, '}'));
}

static bool read_value(struct reader *r, const struct rdl__type *type, void *out)
{
    skip_separators(r);
    switch (type->kind) {
    case RDL__TYPE_BYTES:
        return read_bytes(r, type->size, out);
    case RDL__TYPE_ARRAY:
        return read_array(r, type, out);
    case RDL__TYPE_TEXT:
        return read_text(r, type, out);
    case RDL__TYPE_STRUCT:
        return read_struct(r, type, out);
    case RDL__TYPE_LIST:
    case RDL__TYPE_MAP:
        return read_list(r, type, out);
    case RDL__TYPE_UNION:
        return read_union(r, type, out);
    default:
        return read_scalar(r, type, out);
    }
}

/* All of the text.  A brace at its beginning may be that of the struct, or of what is its
 * first member. */
static bool read_all(struct reader *r, const struct rdl__type *type, bool bare, void *out)
{
    memset(out, 0, type->size);
    if (!(bare ? read_members(r, type, out) : read_value(r, type, out)))
        return false;
    skip_separators(r);
    r->field = NULL;
    return *r->at == '\0' || expected(r, "nothing else");
}

bool rdl__value_read(const struct rdl__type *type, const char *text, void *out,
                     struct rdl__error *error)
{
    struct reader first = {.text = text, .at = text}, second = first;

    if (read_all(&first, type, false, out))
        return true;
    if (type->kind == RDL__TYPE_STRUCT && read_all(&second, type, true, out))
        return true;
    return rdl__fail(error, "%s",
                     second.wrong > first.wrong ? second.error.text : first.error.text);
}
