/* text.c -- a text that grows, and values as a C programmer would write them. */
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

static void make_room(struct rdl__text *text, size_t more)
{
    size_t wanted = text->count + more + 1;

    if (wanted <= text->room)
        return;
    text->room = wanted < 64 ? 64 : wanted * 2;
    text->bytes = rdl__reallocate(text->bytes, text->room);
}

void rdl__text_add_bytes(struct rdl__text *text, const void *bytes, size_t count)
{
    make_room(text, count);
    if (count)
        memcpy(text->bytes + text->count, bytes, count);
    text->count += count;
    text->bytes[text->count] = '\0';
}

/* Whole states are shown piece by piece, so this is often called: most pieces are short, and many
 * are what they are. */
void rdl__text_addv(struct rdl__text *text, const char *format, va_list args)
{
    enum { MOSTLY = 40 };
    va_list again;
    int length;

    if (!strchr(format, '%')) {
        rdl__text_add_bytes(text, format, strlen(format));
        return;
    }
    make_room(text, MOSTLY);
    va_copy(again, args);
    length = vsnprintf(text->bytes + text->count, MOSTLY + 1, format, again);
    va_end(again);
    rdl__bug_if(length < 0);
    if (length > MOSTLY) {
        make_room(text, (size_t)length);
        vsnprintf(text->bytes + text->count, (size_t)length + 1, format, args);
    }
    text->count += (size_t)length;
}

void rdl__text_add(struct rdl__text *text, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    rdl__text_addv(text, format, args);
    va_end(args);
}

void rdl__text_clear(struct rdl__text *text)
{
    text->count = 0;
    if (text->bytes)
        text->bytes[0] = '\0';
}

void rdl__text_release(struct rdl__text *text)
{
    free(text->bytes);
    *text = (struct rdl__text){0};
}

const char *rdl__text_string(const struct rdl__text *text)
{
    return text->bytes ? text->bytes : "";
}

/* One character inside quotes of the given kind. */
static void add_escaped(struct rdl__text *text, uint32_t code, char quote)
{
    static const char named[] = "\aa\bb\ff\nn\rr\tt\vv\\\\";
    const char *found = code && code < 128 ? strchr(named, (int)code) : NULL;

    if (code == (uint32_t)quote)
        rdl__text_add(text, "\\%c", quote);
    else if (found && (found - named) % 2 == 0)
        rdl__text_add(text, "\\%c", found[1]);
    else if (code >= ' ' && code < 127)
        rdl__text_add(text, "%c", (char)code);
    else if (code == 0)
        rdl__text_add(text, "\\0");
    else if (code < 256)
        rdl__text_add(text, "\\x%02x", code);
    else
        rdl__text_add(text, code < 0x10000 ? "\\u%04x" : "\\U%08x", code);
}

void rdl__text_add_character(struct rdl__text *text, uint32_t code)
{
    rdl__text_add(text, "'");
    add_escaped(text, code, '\'');
    rdl__text_add(text, "'");
}

uint32_t rdl__utf8_next(const char **at)
{
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    const unsigned char *s = (const unsigned char *)*at;
    int more = s[0] < 0x80 ? 0 : s[0] < 0xc0 ? -1 : s[0] < 0xe0 ? 1 : s[0] < 0xf0 ? 2 : 3;
    uint32_t code = more > 0 ? s[0] & (0x3fu >> more) : s[0];

    *at += 1;
    for (int i = 1; i <= more; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return RDL__NO_CHARACTER;
        code = code << 6 | (s[i] & 0x3f);
    }
    if (more < 0 || code < least[more] || (code >= 0xd800 && code < 0xe000) || code > 0x10ffff ||
        s[0] >= 0xf8)
        return RDL__NO_CHARACTER;
    *at += more;
    return code;
}

int rdl__text_width(const char *text)
{
    int count = 0;

    for (; *text; count++)
        rdl__utf8_next(&text);
    return count;
}

int rdl__text_add_clipped(struct rdl__text *text, const char *more, int most)
{
    int length = rdl__text_width(more), dots = most > 4 ? 2 : 0;
    const char *at = more;

    if (length <= most) {
        rdl__text_add(text, "%s", more);
        return length;
    }
    for (int i = 0; i < most - dots; i++)
        rdl__utf8_next(&at);
    rdl__text_add(text, "%.*s%.*s", (int)(at - more), more, dots, "..");
    return most > 0 ? most : 0;
}

