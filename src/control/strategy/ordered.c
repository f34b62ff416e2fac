/* ordered.c -- strategies without chance: in order, in reverse, round robin, all answers.
 *
 * In order and in reverse, a thread runs until it has to wait; then the first, or
 * the last, of those that can goes on.  Where a thread is polite it is the turn of
 * its neighbour, so that nobody waits in vain for one that never gets a turn. */
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "control/strategy/all.h"
#include "control/strategy/spawn.h"

/* There is but one such schedule, unless the test draws data. */
struct ordered {
    bool done;
};

static bool begin(void *state, struct rdl__view *view, struct rdl__summary *summary)
{
    const struct ordered *ordered = state;

    (void)view;
    (void)summary;
    return !ordered->done;
}

static void ended(void *state, const struct rdl__summary *summary)
{
    struct ordered *ordered = state;

    ordered->done = !summary->data_drawn;
}

/* May the running thread simply run on? */
static bool runs_on(struct rdl__view *view)
{
    if (!rdl__is_enabled(view, view->running) || rdl__is_polite(view, view->running))
        return false;
    view->quiet = UINT64_MAX;
    return true;
}

static uint32_t pick_in_order(void *state, struct rdl__view *view)
{
    (void)state;
    if (runs_on(view))
        return view->running;
    if (rdl__is_enabled(view, view->running))
        return rdl__enabled_from(view, view->running + 1);
    return rdl__enabled_from(view, 0);
}

static uint32_t last_enabled_before(const struct rdl__view *view, uint32_t end)
{
    for (uint32_t t = end; t-- > 0;)
        if (rdl__is_enabled(view, t))
            return t;
    return last_enabled_before(view, view->threads);
}

static uint32_t pick_in_reverse(void *state, struct rdl__view *view)
{
    (void)state;
    if (runs_on(view))
        return view->running;
    if (rdl__is_enabled(view, view->running))
        return last_enabled_before(view, view->running);
    return last_enabled_before(view, view->threads);
}

static uint32_t pick_next(void *state, struct rdl__view *view)
{
    (void)state;
    return rdl__enabled_from(view, view->running + 1);
}

static uint32_t choose_first(void *state, struct rdl__view *view, uint32_t max)
{
    (void)state;
    (void)view;
    (void)max;
    return 0;
}

static uint32_t choose_last(void *state, struct rdl__view *view, uint32_t max)
{
    (void)state;
    (void)view;
    return max;
}

static int covered(const void *state, char *out, size_t room)
{
    const struct ordered *ordered = state;

    return ordered->done ? snprintf(out, room, "the one schedule of this strategy") : 0;
}

const struct rdl__strategy rdl__strategy_in_order = {
    .name = "in-order",
    .help = "each thread until it waits, in the order of creation",
    .state_size = sizeof(struct ordered),
    .begin = begin,
    .pick = pick_in_order,
    .choose = choose_first,
    .ended = ended,
    .covered = covered,
};

/* ---- All answers ---------------------------------------------------------------------------- */

/* The answers of the execution at hand, depth first: the last one that can be larger is, the next
 * time, and those after it are forgotten. */
struct answers {
    struct {
        uint32_t given, max;
    } * all;
    uint32_t count, room, at;
    uint64_t executions;
    bool by_chance; /* executions differ by what the test draws, too */
    bool done;
};

static void release_answers(void *state)
{
    free(((struct answers *)state)->all);
}

static bool begin_answers(void *state, struct rdl__view *view, struct rdl__summary *summary)
{
    struct answers *answers = state;

    (void)view;
    (void)summary;
    answers->at = 0;
    return !answers->done;
}

static uint32_t choose_each(void *state, struct rdl__view *view, uint32_t max)
{
    struct answers *answers = state;

    if (answers->by_chance)
        return (uint32_t)rdl__random_upto(&view->random, max);
    if (answers->at == answers->room) {
        answers->room = answers->room ? 2 * answers->room : 16;
        answers->all = rdl__reallocate(answers->all, answers->room * sizeof *answers->all);
    }
    if (answers->at == answers->count) {
        answers->all[answers->count].given = 0;
        answers->all[answers->count++].max = max;
    }
    return answers->all[answers->at++].given;
}

static void ended_answers(void *state, const struct rdl__summary *summary)
{
    struct answers *answers = state;

    answers->executions++;
    answers->by_chance |= summary->data_drawn;
    answers->count = answers->at;
    if (answers->by_chance)
        return;
    while (answers->count > 0 &&
           answers->all[answers->count - 1].given == answers->all[answers->count - 1].max)
        answers->count--;
    if (answers->count > 0)
        answers->all[answers->count - 1].given++;
    else
        answers->done = true;
}

static int covered_answers(const void *state, char *out, size_t room)
{
    const struct answers *answers = state;

    if (!answers->done)
        return 0;
    if (answers->executions == 1)
        return snprintf(out, room, "the one schedule of this strategy");
    return snprintf(out, room, "all %llu orders", (unsigned long long)answers->executions);
}

const struct rdl__strategy rdl__strategy_answers = {
    .name = "answers",
    .help = "threads as in-order has them; all that is chosen besides, in all ways",
    .state_size = sizeof(struct answers),
    .release = release_answers,
    .begin = begin_answers,
    .pick = pick_in_order,
    .choose = choose_each,
    .ended = ended_answers,
    .covered = covered_answers,
};

const struct rdl__strategy rdl__strategy_reverse = {
    .name = "reverse",
    .help = "each thread until it waits, the last one created first",
    .state_size = sizeof(struct ordered),
    .begin = begin,
    .pick = pick_in_reverse,
    .choose = choose_last,
    .ended = ended,
    .covered = covered,
};

const struct rdl__strategy rdl__strategy_round_robin = {
    .name = "round-robin",
    .help = "one operation of each thread in turn",
    .state_size = sizeof(struct ordered),
    .begin = begin,
    .pick = pick_next,
    .choose = choose_first,
    .ended = ended,
    .covered = covered,
};
