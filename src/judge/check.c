/* check.c -- checks: recording the first failure of a case, and ending it. */
#include "raddle/check.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "case/case.h"

enum { SHOWN_BEFORE = 8, SHOWN_AFTER = 24 };

/* Only the first thread that fails gets to say why. */
static bool claim(struct rdl__outcome *outcome)
{
    return !__atomic_exchange_n(&outcome->claimed, 1, __ATOMIC_ACQ_REL);
}

/* Two failures of the same check at the same place are the same bug. */
static void record(struct rdl__outcome *outcome, enum rdl__cause cause, const char *file, int line,
                   const char *check, const char *text)
{
    outcome->verdict = RDL__FAILED;
    outcome->cause = cause;
    outcome->number = 0;
    outcome->line = line;
    outcome->pc = 0;
    snprintf(outcome->file, sizeof outcome->file, "%s", file);
    snprintf(outcome->check, sizeof outcome->check, "%s", check);
    snprintf(outcome->text, sizeof outcome->text, "%s", text);
    outcome->origin =
        rdl__combine(rdl__combine(rdl__hash_text(file), (uint64_t)line), rdl__hash_text(check));
}

static _Noreturn void fail_at(enum rdl__cause cause, const char *file, int line, uintptr_t pc,
                              const char *check, struct rdl__text *text)
{
    struct rdl_case *t = rdl__current;

    if (!t) {
        fprintf(stderr, "%s:%d: %s failed outside of a case\n%s\n", file, line, check,
                rdl__text_string(text));
        abort();
    }
    if (claim(t->outcome)) {
        record(t->outcome, cause, file, line, check, rdl__text_string(text));
        t->outcome->pc = pc;
        t->outcome->origin = rdl__combine(t->outcome->origin, pc);
    }
    rdl__text_release(text);
    rdl__case_leave(t);
}

_Noreturn void rdl__failed_by(enum rdl__cause cause, const char *file, int line, const char *check,
                              struct rdl__text *text)
{
    fail_at(cause, file, line, 0, check, text);
}

_Noreturn void rdl__failed_from(enum rdl__cause cause, uintptr_t pc, const char *check,
                                struct rdl__text *text)
{
    fail_at(cause, "", 0, pc, check, text);
}

_Noreturn void rdl__failed(const char *file, int line, const char *check, const char *format, ...)
{
    struct rdl__text text = {0};
    va_list args;

    va_start(args, format);
    rdl__text_addv(&text, format, args);
    va_end(args);
    rdl__failed_by(RDL__BY_CHECK, file, line, check, &text);
}

static void add_value(struct rdl__text *text, struct rdl_value value)
{
    switch (value.type) {
    case RDL__VALUE_SIGNED:
        rdl__text_add(text, "%" PRId64, value.s);
        break;
    case RDL__VALUE_UNSIGNED:
        rdl__text_add(text, "%" PRIu64, value.u);
        if (value.u > 9)
            rdl__text_add(text, " (0x%" PRIx64 ")", value.u);
        break;
    case RDL__VALUE_FLOAT:
    case RDL__VALUE_DOUBLE:
        rdl__text_add_double(text, value.d, value.type == RDL__VALUE_FLOAT);
        break;
    case RDL__VALUE_BOOL:
        rdl__text_add(text, value.u ? "true" : "false");
        break;
    case RDL__VALUE_CHAR:
        rdl__text_add_character(text, (uint32_t)value.u);
        rdl__text_add(text, " (%d)", (int)(char)value.u);
        break;
    case RDL__VALUE_POINTER:
        /* Addresses differ from run to run, so only what they tell is shown. */
        rdl__text_add(text, value.p ? "a pointer" : "NULL");
        break;
    }
}

_Noreturn void rdl__compared(const char *file, int line, const char *check, struct rdl_value left,
                             struct rdl_value right)
{
    struct rdl__text text = {0};

    rdl__text_add(&text, "left:  ");
    add_value(&text, left);
    rdl__text_add(&text, "\nright: ");
    add_value(&text, right);
    if (left.type == RDL__VALUE_POINTER && left.p && right.p)
        rdl__text_add(&text, "\n(%s)", left.p == right.p ? "the same one" : "not the same one");
    rdl__failed_by(RDL__BY_CHECK, file, line, check, &text);
}

static size_t first_difference(const unsigned char *a, size_t a_size, const unsigned char *b,
                               size_t b_size)
{
    size_t at = 0;

    while (at < a_size && at < b_size && a[at] == b[at])
        at++;
    return at;
}

static void add_string(struct rdl__text *text, const char *name, const char *string)
{
    rdl__text_add(text, "%s", name);
    if (string)
        rdl__text_add_quoted(text, string, strlen(string));
    else
        rdl__text_add(text, "NULL");
    rdl__text_add(text, "\n");
}

void rdl__check_str(const char *file, int line, const char *check, const char *left,
                    const char *right)
{
    struct rdl__text text = {0};

    if (left == right || (left && right && strcmp(left, right) == 0))
        return;
    add_string(&text, "left:  ", left);
    add_string(&text, "right: ", right);
    if (left && right)
        rdl__text_add(&text, "they differ from character %zu on (lengths %zu and %zu)",
                      first_difference((const unsigned char *)left, strlen(left),
                                       (const unsigned char *)right, strlen(right)),
                      strlen(left), strlen(right));
    rdl__failed_by(RDL__BY_CHECK, file, line, check, &text);
}

/* The bytes around `at`, and a mark under the one that differs first. */
static void add_window(struct rdl__text *text, const char *name, const unsigned char *bytes,
                       size_t from, size_t to, size_t size)
{
    rdl__text_add(text, "%s%s", name, from ? "... " : "");
    rdl__text_add_hex(text, bytes + from, to - from);
    rdl__text_add(text, "%s\n", to < size ? " ..." : "");
}

void rdl__check_mem(const char *file, int line, const char *check, const void *left,
                    const void *right, size_t size)
{
    const unsigned char *a = left, *b = right;
    struct rdl__text text = {0};
    size_t at, from, to;

    if (size == 0 || memcmp(left, right, size) == 0)
        return;
    at = first_difference(a, size, b, size);
    from = at > SHOWN_BEFORE ? at - SHOWN_BEFORE : 0;
    to = size - from > SHOWN_AFTER ? from + SHOWN_AFTER : size;
    add_window(&text, "left:  ", a, from, to, size);
    add_window(&text, "right: ", b, from, to, size);
    rdl__text_add(&text, "       %*s^^ byte %zu of %zu", (int)(3 * (at - from) + (from ? 4 : 0)),
                  "", at, size);
    rdl__failed_by(RDL__BY_CHECK, file, line, check, &text);
}

void rdl_note(const char *format, ...)
{
    struct rdl_case *t = rdl__current;
    struct rdl__text text = {0};
    va_list args;

    if (!t || !t->trace->on)
        return;
    va_start(args, format);
    rdl__text_addv(&text, format, args);
    va_end(args);
    rdl__trace_add(t->trace, &(struct rdl__event){.kind = RDL__EVENT_NOTE,
                                                  .file = "",
                                                  .what = "",
                                                  .text = rdl__text_string(&text),
                                                  .text_length = text.count,
                                                  .from = t->tape->count,
                                                  .to = t->tape->count});
    rdl__text_release(&text);
}
