/* locate_read.c -- what a location says, taken apart. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "port/locate_parts.h"

static bool is_number(const char *text)
{
    return *text && text[strspn(text, "0123456789")] == '\0';
}

static const char *read_line(struct rdl__query *out, const char *digits)
{
    out->line = strlen(digits) < 9 ? atoi(digits) : 0;
    return out->line > 0 ? NULL : "there is no such line";
}

/* What stands behind a line. */
static const char *read_call(struct rdl__query *out, const char *call)
{
    const char *digits = call + strlen("call");

    if (strncmp(call, "call", strlen("call")) != 0)
        return "behind a line there can be :call 2";
    while (*digits == ' ')
        digits++;
    out->call = is_number(digits) && strlen(digits) < 4 ? atoi(digits) : 0;
    return out->call > 0 ? NULL : "which call of the line?  FILE:LINE:call 2";
}

/* What stands behind the name of a function. */
static const char *read_within(struct rdl__query *out, const char *within)
{
    out->at_return = strcmp(within, "return") == 0;
    out->at_entry = strcmp(within, "entry") == 0;
    return out->at_return || out->at_entry ? NULL
                                           : "behind a function there can be :return or :/text/";
}

/* FILE:LINE, FUNCTION, FILE:FUNCTION, and what may stand behind a function. */
static const char *read_names(struct rdl__query *out, char *names)
{
    char *second = strchr(names, ':'), *third = NULL;

    if (strstr(names, "::"))
        return "of names with :: in them, write the last part, or what the linker calls it";
    if (second)
        *second++ = '\0';
    third = second ? strchr(second, ':') : NULL;
    if (third)
        *third++ = '\0';
    if (!*names || (second && !*second) || (third && !*third))
        return "a name is missing";
    if (second && is_number(second)) {
        const char *wrong = read_line(out, second);

        out->file = names;
        if (out->text)
            return "which function is the text in?";
        return wrong || !third ? wrong : read_call(out, third);
    }
    if (second && (third || (strcmp(second, "return") != 0 && strcmp(second, "entry") != 0))) {
        if (!strpbrk(names, "./"))
            return "behind a function there can be :return or :/text/, and before it a file";
        out->file = names;
        names = second;
        second = third;
    }
    out->function = names;
    if (second && out->text)
        return "either :return or :/text/";
    return second ? read_within(out, second) : NULL;
}

const char *rdl__query_read(struct rdl__query *out, const char *text)
{
    char *copy = rdl__duplicate(text), *source, *bang;

    *out = (struct rdl__query){0};
    while (isspace((unsigned char)*copy))
        copy++;
    for (size_t end = strlen(copy); end > 0 && isspace((unsigned char)copy[end - 1]);)
        copy[--end] = '\0';
    source = strstr(copy, ":/");
    if (source) {
        size_t length = strlen(source);

        if (length < 4 || source[length - 1] != '/')
            return "the text ends with a slash: FUNCTION:/text/";
        source[length - 1] = *source = '\0';
        out->text = source + 2;
    }
    bang = strchr(copy, '!');
    if (bang) {
        *bang = '\0';
        out->module = copy;
        copy = bang + 1;
        if (!*out->module)
            return "which library?  LIBRARY!FUNCTION";
    }
    return read_names(out, copy);
}
