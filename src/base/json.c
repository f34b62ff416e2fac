/* json.c -- reading JSON: a function for each rule of its grammar.
 *
 * Each reads what begins at reader->at and leaves that behind it; false or NULL: it is not
 * there, and reader->error tells. */
#include "base/json.h"

#include <locale.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { DIGITS_MAX = 400 }; /* of a number: more than a double can have */

struct reader {
    const char *given;    /* the text */
    char *copy;           /* of it, in which strings take the place of what stood for them */
    const char *at, *end; /* in the copy */
    struct rdl__arena *arena;
    struct rdl__error *error;
    int depth;
};

static bool refuse(struct reader *reader, const char *what)
{
    int line = 1;

    for (ptrdiff_t i = 0; i < reader->at - reader->copy; i++)
        line += reader->given[i] == '\n';
    return rdl__fail(reader->error, "line %d: %s", line, what);
}

static void skip_space(struct reader *reader)
{
    while (reader->at < reader->end && *reader->at && strchr(" \t\r\n", *reader->at))
        reader->at++;
}

/* The next byte, or 0 at the end. */
static char peek(const struct reader *reader)
{
    return reader->at < reader->end ? *reader->at : '\0';
}

static bool accept(struct reader *reader, char c)
{
    if (reader->at == reader->end || *reader->at != c)
        return false;
    reader->at++;
    return true;
}

static bool read_word(struct reader *reader, const char *word)
{
    size_t length = strlen(word);

    if ((size_t)(reader->end - reader->at) < length || memcmp(reader->at, word, length) != 0)
        return refuse(reader, "here is no value");
    reader->at += length;
    return true;
}

/* ---- Numbers ------------------------------------------------------------------------------ */

static size_t skip_digits(struct reader *reader)
{
    const char *from = reader->at;

    while (peek(reader) >= '0' && peek(reader) <= '9')
        reader->at++;
    return (size_t)(reader->at - from);
}

/* strtod, for a number with a point whatever the locale. */
static double value_of(const char *from, size_t length)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    char digits[DIGITS_MAX + 1];
    double value;

    memcpy(digits, from, length);
    digits[length] = '\0';
    value = strtod_l(digits, NULL, plain);
    freelocale(plain);
    return value;
}

static bool read_number(struct reader *reader, struct rdl__json *out)
{
    const char *from = reader->at;
    bool zero;

    accept(reader, '-');
    zero = accept(reader, '0');
    if (!zero && skip_digits(reader) == 0)
        return refuse(reader, "here is no value");
    if (accept(reader, '.') && skip_digits(reader) == 0)
        return refuse(reader, "a number ends in its point");
    if (accept(reader, 'e') || accept(reader, 'E')) {
        if (!accept(reader, '+'))
            accept(reader, '-');
        if (skip_digits(reader) == 0)
            return refuse(reader, "a number lacks its exponent");
    }
    if (reader->at - from > DIGITS_MAX)
        return refuse(reader, "a number has too many digits");
    out->kind = RDL__JSON_NUMBER;
    out->number = value_of(from, (size_t)(reader->at - from));
    return true;
}

/* ---- Strings ------------------------------------------------------------------------------ */

static char *put_character(char *to, uint32_t code)
{
    if (code < 0x80) {
        *to++ = (char)code;
        return to;
    }
    if (code < 0x800) {
        *to++ = (char)(0xc0 | code >> 6);
    } else {
        if (code < 0x10000) {
            *to++ = (char)(0xe0 | code >> 12);
        } else {
            *to++ = (char)(0xf0 | code >> 18);
            *to++ = (char)(0x80 | (code >> 12 & 0x3f));
        }
        *to++ = (char)(0x80 | (code >> 6 & 0x3f));
    }
    *to++ = (char)(0x80 | (code & 0x3f));
    return to;
}

/* The four digits of \u; more than any if they are not there. */
static uint32_t read_unit(struct reader *reader)
{
    uint32_t unit = 0;

    for (int i = 0; i < 4; i++) {
        const char digits[] = "0123456789abcdef";
        char c = peek(reader);
        const char *digit = c ? strchr(digits, c >= 'A' && c <= 'F' ? c + 32 : c) : NULL;

        if (!digit)
            return UINT32_MAX;
        unit = unit * 16 + (uint32_t)(digit - digits);
        reader->at++;
    }
    return unit;
}

/* One of \u, or two that are halves of one character; a half alone is none. */
static bool read_code(struct reader *reader, uint32_t *out)
{
    uint32_t high = read_unit(reader), low;
    const char *after = reader->at;

    *out = high;
    if (high == UINT32_MAX)
        return refuse(reader, "\\u is not followed by four digits");
    if (high < 0xd800 || high > 0xdfff)
        return true;
    *out = RDL__NO_CHARACTER;
    if (high > 0xdbff || !accept(reader, '\\') || !accept(reader, 'u')) {
        reader->at = after;
        return true;
    }
    low = read_unit(reader);
    if (low < 0xdc00 || low > 0xdfff)
        reader->at = after; /* it stands for itself */
    else
        *out = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
    return true;
}

