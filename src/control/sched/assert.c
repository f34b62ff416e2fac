/* assert.c -- assert() of the code under test: a failure like any other. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "control/sched/inner.h"
#include "control/sched/next.h"
#include "raddle/events.h"

RDL__ASKED_FOR(assert);

static void fail(const char *text, const char *file, unsigned line)
{
    struct rdl__outcome *outcome = rdl__sched.t->outcome;

    if (rdl__on_sudden_end)
        rdl__on_sudden_end(RDL_FAULT_SIGNAL, SIGABRT);
    if (!outcome->claimed) {
        outcome->claimed = 1;
        outcome->verdict = RDL__FAILED;
        outcome->cause = RDL__BY_ASSERT;
        outcome->number = 0;
        outcome->line = (int)line;
        outcome->pc = 0;
        snprintf(outcome->file, sizeof outcome->file, "%s", file);
        snprintf(outcome->check, sizeof outcome->check, "assert(%s)", text);
        outcome->text[0] = '\0';
        outcome->origin =
            rdl__combine(rdl__combine(rdl__hash_text(file), line), rdl__hash_text(text));
    }
    rdl__execution_leave(rdl__sched.t);
}

RDL__INTERPOSE void __assert_fail(const char *text, const char *file, unsigned line,
                                  const char *function)
{
    if (rdl__self())
        fail(text, file, line);
    RDL__NEXT(__assert_fail)(text, file, line, function);
    __builtin_unreachable();
}

RDL__INTERPOSE void __assert_perror_fail(int number, const char *file, unsigned line,
                                         const char *function)
{
    if (rdl__self())
        fail(strerror(number), file, line);
    RDL__NEXT(__assert_perror_fail)(number, file, line, function);
    __builtin_unreachable();
}
