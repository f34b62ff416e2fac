/* json_scan.c -- the words of JSON: what a string or a number is made of. */
#include "base/json_scan.h"

#include <locale.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { DIGITS_MAX = 400 }; /* of a number: more than a double can have */

/* Within words no space is skipped. */
static bool take(struct rdl__json_scan *scan, char c)
{
    if (scan->at == scan->end || *scan->at != c)
        return false;
    scan->at++;
    return true;
}

bool rdl__scan_word(struct rdl__json_scan *scan, const char *word)
{
    size_t length = strlen(word);

    if ((size_t)(scan->end - scan->at) < length || memcmp(scan->at, word, length) != 0)
        return rdl__scan_refuse(scan, "here is no value");
    scan->at += length;
    return true;
}

/* ---- Numbers ------------------------------------------------------------------------------ */

static size_t skip_digits(struct rdl__json_scan *scan)
{
    const char *from = scan->at;

    while (*scan->at >= '0' && *scan->at <= '9')
        scan->at++;
    return (size_t)(scan->at - from);
}

bool rdl__scan_number(struct rdl__json_scan *scan, const char **out, size_t *out_length)
{
    const char *from = scan->at;
    bool zero;

    take(scan, '-');
    zero = take(scan, '0');
    if (!zero && skip_digits(scan) == 0)
        return rdl__scan_refuse(scan, "here is no value");
    if (take(scan, '.') && skip_digits(scan) == 0)
        return rdl__scan_refuse(scan, "a number ends in its point");
    if (take(scan, 'e') || take(scan, 'E')) {
        if (!take(scan, '+'))
            take(scan, '-');
        if (skip_digits(scan) == 0)
            return rdl__scan_refuse(scan, "a number lacks its exponent");
    }
    if (scan->at - from > DIGITS_MAX)
        return rdl__scan_refuse(scan, "a number has too many digits");
    *out = from;
    *out_length = (size_t)(scan->at - from);
    return true;
}

/* With a point whatever the locale.  What may follow a number ends it for strtod, too. */
double rdl__scan_value(const char *number)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    double value = strtod_l(number, NULL, plain);

    freelocale(plain);
    return value;
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
static uint32_t read_unit(struct rdl__json_scan *scan)
{
    uint32_t unit = 0;

    for (int i = 0; i < 4; i++) {
        const char digits[] = "0123456789abcdef";
        char c = *scan->at;
        const char *digit = c ? strchr(digits, c >= 'A' && c <= 'F' ? c + 32 : c) : NULL;

        if (!digit)
            return UINT32_MAX;
        unit = unit * 16 + (uint32_t)(digit - digits);
        scan->at++;
    }
    return unit;
}

/* One of \u, or two that are halves of one character; a half alone is none. */
static bool read_code(struct rdl__json_scan *scan, uint32_t *out)
{
    uint32_t high = read_unit(scan), low;
    char *after = scan->at;

    *out = high;
    if (high == UINT32_MAX)
        return rdl__scan_refuse(scan, "\\u is not followed by four digits");
    if (high < 0xd800 || high > 0xdfff)
        return true;
    *out = RDL__NO_CHARACTER;
    if (high > 0xdbff || !take(scan, '\\') || !take(scan, 'u')) {
        scan->at = after;
        return true;
    }
    low = read_unit(scan);
    if (low < 0xdc00 || low > 0xdfff)
        scan->at = after; /* it stands for itself */
    else
        *out = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
    return true;
}

static bool read_escape(struct rdl__json_scan *scan, char **to)
{
    static const char names[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    const char *name = *scan->at ? strchr(names, *scan->at) : NULL;
    uint32_t code;

    if (name) {
        scan->at++;
        *(*to)++ = meanings[name - names];
        return true;
    }
    if (!take(scan, 'u'))
        return rdl__scan_refuse(scan, "an escape that there is not");
    if (!read_code(scan, &code))
        return false;
    *to = put_character(*to, code);
    return true;
}

/* One character as it stands.  (The text ends in a NUL, so none goes past its end.) */
static bool read_plain(struct rdl__json_scan *scan, char **to)
{
    const char *from = scan->at, *after = from;
    uint32_t code = rdl__utf8_next(&after);
    size_t length = (size_t)(after - from);

    if ((unsigned char)*from < ' ')
        return rdl__scan_refuse(scan, "a string has a bare control character in it");
    if (code == RDL__NO_CHARACTER && length == 1)
        return rdl__scan_refuse(scan, "a string has bytes in it that are not UTF-8");
    memmove(*to, from, length);
    *to += length;
    scan->at += length;
    return true;
}

/* Characters that may remain where they are: most strings have no others. */
static void skip_ascii(struct rdl__json_scan *scan)
{
    while (*scan->at >= ' ' && *scan->at != '"' && *scan->at != '\\')
        scan->at++;
}

/* No escape is shorter than what it stands for, so there is room. */
bool rdl__scan_string(struct rdl__json_scan *scan, const char **out, size_t *out_length)
{
    char *string, *to;

    if (!take(scan, '"'))
        return rdl__scan_refuse(scan, "here should be a string");
    string = scan->at;
    skip_ascii(scan);
    for (to = scan->at; !take(scan, '"');) {
        if (scan->at == scan->end)
            return rdl__scan_refuse(scan, "a string does not end");
        if (take(scan, '\\') ? !read_escape(scan, &to) : !read_plain(scan, &to))
            return false;
    }
    *to = '\0';
    *out = string;
    *out_length = (size_t)(to - string);
    return true;
}

bool rdl__scan_key(struct rdl__json_scan *scan, const char **out, size_t *out_length)
{
    rdl__scan_peek(scan);
    if (!rdl__scan_string(scan, out, out_length))
        return false;
    return rdl__scan_accept(scan, ':') || rdl__scan_refuse(scan, "a key lacks its colon");
}

/* ---- What is read later ---------------------------------------------------------------------- */

/* Behind the quote that ends it. */
static void skip_string(struct rdl__json_scan *scan)
{
    for (scan->at++; scan->at < scan->end && *scan->at != '"'; scan->at++)
        scan->at += *scan->at == '\\' && scan->at + 1 < scan->end;
    scan->at += scan->at < scan->end;
}

bool rdl__scan_skip(struct rdl__json_scan *scan)
{
    int depth = 0;

    rdl__scan_peek(scan);
    while (scan->at < scan->end) {
        char c = *scan->at;

        if (depth == 0 && (c == ',' || c == '}' || c == ']'))
            return true;
        if (c == '"') {
            skip_string(scan);
            continue;
        }
        depth += (c == '{' || c == '[') - (c == '}' || c == ']');
        scan->at++;
    }
    return rdl__scan_refuse(scan, "it does not end");
}
