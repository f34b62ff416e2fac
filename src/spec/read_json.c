/* read_json.c -- values of any type, read from JSON straight into their places.
 *
 * The type says what may come, so no tree of it is made: logs have millions of values. */
#include <stdlib.h>
#include <string.h>

#include "spec/values.h"

struct reader {
    struct rdl__json_scan *scan;
    const char *field; /* that is being read; NULL: none yet */
    struct rdl__error *error;
};

static void *at(void *value, size_t offset)
{
    return (char *)value + offset;
}

/* Most differ in how they begin, and there are millions. */
static bool are_same(const char *a, const char *b)
{
    return a[0] == b[0] && strcmp(a, b) == 0;
}

/* ---- What is wrong -------------------------------------------------------------------------- */

static int column_of(const struct reader *r, const char *place)
{
    return (int)(place - r->scan->text) + 1;
}

/* What stands there, as far as it is needed to find it again. */
static void add_found(struct rdl__text *out, const char *place)
{
    size_t length = *place == '"' ? 2 + strcspn(place + 1, "\"") : strcspn(place, ",:]} \t\r");

    if (*place == '{' || *place == '[')
        rdl__text_add(out, *place == '{' ? "an object" : "an array");
    else if (!*place || length == 0)
        rdl__text_add(out, *place ? "'%c'" : "the end", *place);
    else
        rdl__text_add(out, "%.*s%s", (int)(length > 40 ? 40 : length), place,
                      length > 40 ? "..." : "");
}

static bool expected(struct reader *r, const char *what, const char *place)
{
    struct rdl__text found = {0};

    add_found(&found, place);
    rdl__fail(r->error, "expected %s%s%s at column %d, not %s", what, r->field ? " for " : "",
              r->field ? r->field : "", column_of(r, place), rdl__text_string(&found));
    rdl__text_release(&found);
    return false;
}

static bool is_no_json(struct reader *r)
{
    return rdl__fail(r->error, "%s, at column %d", r->scan->wrong, column_of(r, r->scan->at));
}

static void add_member_names(struct rdl__text *out, const struct rdl__type *type)
{
    for (uint32_t i = 0; i < type->count; i++)
        if (type->members[i].name[0])
            rdl__text_add(out, "%s%s", out->count ? ", " : "", type->members[i].name);
        else if (type->members[i].type->members)
            add_member_names(out, type->members[i].type);
}

static bool is_unknown(struct reader *r, const struct rdl__type *type, const char *name)
{
    struct rdl__text names = {0};

    add_member_names(&names, type);
    rdl__fail(r->error, "there is no field '%.40s', but %s", name,
              names.count ? names.bytes : "none at all");
    rdl__text_release(&names);
    return false;
}

static bool is_no_enumerator(struct reader *r, const struct rdl__type *type, const char *place)
{
    struct rdl__text names = {0};
    bool read;

    for (uint32_t i = 0; i < type->count; i++)
        rdl__text_add(&names, "%s%s", i ? ", " : "one of ", type->enumerators[i].name);
    read = expected(r, names.count ? names.bytes : "a number", place);
    rdl__text_release(&names);
    return read;
}

/* ---- Scalars -------------------------------------------------------------------------------- */

/* Digits; false: there is something else, or too many. */
static bool read_digits(const char *from, size_t length, unsigned __int128 *out)
{
    uint64_t small = 0;
    size_t i = 0;

    for (; i < length && i < 19; i++) {
        if (from[i] < '0' || from[i] > '9')
            return false;
        small = small * 10 + (uint64_t)(from[i] - '0');
    }
    *out = small;
    for (; i < length; i++) {
        unsigned digit = (unsigned char)(from[i] - '0');

        if (digit > 9 || *out > (~(unsigned __int128)0 - digit) / 10)
            return false;
        *out = *out * 10 + digit;
    }
    return true;
}

static bool is_number(char c)
{
    return c == '-' || (c >= '0' && c <= '9');
}

static bool read_integer(struct reader *r, const struct rdl__type *type, bool is_signed, void *out)
{
    const char *place = r->scan->at, *number;
    bool negative = *place == '-';
    unsigned __int128 value;
    size_t length;

    if (!is_number(*place))
        return expected(r, "a number", place);
    if (!rdl__scan_number(r->scan, &number, &length))
        return is_no_json(r);
    if (!read_digits(number + negative, length - negative, &value))
        return expected(r, "a whole number", place);
    return rdl__value_store(type, is_signed, negative, value, out) ||
           expected(r, "a number that fits", place);
}