/* "queue wo..er 7" */
int rdl__text_add_elided(struct rdl__text *text, const char *name, int most)
{
    int length = rdl__text_width(name), head = (most - 2) / 2, tail = most - 2 - head;
    const char *at = name;

    if (length <= most || most < 7)
        return rdl__text_add_clipped(text, name, most);
    for (int i = 0; i < head; i++)
        rdl__utf8_next(&at);
    rdl__text_add(text, "%.*s..", (int)(at - name), name);
    for (int i = head; i < length - tail; i++)
        rdl__utf8_next(&at);
    rdl__text_add(text, "%s", at);
    return most;
}

/* Characters that cannot be seen, and those that change the order of what is around them. */
static bool is_unseen(uint32_t code)
{
    return (code >= 0x7f && code < 0xa0) || code == RDL__NO_CHARACTER || code == 0xfeff ||
           (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2060 && code <= 0x2069);
}

/* How long is a sequence of a terminal's here that does no more than paint? */
static size_t paint_length(const char *at)
{
    size_t length = 2;

    if (at[0] != '\x1b' || at[1] != '[')
        return 0;
    length += strspn(at + 2, "0123456789;");
    return at[length] == 'm' ? length + 1 : 0;
}

void rdl__text_tame(struct rdl__text *text, bool painted)
{
    struct rdl__text tamed = {0};
    const char *at = text->bytes, *end = at + text->count;

    while (at < end) {
        const char *start = at;
        size_t paint = painted ? paint_length(at) : 0;
        uint32_t code = paint ? (at += paint, ' ') : rdl__utf8_next(&at);

        if (code == '\n' || code == '\t' || (code >= ' ' && !is_unseen(code)))
            rdl__text_add_bytes(&tamed, start, (size_t)(at - start));
        else
            for (; start < at; start++)
                rdl__text_add(&tamed, "\\x%02x", (unsigned char)*start);
    }
    rdl__text_release(text);
    *text = tamed;
}

void rdl__text_add_quoted(struct rdl__text *text, const char *bytes, size_t count)
{
    const char *end = bytes + count;

    rdl__text_add(text, "\"");
    while (bytes < end) {
        const char *start = bytes;
        uint32_t code = rdl__utf8_next(&bytes);

        if (code >= 0xa0 && !is_unseen(code))
            rdl__text_add_bytes(text, start, (size_t)(bytes - start));
        else
            for (; start < bytes; start++)
                add_escaped(text, (unsigned char)*start, '"');
    }
    rdl__text_add(text, "\"");
}

void rdl__text_add_double(struct rdl__text *text, double value, bool is_float)
{
    char digits[64];
    int most = is_float ? 9 : 17;

    if (isnan(value) || isinf(value)) {
        rdl__text_add(text, isnan(value) ? "NAN" : value < 0 ? "-INFINITY" : "INFINITY");
        return;
    }
    for (int precision = 1; precision <= most; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, value);
        if (is_float ? strtof(digits, NULL) == (float)value : strtod(digits, NULL) == value)
            break;
    }
    if (strstr(digits, "e+") && fabs(value) < (is_float ? 1e7 : 1e16)) /* 10.0, not 1e+01 */
        snprintf(digits, sizeof digits, "%.0f", value);
    rdl__text_add(text, strpbrk(digits, ".e") ? "%s" : "%s.0", digits);
}

void rdl__text_add_hex(struct rdl__text *text, const unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        rdl__text_add(text, i ? " %02x" : "%02x", bytes[i]);
}

void rdl__text_add_count(struct rdl__text *text, uint64_t count)
{
    if (count >= 1000) {
        rdl__text_add_count(text, count / 1000);
        rdl__text_add(text, ",%03u", (unsigned)(count % 1000));
    } else {
        rdl__text_add(text, "%u", (unsigned)count);
    }
}

void rdl__text_add_many(struct rdl__text *text, uint64_t count, const char *noun)
{
    rdl__text_add_count(text, count);
    rdl__text_add(text, " %s%s", noun, count == 1 ? "" : "s");
}
