/* portfolio.c -- the default: each strategy finds what others miss, so they take turns.
 *
 * The first two executions are in order and in reverse.  Then a quarter of them goes
 * to the one strategy that can come to an end (dpor), fewer when that has become
 * unlikely; if it does, everything has been tried.  Its twin that looks at calls only
 * goes before it where code cannot be seen, but its end is not the end.  The others
 * share the rest by what they were found to be worth.  If there was nothing to decide,
 * one execution is enough.
 *
 * Whose turn it is follows from how many executions have ended, so that it is the
 * same whether or not an execution had a process of its own. */
#include <stdlib.h>

#include "base/memory.h"
#include "control/strategy/all.h"
#include "control/strategy/distinct.h"

enum part {
    IN_ORDER,
    REVERSE,
    DPOR,
    CALLS,
    POS,
    PCT_2,
    PCT_3,
    PCT_10,
    SURW,
    RANDOM,
    DELAY_1,
    DELAY_2,
    PARTS,
};

static const struct {
    const struct rdl__strategy *strategy;
    unsigned parameter;
} parts[PARTS] = {
    [IN_ORDER] = {&rdl__strategy_in_order, 0},
    [REVERSE] = {&rdl__strategy_reverse, 0},
    [DPOR] = {&rdl__strategy_dpor, 0},
    [CALLS] = {&rdl__strategy_calls, 0},
    [POS] = {&rdl__strategy_pos, 0},
    [PCT_2] = {&rdl__strategy_pct, 2},
    [PCT_3] = {&rdl__strategy_pct, 3},
    [PCT_10] = {&rdl__strategy_pct, 10},
    [SURW] = {&rdl__strategy_surw, 0},
    [RANDOM] = {&rdl__strategy_random, 0},
    [DELAY_1] = {&rdl__strategy_random_delays, 1},
    [DELAY_2] = {&rdl__strategy_random_delays, 2},
};

/* 35 % POS, 20 % PCT with few changes, 15 % SURW, 10 % each for the random walk, PCT
 * with many changes, and delays. */
static const uint8_t turns[] = {POS,     PCT_3,  SURW,  POS,  RANDOM, DELAY_1, POS,
                                PCT_2,   PCT_10, POS,   SURW, PCT_3,  POS,     RANDOM,
                                DELAY_2, POS,    PCT_2, SURW, POS,    PCT_10};

enum { TURNS = sizeof turns };

struct portfolio {
    void *states[PARTS];
    uint64_t executions;
    uint64_t by_dpor; /* of these, or by its twin that looks at calls only */
    struct rdl__distinct seen;
    bool data_drawn, unseen; /* as in a summary */
    bool no_choice;          /* an execution came to its end, and nothing was decided in it */

    enum part now; /* of one execution */
};

static void init(void *state, uint64_t seed, unsigned parameter)
{
    struct portfolio *portfolio = state;

    (void)parameter;
    for (int part = 0; part < PARTS; part++) {
        const struct rdl__strategy *strategy = parts[part].strategy;

        portfolio->states[part] = rdl__allocate(strategy->state_size + 1);
        if (strategy->init)
            strategy->init(portfolio->states[part], seed, parts[part].parameter);
    }
}

static void release(void *state)
{
    struct portfolio *portfolio = state;

    for (int part = 0; part < PARTS; part++) {
        if (parts[part].strategy->release)
            parts[part].strategy->release(portfolio->states[part]);
        free(portfolio->states[part]);
    }
    rdl__distinct_release(&portfolio->seen);
}

/* Where code cannot be seen, orders of calls come first: there are fewer. */
static enum part whose_turn(const struct portfolio *portfolio)
{
    uint64_t n = portfolio->executions;
    enum part whole = DPOR;
    unsigned share;

    if (n < 2)
        return n == 0 ? IN_ORDER : REVERSE;
    if (portfolio->unseen && !rdl__dpor_is_done(portfolio->states[CALLS]) &&
        rdl__dpor_share(portfolio->states[CALLS]))
        whole = CALLS;
    share = portfolio->data_drawn ? 0 : rdl__dpor_share(portfolio->states[whole]);
    if (share && n % share == 2)
        return whole;
    return turns[(n - 2 - portfolio->by_dpor) % TURNS];
}

static bool begin(void *state, struct rdl__view *view, struct rdl__summary *summary)
{
    struct portfolio *portfolio = state;

    if (portfolio->no_choice || rdl__dpor_is_done(portfolio->states[DPOR]))
        return false;
    portfolio->now = whose_turn(portfolio);
    return parts[portfolio->now].strategy->begin(portfolio->states[portfolio->now], view, summary);
}

static uint32_t pick(void *state, struct rdl__view *view)
{
    struct portfolio *portfolio = state;

    return parts[portfolio->now].strategy->pick(portfolio->states[portfolio->now], view);
}

static uint32_t choose(void *state, struct rdl__view *view, uint32_t max)
{
    struct portfolio *portfolio = state;
    const struct rdl__strategy *strategy = parts[portfolio->now].strategy;

    if (strategy->choose)
        return strategy->choose(portfolio->states[portfolio->now], view, max);
    return (uint32_t)rdl__random_upto(&view->random, max);
}

static void ended(void *state, const struct rdl__summary *summary)
{
    struct portfolio *portfolio = state;
    enum part part = whose_turn(portfolio);

    if (parts[part].strategy->ended)
        parts[part].strategy->ended(portfolio->states[part], summary);
    for (int pct = PCT_2; pct <= PCT_10; pct++)
        rdl__pct_learn(portfolio->states[pct], summary->points);
    portfolio->executions++;
    portfolio->by_dpor += part == DPOR || part == CALLS;
    portfolio->data_drawn |= summary->data_drawn;
    portfolio->unseen |= summary->unseen;
    portfolio->no_choice |=
        !summary->points && !summary->answered && !summary->data_drawn && !summary->cut;
    rdl__distinct_add(&portfolio->seen, summary->hash);
}

static void count_all(const void *state, struct rdl__tally *out)
{
    const struct portfolio *portfolio = state;

    if (portfolio->no_choice)
        *out = (struct rdl__tally){.schedules = 1, .done = true, .of = RDL__SCHEDULES};
    else if (rdl__dpor_is_done(portfolio->states[DPOR]))
        parts[DPOR].strategy->count(portfolio->states[DPOR], out);
    else
        *out = (struct rdl__tally){.schedules = portfolio->seen.count,
                                   .at_least = portfolio->seen.full,
                                   .of = RDL__DIFFERENT};
}

const struct rdl__strategy rdl__strategy_portfolio = {
    .name = "portfolio",
    .help = "several strategies in turn, all schedules if they are few",
    .state_size = sizeof(struct portfolio),
    .init = init,
    .release = release,
    .begin = begin,
    .pick = pick,
    .choose = choose,
    .ended = ended,
    .count = count_all,
};
