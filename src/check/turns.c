/* turns.c -- the same data, other schedules. */
#include "check/turns.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "run/board.h"

uint32_t rdl__count_preemptions(const struct rdl__made *made)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < made->count; i++)
        count += made->choices[i].kind == RDL__STRETCH && made->choices[i].index > 0;
    return count;
}

struct rdl__made rdl__on_board(const struct rdl__board *board)
{
    return (struct rdl__made){board->tape.choices, board->tape.count, board->tape.spans,
                              board->tape.span_count};
}

bool rdl__fails_alike(const struct rdl__outcome *outcome, const struct rdl__failure *failure)
{
    enum rdl__cause cause = failure->outcome.cause;

    if (outcome->verdict != RDL__FAILED)
        return false;
    if (failure->any_alike &&
        (cause == RDL__BY_RACE || cause == RDL__BY_DEADLOCK || cause == RDL__BY_LIVELOCK))
        return outcome->cause == cause;
    if (failure->any_alike && failure->outcome.kin)
        return outcome->kin == failure->outcome.kin;
    return outcome->origin == failure->outcome.origin;
}

struct rdl__made rdl__data_of(const struct rdl__made *made)
{
    struct rdl__made data;
    uint32_t *moved = rdl__allocate((made->count + 1) * sizeof *moved);

    rdl__made_copy(&data, made);
    data.count = 0;
    for (uint32_t i = 0; i < made->count; i++) {
        moved[i] = data.count;
        if (!rdl__is_turn(made->choices[i].kind))
            data.choices[data.count++] = made->choices[i];
    }
    moved[made->count] = data.count;
    for (uint32_t i = 0; i < data.span_count; i++) {
        data.spans[i].start = moved[data.spans[i].start];
        data.spans[i].end = moved[data.spans[i].end];
    }
    free(moved);
    return data;
}

bool rdl__search_turns(struct rdl__session *session, const struct rdl_test *test,
                       const struct rdl__failure *failure, const struct rdl__feed *data,
                       const char *strategy, uint64_t runs)
{
    struct rdl__board *board = rdl__first_board(session);
    struct rdl__task *task = &board->task;

    board->exploring = false; /* this search is one of its own */
    rdl__board_put_feed(board, data);
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
        if (rdl__fails_alike(&board->outcome, failure)) {
            board->exploring = false;
            return true;
        }
    }
    board->exploring = false;
    return false;
}

bool rdl__run_turns(struct rdl__session *session, const struct rdl_test *test,
                    const struct rdl__settings *settings, const char *strategy, uint64_t n)
{
    struct rdl__task *task = &rdl__first_board(session)->task;
    struct rdl__feed feed = task->feed;

    *task = (struct rdl__task){.kind = RDL__RUN_TURNS,
                               .test = test,
                               .settings = *settings,
                               .first = n,
                               .count = 1,
                               .feed = feed};
    snprintf(task->strategy, sizeof task->strategy, "%s", strategy);
    return rdl__run_task(session);
}

bool rdl__search_anew(struct rdl__session *session, const struct rdl_test *test,
                      const struct rdl__failure *failure, const struct rdl__anew *anew,
                      uint64_t *first, uint64_t runs)
{
    struct rdl__board *board = rdl__first_board(session);
    struct rdl__task *task = &board->task;

    board->exploring = false;
    rdl__board_put_feed(board, &anew->begin);
    for (uint64_t end = *first + runs; *first < end; *first = board->failed_at + 1) {
        struct rdl__feed feed = task->feed;

        *task = (struct rdl__task){.kind = RDL__RUN_ANEW,
                                   .test = test,
                                   .settings = failure->settings,
                                   .seed = failure->outcome.kin ? failure->outcome.kin
                                                                : failure->outcome.origin,
                                   .first = *first,
                                   .count = end - *first,
                                   .feed = feed};
        task->settings.choices_max = anew->limit;
        task->settings.size = 100;
        snprintf(task->strategy, sizeof task->strategy, "%s", anew->strategy);
        if (!rdl__run_task(session)) {
            *first = end;
            return false;
        }
        if (rdl__fails_alike(&board->outcome, failure)) {
            *first = board->failed_at + 1;
            return true;
        }
        if (!board->tape.fresh) /* chance had no say: they are all the same */
            board->failed_at = end;
    }
    return false;
}
