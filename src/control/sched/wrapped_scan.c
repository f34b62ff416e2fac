/* wrapped_scan.c -- scanf and its kin, as wrapped.c: what they scan, they read; the results that
 * the format asks for, they write.
 *
 * Where the format does not tell how long a result is (a text without a width) or which argument
 * is meant ("%2$d"), the pass is limited. */
#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "control/sched/next.h"
#include "control/sched/state.h"
#include "control/sched/track.h"

/* Formats are the program's. */
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

/* One conversion: "%*5ld". */
struct conversion {
    bool is_skipped, is_allocated, has_position;
    size_t width;   /* 0: none */
    size_t integer; /* bytes of an integer; */
    size_t real;    /* of a number with a point; */
    size_t letter;  /* of a character */
    char kind;
};

static const char *read_modifiers(const char *at, struct conversion *out)
{
    for (; *at && strchr("hlqjztLm", *at); at++)
        switch (*at) {
        case 'h':
            out->integer /= 2;
            break;
        case 'm':
            out->is_allocated = true;
            break;
        case 'L':
            out->real = sizeof(long double);
            out->integer = sizeof(long long);
            break;
        case 'l':
            out->real = sizeof(double);
            out->letter = sizeof(wchar_t);
            out->integer = sizeof(long);
            break;
        default:
            out->integer = sizeof(long);
            break;
        }
    return at;
}

/* "[^]a-z]" ends at the bracket that is not its first letter. */
static const char *skip_set(const char *at)
{
    const char *end;

    at += *at == '^';
    end = *at ? strchr(at + 1, ']') : NULL;
    return end ? end + 1 : at + strlen(at);
}

static const char *read_conversion(const char *at, struct conversion *out)
{
    *out =
        (struct conversion){.integer = sizeof(int), .real = sizeof(float), .letter = sizeof(char)};
    at += strspn(at, "'I");
    if (*at == '*') {
        out->is_skipped = true;
        at++;
    }
    for (; isdigit((unsigned char)*at); at++)
        out->width = out->width * 10 + (size_t)(*at - '0');
    out->has_position = *at == '$';
    at = read_modifiers(at, out);
    out->kind = *at;
    if (*at == '[')
        return skip_set(at + 1);
    return *at ? at + 1 : at;
}

/* How much it writes; 0: nobody knows. */
static size_t size_of(const struct conversion *it)
{
    if (it->is_allocated)
        return sizeof(void *);
    switch (it->kind) {
    case 's':
    case '[':
        return it->width ? (it->width + 1) * it->letter : 0;
    case 'S':
        return it->width ? (it->width + 1) * sizeof(wchar_t) : 0;
    case 'c':
        return (it->width ? it->width : 1) * it->letter;
    case 'C':
        return (it->width ? it->width : 1) * sizeof(wchar_t);
    case 'p':
        return sizeof(void *);
    default:
        if (it->kind && strchr("diouxXn", it->kind))
            return it->integer;
        return it->kind && strchr("aAeEfFgG", it->kind) ? it->real : 0;
    }
}

static void tell_of_format(const char *format, va_list arguments, uintptr_t pc)
{
    const char *unclear = NULL;
    struct conversion next;
    va_list list;

    if (!rdl__self())
        return;
    rdl__call_reads((uintptr_t)format, strlen(format) + 1, pc);
    va_copy(list, arguments);
    for (const char *at = format; !unclear && (at = strchr(at, '%'));) {
        at = read_conversion(at + 1, &next);
        if (next.kind == '%' || next.is_skipped)
            continue;
        if (next.has_position)
            unclear = "scanf with numbered arguments";
        else if (size_of(&next) == 0)
            unclear = "scanf of a text without a width";
        else
            rdl__access_some((uintptr_t)va_arg(list, void *), size_of(&next), 0, RDL__HOW_WRITE,
                             pc);
    }
    va_end(list);
    if (unclear)
        rdl__limit(RDL__LIMIT_UNKNOWN, unclear, "");
}

