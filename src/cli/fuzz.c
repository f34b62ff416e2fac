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
#include "control/alike.h"
#include "raddle/test.h"
#include "run/execute.h"

static struct rdl__board *board;
static struct rdl_case fuzzed;

static void end_thread(void)
{
    pthread_exit(NULL);
}

_Noreturn static void stop_for_want_of_a_test(struct rdl_test **tests, size_t count,
                                              const char *name)
{
    struct rdl__text names = {0};

    for (size_t i = 0; i < count; i++)
        rdl__text_add(&names, "%s%s", i ? ", " : "", tests[i]->name);
    if (count == 0)
        rdl__stop("there are no tests in this program: RDL_PROPERTY makes one");
    if (name)
        rdl__stop("RADDLE_FUZZ: no test is called %s; there are: %s", name, names.bytes);
    rdl__stop("set RADDLE_FUZZ to the test that is to be fuzzed, one of: %s", names.bytes);
}

static const struct rdl_test *chosen_test(void)
{
    const char *name = getenv("RADDLE_FUZZ");
    size_t count;
    struct rdl_test **tests = rdl__tests(&count);
    const struct rdl_test *test = NULL;

    for (size_t i = 0; i < count; i++)
        if (name ? strcmp(tests[i]->name, name) == 0 : count == 1)
            test = tests[i];
    if (!test)
        stop_for_want_of_a_test(tests, count, name);
    free(tests);
    return test;
}

/* Fuzzers call this before all else, and AFL++ before it takes control: what is
 * wrong here then ends the run at once, instead of every case of it. */
int rdl_fuzz_init(void)
{
    chosen_test();
    return 0;
}

static void set_up(void)
{
    const struct rdl_test *test = chosen_test();
    struct rdl__settings settings = rdl__settings_of(test);
    struct rdl__error error;

    rdl__alike_never(); /* the fuzzer's own variables may be in the program, too */
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
    struct rdl__outcome *outcome = &board->outcome;
    struct rdl__text token = {0};

    rdl__outcome_resolve_alone(outcome, board);
    rdl__token_write(&token, board->task.test->name, &board->task.settings, board->tape.choices,
                     board->tape.count);
    fflush(stdout);
    fprintf(stderr, "\nraddle: %s fails\n%s:%d: %s\n%s%sraddle token: %s\n\n",
            board->task.test->name, outcome->file, outcome->line, outcome->check, outcome->text,
            outcome->text[0] ? "\n" : "", token.bytes);
    abort();
}

/* 0 tells libFuzzer that the case may be kept for its coverage, -1 that it must
 * not.  A discarded one may: it can be half the way to one that is not. */
int rdl_fuzz_one(const uint8_t *bytes, size_t count)
{
    static const volatile int never;

    if (!board)
        set_up();
    if (count > (size_t)board->choices_room * 8)
        return -1;
    if (count)
        memcpy(board->bytes, bytes, count);
    board->task.byte_count = count;
    rdl__do_task(board, &fuzzed, &never);
    switch (board->outcome.verdict) {
    case RDL__FAILED:
        report_and_abort();
    case RDL__MISUSED:
        rdl__stop("%s", board->outcome.text);
    case RDL__SKIPPED:
        rdl__stop("%s is skipped: %s", board->task.test->name, board->outcome.text);
    case RDL__CUT:
        return -1;
    default:
        return 0;
    }
}