static bool read_float(struct reader *r, const struct rdl__type *type, void *out)
{
    const char *place = r->scan->at, *number;
    size_t length;

    if (!is_number(*place))
        return expected(r, "a number", place);
    if (!rdl__scan_number(r->scan, &number, &length))
        return is_no_json(r);
    if (type->size == sizeof(float))
        memcpy(out, &(float){strtof(number, NULL)}, sizeof(float));
    else if (type->size == sizeof(double))
        memcpy(out, &(double){rdl__scan_value(number)}, sizeof(double));
    else
        memcpy(out, &(long double){strtold(number, NULL)}, 10);
    return true;
}

static bool read_bool(struct reader *r, const struct rdl__type *type, void *out)
{
    const char *place = r->scan->at;

    if (*place != 't' && *place != 'f')
        return is_number(*place) ? read_integer(r, type, false, out)
                                 : expected(r, "true or false", place);
    *(char *)out = *place == 't';
    return rdl__scan_word(r->scan, *place == 't' ? "true" : "false") || is_no_json(r);
}

static bool read_enumerator(struct reader *r, const struct rdl__type *type, void *out)
{
    const char *place = r->scan->at, *name;
    size_t length;

    if (*place != '"')
        return is_number(*place) ? read_integer(r, type, type->is_signed, out)
                                 : is_no_enumerator(r, type, place);
    if (!rdl__scan_string(r->scan, &name, &length))
        return is_no_json(r);
    for (uint32_t i = 0; i < type->count; i++)
        if (are_same(type->enumerators[i].name, name)) {
            memcpy(out, &type->enumerators[i].value, type->size);
            return true;
        }
    return is_no_enumerator(r, type, place);
}

static bool read_text(struct reader *r, uint32_t room, bool exactly, char *out)
{
    const char *place = r->scan->at, *text;
    size_t length;

    if (*place != '"')
        return expected(r, exactly ? "a character" : "a string", place);
    if (!rdl__scan_string(r->scan, &text, &length))
        return is_no_json(r);
    if (length > room || (exactly && length < room))
        return expected(r, exactly ? "a single character" : "a string that fits", place);
    memcpy(out, text, length);
    return true;
}

static bool read_null(struct reader *r)
{
    return rdl__scan_word(r->scan, "null") || is_no_json(r);
}

static bool read_scalar(struct reader *r, const struct rdl__type *type, void *out)
{
    char next = rdl__scan_peek(r->scan);

    switch (type->kind) {
    case RDL__TYPE_BOOL:
        return read_bool(r, type, out);
    case RDL__TYPE_FLOAT:
        return read_float(r, type, out);
    case RDL__TYPE_ENUM:
        return read_enumerator(r, type, out);
    case RDL__TYPE_REF:
    case RDL__TYPE_POINTER:
        return next == 'n' ? read_null(r) : read_integer(r, type, false, out);
    case RDL__TYPE_CHAR:
        return is_number(next) ? read_integer(r, type, next == '-', out)
                               : read_text(r, 1, true, out);
    default:
        return read_integer(r, type, type->kind == RDL__TYPE_SIGNED, out);
    }
}

/* ---- What has parts ------------------------------------------------------------------------- */

static bool read_value(struct reader *r, const struct rdl__type *type, void *out);

/* What stands between items, or after the last of them. */
static bool comes_another(struct reader *r, char close, bool *good)
{
    if (rdl__scan_accept(r->scan, ','))
        return true;
    *good = rdl__scan_accept(r->scan, close) ||
            expected(r, close == ']' ? "',' or ']'" : "',' or '}'", r->scan->at);
    return false;
}

static bool read_items(struct reader *r, const struct rdl__type *of, uint32_t room, void *out,
                       uint64_t *out_count)
{
    bool good = true;

    rdl__scan_peek(r->scan);
    *out_count = 0;
    if (!rdl__scan_accept(r->scan, '['))
        return expected(r, "an array", r->scan->at);
    if (rdl__scan_accept(r->scan, ']'))
        return true;
    do {
        if (*out_count == room)
            return expected(r, "']', since no more items fit in,", r->scan->at);
        if (!read_value(r, of, at(out, (size_t)(*out_count)++ * of->size)))
            return false;
    } while (comes_another(r, ']', &good));
    return good;
}

/* A key of a map: a text, or what stands for a value in a text. */
static bool read_map_key(struct reader *r, const struct rdl__type *type, void *out)
{
    struct rdl__error why;
    const char *key;
    size_t length;

    if (!rdl__scan_key(r->scan, &key, &length))
        return is_no_json(r);
    if (type->kind != RDL__TYPE_TEXT)
        return rdl__value_read(type, key, out, &why) ||
               rdl__fail(r->error, "key \"%.40s\": %s", key, why.text);
    if (length > type->count)
        return rdl__fail(r->error, "key \"%.40s\" does not fit", key);
    memcpy(out, key, length);
    return true;
}

