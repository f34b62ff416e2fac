/* explore.h -- for tests: one execution of controlled threads, its schedule by chance. */
#ifndef TESTS_EXPLORE_H
#define TESTS_EXPLORE_H

#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "control/sched/sched.h"
#include "run/execute.h"

static struct rdl__board *explore_board;
static struct rdl_case explore_case;
static struct rdl__summary *explore_summary;

/* Any thread, unless it is polite and another one is not. */
static uint32_t explore_pick(void *state, struct rdl__view *view)
{
    uint32_t thread = 0;

    (void)state;
    for (int i = 0; i < 4; i++) {
        thread = rdl__enabled_nth(
            view, (uint32_t)rdl__random_upto(&view->random, view->enabled_count - 1));
        if (!(view->ops[thread].flags & RDL__OP_POLITE))
            break;
    }
    return thread;
}

static const struct rdl__strategy explore_strategy = {.name = "any", .pick = explore_pick};

static inline const struct rdl__outcome *explore(void (*body)(void *context), void *context,
                                                 uint64_t seed)
{
    struct rdl__error error;

    if (!explore_board) {
        explore_board = rdl__board_new(1 << 20, &error);
        explore_summary = rdl__allocate(sizeof *explore_summary);
        rdl__case_init(&explore_case, explore_board, NULL);
    }
    explore_board->tape.limit = 1 << 20;
    rdl__tape_from_random(&explore_board->tape, seed);
    explore_case.outcome->verdict = RDL__PASSED;
    explore_case.outcome->claimed = 0;
    memset(explore_summary, 0, offsetof(struct rdl__summary, log));
    rdl__random_seed(&rdl__sched.view.random, seed);
    rdl__execution_run(&(struct rdl__execution){.t = &explore_case,
                                                .strategy = &explore_strategy,
                                                .summary = explore_summary,
                                                .points_max = 100000},
                       body, context);
    return explore_case.outcome;
}

#endif
