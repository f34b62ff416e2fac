/* attribute.c -- what a process's end says of the case it was at. */
#include "run/attribute.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/hash.h"

static void blame(struct rdl__outcome *outcome, enum rdl__cause cause, int number)
{
    outcome->verdict = RDL__FAILED;
    outcome->cause = cause;
    outcome->number = number;
    outcome->line = 0;
    outcome->file[0] = outcome->check[0] = outcome->text[0] = '\0';
    outcome->origin = rdl__combine(cause, (uint64_t)number);
    outcome->pc = 0;
}

/* Where in a loop the time was up differs from run to run, so it is told, but two such failures
 * are one. */
static void blame_place(struct rdl__outcome *outcome, uintptr_t culprit, bool hung)
{
    if (!hung)
        outcome->origin = rdl__combine(outcome->origin, culprit);
    outcome->pc = culprit + 1;
    snprintf(outcome->text, sizeof outcome->text, "in " RDL__AT_FUNCTION "%016lx" RDL__AT_END,
             (unsigned long)culprit + 1);
}

/* Below where it was: who waited for what. */
static void add_note(struct rdl__outcome *outcome, const struct rdl__crash *crash)
{
    size_t length = strlen(outcome->text);

    if (crash->signal && crash->note[0])
        snprintf(outcome->text + length, sizeof outcome->text - length, "\n%.*s",
                 (int)sizeof crash->note - 1, crash->note);
}

void rdl__attribute(struct rdl__board *board, int status, bool hung, unsigned timeout_ms)
{
    struct rdl__outcome *outcome = &board->outcome;
    const uintptr_t *culprit = board->crash.signal ? rdl__crash_culprit(&board->crash) : NULL;

    if (hung)
        blame(outcome, RDL__BY_HANG, (int)timeout_ms);
    else if (board->crash.signal < 0)
        blame(outcome, RDL__BY_CRASH, 0);
    else if (WIFSIGNALED(status))
        blame(outcome, RDL__BY_CRASH, WTERMSIG(status));
    else
        blame(outcome, RDL__BY_EXIT, WEXITSTATUS(status));
    /* One that is handled would have been written down. */
    if (!hung && WIFSIGNALED(status) && WTERMSIG(status) == SIGTRAP && !board->crash.signal)
        snprintf(outcome->text, sizeof outcome->text,
                 "while it was blocked, or had no handler (in a thread that came to a gate?)");
    if (culprit && !hung && board->crash.out_of_stack)
        snprintf(outcome->text, sizeof outcome->text, /* where that is depends on who called whom */
                 "in " RDL__IN_FUNCTION "%016lx" RDL__AT_END ", for want of stack",
                 (unsigned long)*culprit + 1);
    else if (culprit)
        blame_place(outcome, *culprit, hung);
    if (hung)
        add_note(outcome, &board->crash);
}
