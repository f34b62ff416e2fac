/* soundness.h -- run a body as the only case of a test, in this process. */
#ifndef TESTS_SOUNDNESS_H
#define TESTS_SOUNDNESS_H

#include "harness.h"
#include "raddle/spec.h"
#include "run/execute.h"

static struct rdl__board *board;

/* The outcome is board->outcome, the labels are in board->stats. */
static void run_case(void (*body)(struct rdl_case *t), struct rdl_options options)
{
    struct rdl_test test = {.name = "a_test", .file = "", .body = body, .options = options};
    struct rdl__error error;
    struct rdl_case t;

    if (!board)
        board = rdl__board_new(1 << 12, &error);
    EXPECT(board != NULL);
    rdl__case_init(&t, board, NULL);
    rdl__stats_clear(&board->stats);
    board->outcome.text[0] = board->outcome.check[0] = '\0';
    board->tape.limit = 1 << 12;
    t.test = &test;
    t.counted = true;
    t.settings.size = 1;
    rdl__tape_from_random(&board->tape, test_seed());
    rdl__execute(&t);
    rdl__case_release(&t);
}

#endif
