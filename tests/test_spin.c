/* test_spin.c -- loops that only wait are recognised, and no others. */
#include "instrumented/spin.h"

#include "explore.h"

static void (*current)(void);

static void show(void)
{
    current();
    put(0, "%d", came_out);
}

static const char *outcomes(void (*body)(void), uint64_t runs)
{
    current = body;
    return outcomes_by_chance(show, runs, 0);
}

TEST(locks_that_spin_are_locks)
{
    EXPECT_STR(outcomes(lock_by_exchange, 1000), "4");
    EXPECT_STR(outcomes(lock_by_comparing, 1000), "4");
    EXPECT_STR(outcomes(lock_tested_first, 1000), "4");
    EXPECT_STR(outcomes(lock_with_tickets, 1000), "4");
    EXPECT_STR(outcomes(lock_in_a_queue, 1000), "4");
    EXPECT_STR(outcomes(lock_of_peterson, 1000), "4");
}

TEST(loops_that_count_come_to_their_end)
{
    EXPECT_STR(outcomes(bounded_wait, 20), "1000");
    EXPECT_STR(outcomes(bounded_wait_on_the_stack, 20), "1000");
    EXPECT_STR(outcomes(deep_wait, 20), "0");
    EXPECT_STR(outcomes(counting_wait, 200), "0");
}

TEST(waits_end_when_what_they_wait_for_comes)
{
    EXPECT_STR(outcomes(plain_wait, 10), "race");
    EXPECT_STR(outcomes(yielding_wait, 300), "0");
    EXPECT_STR(outcomes(wait_in_rounds, 300), "0");
    EXPECT_STR(outcomes(wait_with_backoff, 300), "0");
    EXPECT_STR(outcomes(sequence_lock, 1000), "1");
    EXPECT_STR(outcomes(two_values, 300), "0");
}

TEST(a_thread_may_wait_for_its_own_variable)
{
    EXPECT_STR(outcomes(wait_on_its_own_stack, 300), "7");
}

TEST(waiting_threads_leave_few_schedules)
{
    current = lock_once;
    EXPECT_STR(outcomes_of(show), "2");
    EXPECT(exploration->runs < 1000);
}

TEST(chance_that_we_do_not_see_is_no_livelock)
{
    EXPECT_STR(outcomes(wait_by_chance, 20), "0");
}

TEST(waiting_for_what_never_comes_is_a_livelock)
{
    EXPECT_STR(outcomes(wait_for_ever, 20), "livelock");
    EXPECT_CONTAINS(exploration->failure, "livelock");
    EXPECT_CONTAINS(exploration->details, "thread 1 waits for memory to change, going round at");
    EXPECT_STR(outcomes(wait_for_ever_alone, 2), "livelock");
    EXPECT_STR(outcomes(wait_for_ever_yielding, 20), "livelock");
    EXPECT_STR(outcomes(wait_for_ever_in_rounds, 5), "livelock");
    EXPECT_STR(outcomes(wait_for_ever_with_backoff, 5), "livelock");
    EXPECT_STR(outcomes(wait_for_each_other, 20), "livelock");
    EXPECT_STR(outcomes(lock_twice, 2), "livelock");
}

TEST(a_livelock_may_hold_others_up)
{
    EXPECT_STR(outcomes(wait_for_one_that_waits, 100), "0 | livelock");
    EXPECT_CONTAINS(exploration->details, "thread 2 waits for mutex 1");
}

/* ---- Credit: points that are passed without a word ------------------------------------ */

/* Now and then another thread; else the same, and for some points to come as well. */
static uint32_t pick_lazily(void *state, struct rdl__view *view)
{
    (void)state;
    if (rdl__is_enabled(view, view->running) && rdl__random_upto(&view->random, 3) &&
        !(view->ops[view->running].flags & RDL__OP_POLITE)) {
        view->quiet = rdl__random_upto(&view->random, 9);
        return view->running;
    }
    return rdl__enabled_nth(view,
                            (uint32_t)rdl__random_upto(&view->random, view->enabled_count - 1));
}

/* What came out of an execution. */
struct ending {
    enum rdl__verdict verdict;
    uint64_t points, steps, hash;
    uint32_t count;
    uint64_t indexes[4096];
};

/* By the strategy, or again by the tape of an earlier execution; with credit or not. */
static struct ending run_body(void (*body)(void), uint64_t seed, const struct ending *again,
                              bool credit)
{
    static const struct rdl__strategy strategy = {.name = "lazy", .pick = pick_lazily};
    static struct rdl__board *board;
    static struct rdl__summary *summary;
    static struct rdl_case t;
    struct rdl__error error;
    struct ending ending;

    if (!board) {
        board = rdl__board_new(1 << 16, &error);
        summary = rdl__allocate(sizeof *summary);
        rdl__case_init(&t, board, NULL);
    }
    board->tape.limit = 1 << 16;
    if (again)
        rdl__tape_from_feed(&board->tape,
                            &(struct rdl__feed){.indexes = again->indexes,
                                                .count = again->count,
                                                .fill_at = RDL__NONE},
                            seed);
    else
        rdl__tape_from_random(&board->tape, seed);
    t.outcome->verdict = RDL__PASSED;
    memset(summary, 0, offsetof(struct rdl__summary, log));
    summary->wants_log = !credit;
    rdl__random_seed(&rdl__sched.view.random, seed);
    rdl__execution_run(
        &(struct rdl__execution){
            .t = &t, .strategy = &strategy, .summary = summary, .points_max = 100000},
        call_body, &body);
    ending = (struct ending){.verdict = t.outcome->verdict,
                             .points = summary->points,
                             .steps = summary->steps,
                             .hash = summary->hash,
                             .count = board->tape.count};
    EXPECT(ending.count <= sizeof ending.indexes / sizeof *ending.indexes);
    for (uint32_t i = 0; i < ending.count; i++)
        ending.indexes[i] = board->tape.choices[i].index;
    return ending;
}

static void expect_same(const struct ending *a, const struct ending *b)
{
    EXPECT_EQ(a->verdict, RDL__PASSED);
    EXPECT_EQ(b->verdict, RDL__PASSED);
    EXPECT_EQ(a->points, b->points);
    EXPECT_EQ(a->steps, b->steps);
    EXPECT_EQ(a->count, b->count);
    EXPECT(memcmp(a->indexes, b->indexes, a->count * sizeof *a->indexes) == 0);
    EXPECT(a->hash == b->hash);
}

TEST(an_execution_is_the_same_with_credit_and_without)
{
    static void (*const bodies[])(void) = {lock_by_exchange, lock_with_tickets, lock_in_a_queue,
                                           lock_of_peterson, bounded_wait,      wait_with_backoff,
                                           sequence_lock};

    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
        for (uint64_t seed = 0; seed < 100; seed++) {
            struct ending lent = run_body(bodies[i], seed, NULL, true);
            struct ending paid = run_body(bodies[i], seed, NULL, false);
            struct ending lent_again = run_body(bodies[i], seed, &lent, true);
            struct ending paid_again = run_body(bodies[i], seed, &lent, false);

            expect_same(&lent, &paid);
            expect_same(&lent, &lent_again);
            expect_same(&lent, &paid_again);
        }
}