static bool read_map(struct reader *r, const struct rdl__type *items, void *out,
                     uint64_t *out_count)
{
    const struct rdl__member *key = &items->of->members[0], *value = &items->of->members[1];
    bool good = true;

    *out_count = 0;
    if (!rdl__scan_accept(r->scan, '{'))
        return expected(r, "an object", r->scan->at);
    if (rdl__scan_accept(r->scan, '}'))
        return true;
    do {
        void *item = at(out, (size_t)*out_count * items->of->size);

        if ((*out_count)++ == items->count)
            return expected(r, "'}', since no more items fit in,", r->scan->at);
        if (!read_map_key(r, key->type, at(item, key->offset)) ||
            !read_value(r, value->type, at(item, value->offset)))
            return false;
    } while (comes_another(r, '}', &good));
    return good;
}

static bool read_list(struct reader *r, const struct rdl__type *type, void *out)
{
    const struct rdl__type *items = type->members[1].type;
    void *first = at(out, type->members[1].offset);
    uint64_t count;

    if (!(type->kind == RDL__TYPE_MAP ? read_map(r, items, first, &count)
                                      : read_items(r, items->of, items->count, first, &count)))
        return false;
    memcpy(at(out, type->members[0].offset), &count, type->members[0].type->size);
    return true;
}

/* Bits are read as the number that they are, which must then fit. */
static bool read_member(struct reader *r, const struct rdl__member *member, void *out)
{
    unsigned char wanted[RDL__SCALAR_MAX] = {0};
    const char *place;

    r->field = member->name;
    if (!member->bits || member->type->size > RDL__SCALAR_MAX)
        return read_value(r, member->type, at(out, member->offset));
    rdl__scan_peek(r->scan);
    place = r->scan->at;
    if (!read_value(r, member->type, wanted))
        return false;
    return rdl__value_fit_in(member, wanted, out) ||
           expected(r, "a number that fits into its bits", place);
}

/* *base: where the struct lies that it is a member of, if that has no name of its own. */
static const struct rdl__member *find_member(const struct rdl__type *type, const char *name,
                                             size_t *base)
{
    for (uint32_t i = 0; i < type->count; i++) {
        const struct rdl__member *member = &type->members[i], *inner;

        if (are_same(member->name, name))
            return member;
        if (member->name[0] || !member->type->members)
            continue;
        inner = find_member(member->type, name, base);
        if (inner) {
            *base += member->offset;
            return inner;
        }
    }
    return NULL;
}

static bool read_field(struct reader *r, const struct rdl__type *type, uint32_t number, void *out)
{
    const char *outer = r->field, *name;
    const struct rdl__member *member;
    size_t length, base = 0;

    if (!rdl__scan_key(r->scan, &name, &length))
        return is_no_json(r);
    if (number < type->count && name[0] && are_same(type->members[number].name, name))
        member = &type->members[number]; /* most come in order */
    else
        member = name[0] ? find_member(type, name, &base) : NULL;
    if (!member)
        return is_unknown(r, type, name);
    if (!read_member(r, member, at(out, base)))
        return false;
    r->field = outer;
    return true;
}

/* Structs, and unions, whose members lie in the same place. */
static bool read_struct(struct reader *r, const struct rdl__type *type, void *out)
{
    bool good = true;
    uint32_t number = 0;

    if (!rdl__scan_accept(r->scan, '{'))
        return expected(r, "an object", r->scan->at);
    if (rdl__scan_accept(r->scan, '}'))
        return true;
    do {
        if (!read_field(r, type, number++, out))
            return false;
    } while (comes_another(r, '}', &good));
    return good;
}

static bool read_value(struct reader *r, const struct rdl__type *type, void *out)
{
    uint64_t count;

    rdl__scan_peek(r->scan);
    switch (type->kind) {
    case RDL__TYPE_BYTES:
        return type->size == 0 || expected(r, "nothing, since the type is not known,", r->scan->at);
    case RDL__TYPE_ARRAY:
        return read_items(r, type->of, type->count, out, &count);
    case RDL__TYPE_TEXT:
        return read_text(r, type->count, false, out);
    case RDL__TYPE_STRUCT:
    case RDL__TYPE_UNION:
        return read_struct(r, type, out);
    case RDL__TYPE_LIST:
    case RDL__TYPE_MAP:
        return read_list(r, type, out);
    default:
        return read_scalar(r, type, out);
    }
}

bool rdl__value_read_json(const struct rdl__type *type, struct rdl__json_scan *scan, void *out,
                          struct rdl__error *error)
{
    struct reader r = {.scan = scan, .error = error};

    memset(out, 0, type->size);
    return read_value(&r, type, out);
}
