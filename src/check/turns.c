/* turns.c -- the same data, other schedules. */
#include "check/turns.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "run/board.h"

bool rdl__is_turn(const struct rdl__choice *choice)
{
    return choice->kind == RDL__STRETCH || choice->kind == RDL__SWITCH;
}

/* Which waiter is woken is decided like a turn, but looks like data. */
bool rdl__draws_data(const struct rdl__made *made)
{
    for (uint32_t i = 0; i < made->count; i++)
        if (!rdl__is_turn(&made->choices[i]) && made->choices[i].kind != RDL__BRANCH)
            return true;
    return false;
}

uint32_t rdl__count_preemptions(const struct rdl__made *made)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < made->count; i++)
        count += made->choices[i].kind == RDL__STRETCH && made->choices[i].index > 0;
    return count;
}

static void put_data(struct rdl__board *board, const struct rdl__made *made)
{
    uint64_t *indexes = rdl__allocate((made->count + 1) * sizeof *indexes);
    struct rdl__feed feed = {.indexes = indexes, .fill_at = RDL__NONE};

    for (uint32_t i = 0; i < made->count; i++)
        if (!rdl__is_turn(&made->choices[i]))
            indexes[feed.count++] = made->choices[i].index;
    rdl__board_put_feed(board, &feed);
    free(indexes);
}

bool rdl__search_turns(struct rdl__session *session, const struct rdl_test *test,
                       const struct rdl__failure *failure, const struct rdl__made *made,
                       const char *strategy, uint64_t runs)
{
    struct rdl__board *board = rdl__first_board(session);
    struct rdl__task *task = &board->task;

    board->exploring = false; /* this search is one of its own */
    put_data(board, made);
    for (uint64_t tried = 0; tried < runs; tried = board->failed_at + 1) {
        struct rdl__feed feed = task->feed;

        *task = (struct rdl__task){.kind = RDL__RUN_TURNS,
                                   .test = test,
                                   .settings = failure->settings,
                                   .first = tried,
                                   .count = runs - tried,
                                   .feed = feed};
        snprintf(task->strategy, sizeof task->strategy, "%s", strategy);
        if (!rdl__run_task(session) || board->outcome.verdict != RDL__FAILED)
            break;
        if (board->outcome.origin == failure->outcome.origin) {
            board->exploring = false;
            return true;
        }
    }
    board->exploring = false;
    return false;
}
