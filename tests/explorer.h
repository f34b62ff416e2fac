/* explorer.h -- run a body under many schedules, and see what comes of it.
 *
 * For tests of the scheduler's parts: one process, no runner.  What a body finds out
 * it says with outcome(text); outcomes_of then holds each text once, in order. */
#ifndef TESTS_EXPLORER_H
#define TESTS_EXPLORER_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "control/sched/sched.h"
#include "harness.h"
#include "run/execute.h"

static struct rdl_case the_case;
static char outcomes[4096]; /* " text text " */

static inline uint32_t pick_any(void *state, struct rdl__view *view)
{
    (void)state;
    return rdl__enabled_nth(view,
                            (uint32_t)rdl__random_upto(&view->random, view->enabled_count - 1));
}

/* One execution of the body, by chance. */
static inline struct rdl__outcome *explore_once(void (*body)(void *context), void *context,
                                                uint64_t seed)
{
    static const struct rdl__strategy any = {.name = "any", .pick = pick_any};
    static struct rdl__board *board;
    static struct rdl__summary *summary;
    struct rdl__error error;

    if (!board) {
        board = rdl__board_new(1 << 20, &error);
        summary = rdl__allocate(sizeof *summary);
        rdl__case_init(&the_case, board, NULL);
    }
    board->tape.limit = 1 << 20;
    rdl__tape_from_random(&board->tape, seed);
    the_case.outcome->verdict = RDL__PASSED;
    the_case.outcome->claimed = 0;
    memset(summary, 0, offsetof(struct rdl__summary, log));
    rdl__random_seed(&rdl__sched.view.random, seed);
    rdl__execution_run(
        &(struct rdl__execution){
            .t = &the_case, .strategy = &any, .summary = summary, .points_max = 1000000},
        body, context);
    return the_case.outcome;
}

/* All of them pass. */
static inline void explore(void (*body)(void *context), int times)
{
    for (int i = 0; i < times; i++) {
        struct rdl__outcome *outcome = explore_once(body, NULL, test_seed() * 100000 + (uint64_t)i);

        if (outcome->verdict != RDL__PASSED)
            test_fail(__FILE__, __LINE__, "execution %d: %s\n%s", i, outcome->check, outcome->text);
    }
}

/* At the end, what came out of this execution; call it once in a body. */
__attribute__((format(printf, 1, 2))) static inline void outcome(const char *format, ...)
{
    char text[128], padded[132];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    snprintf(padded, sizeof padded, " %s ", text);
    if (outcomes[0] == '\0')
        strcpy(outcomes, " ");
    if (!strstr(outcomes, padded) && strlen(outcomes) + strlen(text) + 2 < sizeof outcomes)
        strcat(strcat(outcomes, text), " ");
}

static inline int compare_words(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* What came of so many executions: each outcome once, sorted, with spaces between. */
static inline const char *outcomes_of(void (*body)(void *context), int times)
{
    static char sorted[4096];
    char *words[256];
    size_t count = 0;

    outcomes[0] = '\0';
    explore(body, times);
    for (char *word = strtok(outcomes, " "); word && count < 256; word = strtok(NULL, " "))
        words[count++] = word;
    qsort(words, count, sizeof *words, compare_words);
    sorted[0] = '\0';
    for (size_t i = 0; i < count; i++)
        strcat(strcat(sorted, i ? " " : ""), words[i]);
    return sorted;
}

static inline pthread_t start(void *(*body)(void *argument), const void *argument)
{
    pthread_t thread;

    EXPECT_EQ(pthread_create(&thread, NULL, body, (void *)argument), 0);
    return thread;
}

static inline void *join(pthread_t thread)
{
    void *result;

    EXPECT_EQ(pthread_join(thread, &result), 0);
    return result;
}

#endif
