/* fuzz.c -- a test driven by somebody else's bytes: libFuzzer, AFL++.
 *
 * A failing check becomes an abort, which fuzzers know how to notice; before
 * it, the token of the case is printed. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "check/plan.h"
#include "raddle/test.h"
#include "run/execute.h"

static struct rdl__board *board;
static struct rdl_case fuzzed;

static void end_thread(void)
{
    pthread_exit(NULL);
}

static const struct rdl_test *chosen_test(void)
{
    const char *name = getenv("RADDLE_FUZZ");
    size_t count;
    struct rdl_test **tests = rdl__tests(&count);
    const struct rdl_test *test = count == 1 ? tests[0] : NULL;

    for (size_t i = 0; i < count && name; i++)
        if (strcmp(tests[i]->name, name) == 0)
            test = tests[i];
    free(tests);
    if (!test || (name && strcmp(test->name, name) != 0))
        rdl__stop("set RADDLE_FUZZ to the name of the test to fuzz; this program has %zu", count);
    return test;
}

static void set_up(void)
{
    const struct rdl_test *test = chosen_test();
    struct rdl__settings settings = rdl__settings_of(test);
    struct rdl__error error;

    board = rdl__board_new(settings.choices_max, &error);
    if (!board)
        rdl__stop("%s", error.text);
    rdl__case_init(&fuzzed, board, end_thread);
    board->task.kind = RDL__RUN_BYTES;
    board->task.test = test;
    board->task.settings = settings;
    if (test->options.fixture && test->options.fixture->setup_once)
        test->options.fixture->setup_once();
}

_Noreturn static void report_and_abort(void)
{
    const struct rdl__outcome *outcome = &board->outcome;
    struct rdl__text token = {0};

    rdl__token_write(&token, board->task.test->name, &board->task.settings, board->tape.choices,
                     board->tape.count);
    fflush(stdout);
    fprintf(stderr, "%s:%d: %s\n%s\nraddle token: %s\n", outcome->file, outcome->line,
            outcome->check, outcome->text, token.bytes);
    abort();
}

int rdl_fuzz_one(const uint8_t *bytes, size_t count)
{
    static const volatile int never;

    if (!board)
        set_up();
    if (count > (size_t)board->choices_room * 8)
        return -1; /* libFuzzer: do not keep it */
    memcpy(board->bytes, bytes, count);
    board->task.byte_count = count;
    rdl__do_task(board, &fuzzed, &never);
    switch (board->outcome.verdict) {
    case RDL__FAILED:
        report_and_abort();
    case RDL__MISUSED:
        rdl__stop("%s", board->outcome.text);
    case RDL__PASSED:
        return 0;
    default:
        return -1;
    }
}
