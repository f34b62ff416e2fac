/* resp.c -- Redis's protocol, version 2, as far as it takes to read it.
 *
 * A line begins with what it is: + a status, - an error, : a number, $ the length of a string
 * that follows, * the number of elements that follow; a length of -1 is for nothing. */
#include "resp.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The line at `at`, without its end; *out_next is what follows.  NULL: it is not all there. */
static const char *line_at(const char *at, const char *end, const char **out_next)
{
    const char *newline = memchr(at, '\n', (size_t)(end - at));

    if (newline)
        *out_next = newline + 1;
    return newline ? at : NULL;
}

/* Where the value ends that begins here; NULL: it is not all there, and *bad: it never is. */
static const char *skip(const char *at, const char *end, bool *bad)
{
    const char *next = NULL, *line = line_at(at, end, &next);
    long count;

    if (!line)
        return NULL;
    switch (*line) {
    case '+':
    case '-':
    case ':':
        return next;
    case '$':
        count = strtol(line + 1, NULL, 10);
        if (count < 0)
            return next;
        return end - next >= count + 2 ? next + count + 2 : NULL;
    case '*':
        for (count = strtol(line + 1, NULL, 10); count > 0 && next; count--)
            next = skip(next, end, bad);
        return next;
    default:
        *bad = true;
        return NULL;
    }
}

long resp_length(const char *bytes, size_t size)
{
    bool bad = false;
    const char *end = skip(bytes, bytes + size, &bad);

    return bad ? -1 : end ? end - bytes : 0;
}

/* ---- In words ------------------------------------------------------------------------------- */

static void add(struct resp *out, const char *text, size_t size)
{
    size_t have = strlen(out->words), room = sizeof out->words - 1 - have;

    memcpy(out->words + have, text, size < room ? size : room);
}

static const char *add_value(struct resp *out, const char *at, const char *end, int depth);

static const char *add_elements(struct resp *out, const char *at, const char *end, long count,
                                int depth)
{
    bool brackets = depth > 0 || (at < end && *at == ':');

    add(out, "[", brackets);
    for (long i = 0; i < count; i++) {
        add(out, " ", i > 0);
        at = add_value(out, at, end, depth + 1);
    }
    add(out, "]", brackets);
    return at;
}

static const char *add_value(struct resp *out, const char *at, const char *end, int depth)
{
    const char *next = at, *line = line_at(at, end, &next);
    long count = strtol(line + 1, NULL, 10);

    if (*line == '*' && count >= 0)
        return add_elements(out, next, end, count, depth);
    if (*line == '$' && count >= 0) {
        add(out, next, (size_t)count);
        return next + count + 2;
    }
    if (*line == '$' || *line == '*')
        add(out, "nil", 3);
    else
        add(out, line + 1, (size_t)(next - line) - 3);
    return next;
}

void resp_read(const char *bytes, size_t size, struct resp *out)
{
    *out = (struct resp){0};
    add_value(out, bytes, bytes + size, 0);
}
