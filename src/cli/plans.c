/* plans.c -- --plan shows the sequences of calls that tests are made of, --export writes one of
 * them as a C file.  Nothing is run. */
#include <stdio.h>

#include "base/memory.h"
#include "choice/regress.h"
#include "cli/options.h"
#include "control/meet.h"
#include "drive/sequence.h"
#include "port/clock.h"
#include "raddle/spec.h"
#include "report/progress.h"
#include "run/execute.h"

enum { CHOICES = 1 << 12 };

/* What becomes of the script, while there is a case that it can be made in. */
static struct {
    struct rdl__text *out;
    const char *path; /* NULL: in words */
    struct rdl__error *error;
    bool ok;
} wanted;

static void write_script(struct rdl_case *t)
{
    const struct rdl__script *script = rdl__script_of(t);

    wanted.ok = true;
    if (wanted.path)
        wanted.ok = rdl__export_script(wanted.out, script, wanted.path, wanted.error);
    else
        rdl__add_script(wanted.out, script);
}

static struct rdl__progress_line line;
static const struct rdl_test *planned;

static void show_progress(const struct rdl__activity *activity)
{
    if (activity->doing && rdl__progress_is_due(&line))
        rdl__progress_show(&line,
                           &(struct rdl__work){
                               .who = planned->name,
                               .doing = activity->doing,
                               .noun = activity->noun,
                               .count = activity->count,
                               .seconds = (double)(rdl__now_ns() - activity->since_ns) * 1e-9,
                           });
}

/* As a test that does nothing else, in this process. */
static bool make_script(const struct rdl_test *test, struct rdl__text *out, const char *path,
                        struct rdl__error *error)
{
    struct rdl_test *alone = rdl__allocate(sizeof *alone); /* scripts refer to it */
    struct rdl__board *board;
    struct rdl_case t;

    if (!rdl__spec_check(test->options.spec, true, error) ||
        !(board = rdl__board_new(CHOICES, error)))
        return false;
    rdl__gates_file = "none"; /* nothing is run that would come to them */
    *alone = *test;
    alone->body = write_script;
    alone->options.explore = false;
    rdl__case_init(&t, board, NULL);
    board->tape.limit = CHOICES;
    t.test = alone;
    t.settings.size = 100;
    wanted.out = out;
    wanted.path = path;
    wanted.error = error;
    wanted.ok = false;
    rdl__fail(error, "%s", "");
    rdl__tape_from_random(&board->tape, 0);
    planned = test;
    line.on = rdl__progress_wanted(false);
    rdl__watch_activity = show_progress;
    rdl__execute(&t);
    rdl__watch_activity = NULL;
    rdl__progress_wipe(&line);
    if (board->outcome.verdict != RDL__PASSED)
        rdl__fail(error, "%s", board->outcome.text);
    rdl__case_release(&t);
    rdl__board_free(board);
    return wanted.ok;
}

static size_t keep_sequences(struct rdl_test **tests, size_t count)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++)
        if (tests[i]->body == rdl__test_sequence)
            tests[kept++] = tests[i];
    return kept;
}

bool rdl__print_plans(struct rdl_test **tests, size_t count, struct rdl__error *error)
{
    struct rdl__text text = {0};
    bool ok = true;

    count = keep_sequences(tests, count);
    if (count == 0)
        return rdl__fail(error, "--plan: none of these tests is an RDL_TEST_PLAN or "
                                "RDL_TEST_TABLE");
    for (size_t i = 0; i < count && ok; i++)
        ok = make_script(tests[i], &text, NULL, error);
    fputs(rdl__text_string(&text), stdout);
    rdl__text_release(&text);
    return ok;
}

bool rdl__export_plan(struct rdl_test **tests, size_t count, const char *path,
                      struct rdl__error *error)
{
    struct rdl__text text = {0};
    bool ok;

    count = keep_sequences(tests, count);
    if (count == 0)
        return rdl__fail(error, "--export: none of these tests is an RDL_TEST_PLAN or "
                                "RDL_TEST_TABLE; of others a case is exported, by --replay TOKEN");
    if (count > 1)
        return rdl__fail(error,
                         "--export: %zu of these tests are an RDL_TEST_PLAN or RDL_TEST_TABLE; "
                         "name one with --filter =NAME",
                         count);
    ok = make_script(tests[0], &text, path, error) &&
         rdl__write_file(path, text.bytes, text.count, error);
    rdl__text_release(&text);
    return ok;
}
