/* answers.c -- one schedule, and all that is chosen in it besides, in all ways.
 *
 * Each thread runs until it waits, in the order of creation.  What is chosen then is, say, which of
 * those goes on that wait at places whose order was left open.  If all come to their places that is
 * each order there is.  But somebody may be kept out, by a lock that another has taken first: then
 * all orders of calls are tried as well, after those. */
#include <stdlib.h>

#include "base/memory.h"
#include "control/strategy/all.h"

enum { ANSWERS_MAX = 1024 };

/* The answers that the next execution is given first, depth first: those of the last one, up to
 * the last that could be larger, which is.  What the execution is asked besides gets 0. */
struct answers {
    uint32_t given[ANSWERS_MAX];
    uint32_t count, at;
    uint64_t executions;
    bool by_chance; /* executions differ by what the test draws, too */
    bool lost;      /* there are too many to be remembered */
    bool kept_out;  /* as in a summary */
    bool done;
    void *calls; /* the state of that strategy */
};

static void init(void *state, uint64_t seed, unsigned parameter)
{
    struct answers *answers = state;

    answers->calls = rdl__allocate(rdl__strategy_calls.state_size);
    rdl__strategy_calls.init(answers->calls, seed, parameter);
}

static void release(void *state)
{
    struct answers *answers = state;

    rdl__strategy_calls.release(answers->calls);
    free(answers->calls);
}

static bool goes_by_calls(const struct answers *answers)
{
    return answers->done && answers->kept_out;
}

static bool begin(void *state, struct rdl__view *view, struct rdl__summary *summary)
{
    struct answers *answers = state;

    if (goes_by_calls(answers))
        return rdl__dpor_share(answers->calls) > 0 &&
               rdl__strategy_calls.begin(answers->calls, view, summary);
    answers->at = 0;
    summary->wants_log = true;
    return !answers->done;
}

static uint32_t pick(void *state, struct rdl__view *view)
{
    const struct answers *answers = state;

    return goes_by_calls(answers) ? rdl__strategy_calls.pick(answers->calls, view)
                                  : rdl__pick_in_order(NULL, view);
}

static uint32_t choose(void *state, struct rdl__view *view, uint32_t max)
{
    struct answers *answers = state;
    uint32_t given;

    if (goes_by_calls(answers))
        return rdl__strategy_calls.choose(answers->calls, view, max);
    given = answers->at < answers->count ? answers->given[answers->at++] : 0;
    if (answers->by_chance || answers->lost)
        return (uint32_t)rdl__random_upto(&view->random, max);
    return given <= max ? given : max;
}

/* To the next answers: the last that could be larger is.  False: there are too many of them. */
static bool take_in(struct answers *answers, const struct rdl__summary *summary)
{
    uint32_t count = 0, last = 0;

    for (uint32_t i = 0; i < summary->log_count; i++) {
        if (summary->log[i].chosen == 0)
            continue;
        if (count == ANSWERS_MAX)
            return false;
        answers->given[count++] = summary->log[i].chosen - 1;
        if (summary->log[i].chosen - 1 < summary->log[i].other)
            last = count;
    }
    answers->count = last;
    if (last > 0)
        answers->given[last - 1]++;
    return true;
}

/* It may have happened in another process: all there is to know is what was logged. */
static void ended(void *state, const struct rdl__summary *summary)
{
    struct answers *answers = state;

    if (goes_by_calls(answers)) {
        rdl__strategy_calls.ended(answers->calls, summary);
        return;
    }
    answers->executions++;
    answers->kept_out |= summary->kept_out;
    answers->by_chance |= summary->data_drawn;
    answers->lost |= summary->log_full && summary->answered;
    if (answers->lost || (answers->lost = !take_in(answers, summary)))
        return;
    answers->done = answers->count == 0 && !answers->by_chance;
}

static void count_all(const void *state, struct rdl__tally *out)
{
    const struct answers *answers = state;

    if (goes_by_calls(answers)) {
        rdl__strategy_calls.count(answers->calls, out);
        out->by_design = true;
    } else if (answers->done)
        *out = (struct rdl__tally){.schedules = answers->executions,
                                   .done = true,
                                   .of = RDL__SCHEDULES,
                                   .by_design = true};
}

const struct rdl__strategy rdl__strategy_answers = {
    .name = "answers",
    .help = "threads as in-order has them; all that is chosen besides, in all ways",
    .state_size = sizeof(struct answers),
    .init = init,
    .release = release,
    .begin = begin,
    .pick = pick,
    .choose = choose,
    .ended = ended,
    .count = count_all,
};
