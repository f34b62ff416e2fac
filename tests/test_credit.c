/* test_credit.c -- points that go by unseen count as if they had been seen. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "control/sched/sched.h"
#include "harness.h"
#include "instrumented/credit.h"
#include "run/execute.h"

enum { CHOICES = 1 << 16 };

static struct rdl__board *board;
static struct rdl_case the_case;
static struct rdl__summary *summary;
static void (*body)(void *unused) = busy_threads;
static uint64_t points_max = 1000000;

/* What can be told of an execution when it has ended. */
struct end {
    uint64_t hash, points, steps, now;
    uint32_t switches, preemptions, choices;
    int note_count;
    long notes[NOTES];
};

static void prepare(void)
{
    struct rdl__error error;

    if (board)
        return;
    board = rdl__board_new(CHOICES, &error);
    summary = rdl__allocate(sizeof *summary);
    rdl__case_init(&the_case, board, NULL);
    board->tape.limit = CHOICES;
}

/* Run to the end; `seen`: every operation is logged, so that none goes by unseen. */
static struct end run_once(const struct rdl__strategy *strategy, void *state, bool seen)
{
    struct end end = {0};

    summary->wants_log = seen;
    the_case.outcome->verdict = RDL__PASSED;
    the_case.outcome->claimed = 0;
    rdl__execution_run(&(struct rdl__execution){.t = &the_case,
                                                .strategy = strategy,
                                                .strategy_state = state,
                                                .summary = summary,
                                                .points_max = points_max},
                       body, NULL);
    EXPECT_EQ(the_case.outcome->verdict, RDL__PASSED);
    end = (struct end){.hash = summary->hash,
                       .points = summary->points,
                       .steps = summary->steps,
                       .now = rdl__sched.now,
                       .switches = summary->switches,
                       .preemptions = summary->preemptions,
                       .choices = board->tape.count,
                       .note_count = note_count};
    memcpy(end.notes, notes, sizeof end.notes);
    return end;
}

static struct end run_strategy(const struct rdl__strategy *strategy, void *state, uint64_t seed,
                               bool seen)
{
    rdl__tape_from_random(&board->tape, seed);
    rdl__random_seed(&rdl__sched.view.random, seed);
    memset(summary, 0, offsetof(struct rdl__summary, log));
    strategy->begin(state, &rdl__sched.view, summary);
    return run_once(strategy, state, summary->wants_log || seen);
}

static struct end run_tape(bool seen)
{
    static uint64_t indexes[CHOICES];
    struct rdl__feed feed = {.indexes = indexes, .count = board->tape.count, .fill_at = RDL__NONE};

    for (uint32_t i = 0; i < feed.count; i++)
        indexes[i] = board->tape.choices[i].index;
    rdl__tape_from_feed(&board->tape, &feed, 0);
    memset(summary, 0, offsetof(struct rdl__summary, log));
    return run_once(NULL, NULL, seen);
}

static void expect_same(const struct end *a, const struct end *b)
{
    EXPECT_EQ(a->points, b->points);
    EXPECT_EQ(a->steps, b->steps);
    EXPECT_EQ(a->switches, b->switches);
    EXPECT_EQ(a->preemptions, b->preemptions);
    EXPECT_EQ(a->choices, b->choices);
    EXPECT_EQ(a->now, b->now);
    EXPECT(a->hash == b->hash);
    EXPECT_EQ(a->note_count, b->note_count);
    EXPECT(memcmp(a->notes, b->notes, sizeof a->notes) == 0);
}

/* As the strategy has it, and as the tape does; seen, and unseen. */
static void run_all_ways(const struct rdl__strategy *strategy, void *state, uint64_t seed)
{
    struct end seen = run_strategy(strategy, state, seed, true);
    struct end unseen = run_strategy(strategy, state, seed, false);

    if (strategy->ended)
        strategy->ended(state, summary);
    expect_same(&seen, &unseen);
    unseen = run_tape(false);
    expect_same(&seen, &unseen);
    unseen = run_tape(true);
    expect_same(&seen, &unseen);
}

static void run_strategies(const char *const *names, size_t count, uint64_t runs)
{
    prepare();
    for (size_t i = 0; i < count; i++) {
        unsigned parameter;
        const struct rdl__strategy *strategy = rdl__strategy_named(names[i], &parameter);
        void *state = rdl__allocate(strategy->state_size + 1);

        if (strategy->init)
            strategy->init(state, test_seed(), parameter);
        for (uint64_t n = 0; n < runs; n++)
            run_all_ways(strategy, state, test_seed() + n);
        if (strategy->release)
            strategy->release(state);
        free(state);
    }
}

TEST(an_execution_is_the_same_however_much_of_it_is_seen)
{
    static const char *const names[] = {"in-order", "reverse",       "pct",      "pct:10",
                                        "delays",   "random-delays", "random",   "pos",
                                        "surw",     "round-robin",   "portfolio"};

    run_strategies(names, sizeof names / sizeof *names, soak() ? 3000 : 60);
    body = one_lets_go;
    run_strategies(names, sizeof names / sizeof *names, soak() ? 3000 : 30);
    body = busy_threads;
}

/* Who computes on and on is preempted after an eighth of what counts as endless, and some. */
TEST(turns_become_fair_at_the_same_point_however_much_is_seen)
{
    static const char *const names[] = {"in-order", "reverse", "delays", "random-delays"};

    body = two_compute;
    for (points_max = 12000; points_max < 20000; points_max += 1001)
        run_strategies(names, sizeof names / sizeof *names, 2);
    EXPECT(board->tape.count > 8); /* somebody was */
    body = busy_threads;
    points_max = 1000000;
}
