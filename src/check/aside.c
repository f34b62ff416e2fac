/* aside.c -- failures that are not reported by themselves. */
#include "check/aside.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "check/objects.h"
#include "check/suppress.h"
#include "check/turns.h"
#include "choice/regress.h"

/* ---- Races at the same lines ---------------------------------------------------------------- */

static bool is_same_place(const struct rdl__lines *lines, uintptr_t a, uintptr_t b)
{
    const struct rdl__place *one = rdl__lines_at(lines, a), *two = rdl__lines_at(lines, b);

    return a == b ||
           (one && two && one->line && one->line == two->line && strcmp(one->path, two->path) == 0);
}

static bool is_same_race(const struct rdl__lines *lines, const struct rdl__race *a,
                         const struct rdl__race *b)
{
    return (is_same_place(lines, a->earlier.pc, b->earlier.pc) &&
            is_same_place(lines, a->later.pc, b->later.pc)) ||
           (is_same_place(lines, a->earlier.pc, b->later.pc) &&
            is_same_place(lines, a->later.pc, b->earlier.pc));
}

static bool is_race(const struct rdl__failure *failure)
{
    return failure->outcome.cause == RDL__BY_RACE;
}

void rdl__find_same_races(const struct rdl_test *test, struct rdl__failure *const *failures,
                          size_t count, size_t *out_same)
{
    struct rdl__lines lines = rdl__lines_of_test(test);

    for (size_t i = 0; i < count; i++) {
        out_same[i] = i;
        if (is_race(failures[i])) {
            rdl__lines_want(&lines, failures[i]->race.earlier.pc);
            rdl__lines_want(&lines, failures[i]->race.later.pc);
        }
    }
    rdl__lines_find(&lines);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; is_race(failures[i]) && k < i && out_same[i] == i; k++)
            if (is_race(failures[k]) &&
                is_same_race(&lines, &failures[i]->race, &failures[k]->race))
                out_same[i] = out_same[k];
    rdl__lines_release(&lines);
}

/* ---- Suppressions ---------------------------------------------------------------------------- */

/* The case has just been run, traced, on the first board. */
static struct rdl__suppression *suppression_of(struct rdl__session *session,
                                               const struct rdl__failure *failure)
{
    const struct rdl__board *board = rdl__first_board(session);
    const struct rdl__steps *steps = &board->trace.steps;
    struct rdl__lines lines = rdl__lines_of_test(board->task.test);
    struct rdl__finding finding = {
        .cause = failure->outcome.cause, .steps = steps, .lines = &lines};
    struct rdl__text variable = {0};
    struct rdl__suppression *found;

    rdl__stacks_want(steps, &lines);
    if (is_race(failure))
        rdl__lines_want_name(&lines, failure->race.address);
    rdl__lines_find(&lines);
    if (is_race(failure))
        rdl__lines_add_name(&variable, &lines, failure->race.address);
    finding.variable = rdl__text_string(&variable);
    found = rdl__suppression_of(session->suppressions, &finding);
    rdl__text_release(&variable);
    rdl__lines_release(&lines);
    return found;
}

bool rdl__is_suppressed(struct rdl__session *session, struct rdl__result *result,
                        struct rdl__failure *failure)
{
    struct rdl__suppression *by;

    if (session->suppressions->count == 0)
        return false;
    rdl__want_failure(session, result->test, failure);
    if (!rdl__run_made(session, result->test, &failure->settings, &failure->made, true) ||
        !rdl__fails_alike(&rdl__first_board(session)->outcome, failure))
        return false;
    by = suppression_of(session, failure);
    if (!by)
        return false;
    by->findings++;
    by->of_test++;
    rdl__limits_add(&result->covered.explored.limits, RDL__LIMIT_BOUND,
                    "failures were met that are suppressed", "");
    return true;
}

bool rdl__tells_races_apart(const struct rdl__session *session)
{
    return session->suppressions->count > 0;
}

/* Beside the test, unless they are to be taken from nowhere. */
static bool read_beside(struct rdl__session *session, const struct rdl_test *test,
                        struct rdl__error *error)
{
    struct rdl__text path = {0};
    bool ok = true;

    rdl__path_beside(&path, test->file, NULL, "supp");
    for (size_t i = 0; i < session->suppressions->count; i++)
        if (strcmp(session->suppressions->items[i].file, path.bytes) == 0) {
            rdl__text_release(&path);
            return true;
        }
    if (access(path.bytes, F_OK) == 0)
        ok = rdl__suppressions_read(session->suppressions, path.bytes, error);
    rdl__text_release(&path);
    return ok;
}

bool rdl__suppressions_find(struct rdl__session *session, struct rdl_test **tests, size_t count,
                            struct rdl__error *error)
{
    const char *given = session->plan->suppressions;

    session->suppressions = rdl__allocate(sizeof *session->suppressions);
    if (given && strcmp(given, "none") == 0)
        return true;
    if (given && !rdl__suppressions_read(session->suppressions, given, error))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!read_beside(session, tests[i], error))
            return false;
    return true;
}

void rdl__suppressions_tell(struct rdl__session *session, bool is_last)
{
    for (size_t i = 0; i < session->suppressions->count; i++) {
        struct rdl__suppression *it = &session->suppressions->items[i];

        if (it->of_test)
            rdl__warn(session, "%s:%d suppressed %llu finding%s: %s:%s", it->file, it->line,
                      (unsigned long long)it->of_test, it->of_test == 1 ? "" : "s",
                      rdl__suppression_type(it), it->pattern);
        it->of_test = 0;
        if (is_last && it->findings == 0)
            rdl__warn(session, "%s:%d suppressed nothing: %s:%s", it->file, it->line,
                      rdl__suppression_type(it), it->pattern);
    }
}