static bool read_escape(struct reader *reader, char **to)
{
    static const char names[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    const char *name = peek(reader) ? strchr(names, peek(reader)) : NULL;
    uint32_t code;

    if (name) {
        reader->at++;
        *(*to)++ = meanings[name - names];
        return true;
    }
    if (!accept(reader, 'u'))
        return refuse(reader, "an escape that there is not");
    if (!read_code(reader, &code))
        return false;
    *to = put_character(*to, code);
    return true;
}

/* One character as it stands.  (The copy ends in a NUL, so none goes past its end.) */
static bool read_plain(struct reader *reader, char **to)
{
    const char *from = reader->at;
    uint32_t code = rdl__utf8_next(&reader->at);
    size_t length = (size_t)(reader->at - from);

    if ((unsigned char)*from < ' ')
        return refuse(reader, "a string has a bare control character in it");
    if (code == RDL__NO_CHARACTER && length == 1)
        return refuse(reader, "a string has bytes in it that are not UTF-8");
    memmove(*to, from, length);
    *to += length;
    return true;
}

/* No escape is shorter than what it stands for, so there is room, and for a NUL as well. */
static const char *read_string(struct reader *reader, size_t *out_length)
{
    char *string = reader->copy + (reader->at - reader->copy), *to = string;

    if (!accept(reader, '"')) {
        refuse(reader, "here should be a string");
        return NULL;
    }
    while (!accept(reader, '"')) {
        if (reader->at == reader->end) {
            refuse(reader, "a string does not end");
            return NULL;
        }
        if (accept(reader, '\\') ? !read_escape(reader, &to) : !read_plain(reader, &to))
            return NULL;
    }
    *to = '\0';
    *out_length = (size_t)(to - string);
    return string;
}

/* ---- Values ------------------------------------------------------------------------------- */

static struct rdl__json *read_value(struct reader *reader);

/* "key": value */
static struct rdl__json *read_member(struct reader *reader)
{
    size_t length;
    struct rdl__json *value;
    const char *key;

    skip_space(reader);
    key = read_string(reader, &length);
    if (!key)
        return NULL;
    skip_space(reader);
    if (!accept(reader, ':')) {
        refuse(reader, "a key lacks its colon");
        return NULL;
    }
    value = read_value(reader);
    if (value)
        value->key = key;
    return value;
}

/* What is between brackets, which is read by `read_item`. */
static bool read_items(struct reader *reader, struct rdl__json *out, char close,
                       struct rdl__json *(*read_item)(struct reader *))
{
    const struct rdl__json **end = &out->first;

    if (++reader->depth > RDL__JSON_DEPTH)
        return refuse(reader, "it is nested too deep");
    reader->at++;
    skip_space(reader);
    if (!accept(reader, close)) {
        do {
            struct rdl__json *item = read_item(reader);

            if (!item)
                return false;
            *end = item;
            end = &item->next;
            skip_space(reader);
        } while (accept(reader, ','));
        if (!accept(reader, close))
            return refuse(reader, close == '}' ? "here should be , or }" : "here should be , or ]");
    }
    reader->depth--;
    return true;
}

static bool read_into(struct reader *reader, struct rdl__json *out)
{
    switch (peek(reader)) {
    case 'n':
        return read_word(reader, "null");
    case 'f':
        out->kind = RDL__JSON_FALSE;
        return read_word(reader, "false");
    case 't':
        out->kind = RDL__JSON_TRUE;
        return read_word(reader, "true");
    case '"':
        out->kind = RDL__JSON_STRING;
        out->string = read_string(reader, &out->length);
        return out->string != NULL;
    case '[':
        out->kind = RDL__JSON_ARRAY;
        return read_items(reader, out, ']', read_value);
    case '{':
        out->kind = RDL__JSON_OBJECT;
        return read_items(reader, out, '}', read_member);
    default:
        return read_number(reader, out);
    }
}

static struct rdl__json *read_value(struct reader *reader)
{
    struct rdl__json *value = rdl__arena_alloc(reader->arena, sizeof *value);

    *value = (struct rdl__json){.kind = RDL__JSON_NULL};
    skip_space(reader);
    return read_into(reader, value) ? value : NULL;
}

const struct rdl__json *rdl__json_read(struct rdl__arena *arena, const char *text, size_t count,
                                       struct rdl__error *error)
{
    struct reader reader = {.given = text, .arena = arena, .error = error};
    const struct rdl__json *value;

    reader.copy = rdl__arena_alloc(arena, count + 1);
    memcpy(reader.copy, text, count);
    reader.copy[count] = '\0';
    reader.at = reader.copy;
    reader.end = reader.copy + count;
    value = read_value(&reader);
    if (!value)
        return NULL;
    skip_space(&reader);
    if (reader.at < reader.end) {
        refuse(&reader, "something follows");
        return NULL;
    }
    return value;
}

/* ---- Lookups ------------------------------------------------------------------------------ */

const struct rdl__json *rdl__json_get(const struct rdl__json *object, const char *key)
{
    if (!object || object->kind != RDL__JSON_OBJECT)
        return NULL;
    for (const struct rdl__json *item = object->first; item; item = item->next)
        if (strcmp(item->key, key) == 0)
            return item;
    return NULL;
}

const char *rdl__json_string(const struct rdl__json *object, const char *key)
{
    const struct rdl__json *value = rdl__json_get(object, key);

    return value && value->kind == RDL__JSON_STRING ? value->string : NULL;
}

double rdl__json_number(const struct rdl__json *object, const char *key, double otherwise)
{
    const struct rdl__json *value = rdl__json_get(object, key);

    return value && value->kind == RDL__JSON_NUMBER ? value->number : otherwise;
}