static void come_to_stream(FILE *stream, const char *format, va_list arguments, uintptr_t pc)
{
    tell_of_format(format, arguments, pc);
    rdl__come_as_row("vfscanf", (const uint64_t[6]){(uint64_t)stream}, pc);
}

static void come_to_text(const char *text, const char *format, va_list arguments, uintptr_t pc)
{
    if (rdl__self())
        rdl__call_reads((uintptr_t)text, strlen(text) + 1, pc);
    tell_of_format(format, arguments, pc);
}

int __isoc99_vsscanf(const char *text, const char *format, va_list list);
int __isoc99_vfscanf(FILE *stream, const char *format, va_list list);
int __isoc23_vsscanf(const char *text, const char *format, va_list list);
int __isoc23_vfscanf(FILE *stream, const char *format, va_list list);

/* The functions of a version, which differ in what "%a" and binary numbers mean. */
#define WITH_LIST(last, call)                                                                      \
    va_list list;                                                                                  \
    int results;                                                                                   \
                                                                                                   \
    va_start(list, last);                                                                          \
    results = call;                                                                                \
    va_end(list);                                                                                  \
    return results

#define VERSION(prefix)                                                                            \
    int __wrap_##prefix##sscanf(const char *text, const char *format, ...);                        \
    int __wrap_##prefix##vsscanf(const char *text, const char *format, va_list list);              \
    int __wrap_##prefix##fscanf(FILE *stream, const char *format, ...);                            \
    int __wrap_##prefix##vfscanf(FILE *stream, const char *format, va_list list);                  \
    int __wrap_##prefix##scanf(const char *format, ...);                                           \
    int __wrap_##prefix##vscanf(const char *format, va_list list);                                 \
                                                                                                   \
    static int prefix##scan_text(const char *text, const char *format, va_list list, uintptr_t pc) \
    {                                                                                              \
        come_to_text(text, format, list, pc);                                                      \
        return RDL__NEXT(prefix##vsscanf)(text, format, list);                                     \
    }                                                                                              \
    static int prefix##scan_stream(FILE *stream, const char *format, va_list list, uintptr_t pc)   \
    {                                                                                              \
        come_to_stream(stream, format, list, pc);                                                  \
        return RDL__NEXT(prefix##vfscanf)(stream, format, list);                                   \
    }                                                                                              \
    RDL__INTERPOSE int __wrap_##prefix##sscanf(const char *text, const char *format, ...)          \
    {                                                                                              \
        WITH_LIST(format, prefix##scan_text(text, format, list, RDL__CALLER));                     \
    }                                                                                              \
    RDL__INTERPOSE int __wrap_##prefix##vsscanf(const char *text, const char *format,              \
                                                va_list list)                                      \
    {                                                                                              \
        return prefix##scan_text(text, format, list, RDL__CALLER);                                 \
    }                                                                                              \
    RDL__INTERPOSE int __wrap_##prefix##fscanf(FILE *stream, const char *format, ...)              \
    {                                                                                              \
        WITH_LIST(format, prefix##scan_stream(stream, format, list, RDL__CALLER));                 \
    }                                                                                              \
    RDL__INTERPOSE int __wrap_##prefix##vfscanf(FILE *stream, const char *format, va_list list)    \
    {                                                                                              \
        return prefix##scan_stream(stream, format, list, RDL__CALLER);                             \
    }                                                                                              \
    RDL__INTERPOSE int __wrap_##prefix##scanf(const char *format, ...)                             \
    {                                                                                              \
        WITH_LIST(format, prefix##scan_stream(stdin, format, list, RDL__CALLER));                  \
    }                                                                                              \
    RDL__INTERPOSE int __wrap_##prefix##vscanf(const char *format, va_list list)                   \
    {                                                                                              \
        return prefix##scan_stream(stdin, format, list, RDL__CALLER);                              \
    }

VERSION()
VERSION(__isoc99_)
VERSION(__isoc23_)
