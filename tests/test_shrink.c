/* test_shrink.c -- the shrinker itself: its gate, its memory, its limits. */
#include "shrink_bench.h"

/* Find a failing case by chance, from this seed on, and shrink it. */
static void shrink_from(struct bench *bench, uint64_t seed, struct rdl__shrinker *s)
{
    struct rdl__made made;

    do {
        bench->tape.limit = ROOM;
        rdl__tape_from_random(&bench->tape, seed++);
    } while (!try_test(bench));
    made =
        (struct rdl__made){bench->choices, bench->tape.count, bench->spans, bench->tape.span_count};
    rdl__tree_add(&bench->seen, made.choices, made.count);
    s->run = run_feed;
    s->context = bench;
    if (!s->attempts_max)
        s->attempts_max = 100000;
    rdl__shrink(s, &made);
}

static bool sum_is_large(struct rdl__tape *tape)
{
    uint64_t sum = 0;

    for (int i = 0; i < 6; i++)
        sum += rdl__choose(tape, RDL__INTEGER, 100);
    return sum > 250;
}

TEST(no_case_is_run_twice)
{
    for (uint64_t seed = 1; seed <= 50; seed++) {
        struct bench *bench = new_bench(sum_is_large);
        struct rdl__shrinker s = {0};

        shrink_from(bench, seed, &s);
        EXPECT_EQ(bench->repeats, 0);
        EXPECT_EQ(s.attempts, bench->runs);
        EXPECT(s.best.choices[3].index == 51 && s.best.choices[2].index == 0);
        rdl__shrink_release(&s);
        free_bench(bench);
    }
}

TEST(the_best_so_far_is_kept_when_the_budget_is_spent)
{
    struct bench *bench = new_bench(sum_is_large);
    struct rdl__shrinker s = {.attempts_max = 5};
    uint64_t sum = 0;

    shrink_from(bench, 7, &s);
    EXPECT(s.stopped);
    EXPECT_EQ(s.attempts, 5);
    for (uint32_t i = 0; i < s.best.count; i++)
        sum += s.best.choices[i].index;
    EXPECT(sum > 250);
    rdl__shrink_release(&s);
    free_bench(bench);
}

/* Two threads of ten steps, which take turns as the tape's stretches say; the
 * failure is that the second does its fifth step while the first is between its
 * third and its seventh. */
static bool needs_one_preemption(struct rdl__tape *tape)
{
    int at[2] = {0, 0}, running = 0;
    bool between = false;

    for (;;) {
        uint64_t length = rdl__choose(tape, RDL__STRETCH, 12);
        uint32_t length_at = tape->count - 1;

        for (uint64_t i = 1; at[running] < 10 && (i < length || length == 0 || at[!running] == 10);
             i++) {
            at[running]++;
            between = between || (running == 1 && at[1] == 5 && at[0] >= 3 && at[0] < 7);
        }
        if (at[running] == 10)
            tape->choices[length_at].index = 0; /* it was not preempted */
        if (at[0] == 10 && at[1] == 10)
            return between;
        running = at[running] == 10 ? !running : (int)rdl__choose(tape, RDL__SWITCH, 1);
        if (at[running] == 10)
            running = !running;
        if (tape->choices[tape->count - 1].kind == RDL__SWITCH)
            tape->choices[tape->count - 1].index = (uint64_t)running;
    }
}

TEST(a_schedule_keeps_only_the_preemptions_it_needs_and_those_late)
{
    for (uint64_t seed = 1; seed <= 30; seed++) {
        struct bench *bench = new_bench(needs_one_preemption);
        struct rdl__shrinker s = {0};
        uint32_t preemptions = 0, stretches = 0;

        shrink_from(bench, seed * 100, &s);
        for (uint32_t i = 0; i < s.best.count; i++)
            if (s.best.choices[i].kind == RDL__STRETCH) {
                stretches++;
                preemptions += s.best.choices[i].index > 0;
            }
        EXPECT_EQ(preemptions, 1);
        EXPECT(stretches <= 3);
        EXPECT_EQ(s.best.choices[0].index, 7); /* at the last moment before its seventh step */
        EXPECT(s.attempts < 200);
        rdl__shrink_release(&s);
        free_bench(bench);
    }
}

/* ---- Against the truth --------------------------------------------------------------- */

/* Small random tests: up to five choices of small range, nested by chance, and
 * a verdict that a hash decides, the same for the same choices.  Their true
 * minimum is found by trying everything in order. */
static uint64_t puzzle;

static bool random_puzzle(struct rdl__tape *tape)
{
    uint64_t sum = 0, product = 1, n;

    n = 1 + rdl__choose(tape, RDL__INTEGER, 2 + puzzle % 2);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t x = rdl__choose(tape, RDL__INTEGER, 3 + (puzzle >> i) % 3);

        sum += x * (1 + (puzzle >> (8 + i)) % 3);
        product *= 1 + x;
    }
    return puzzle & 1024 ? sum >= 5 + (puzzle >> 20) % 4 : product >= 6 + (puzzle >> 20) % 7;
}

/* The first failing case in the order of shrinking: by length, then by choices. */
static void find_truth(struct bench *bench, struct rdl__made *out)
{
    uint64_t indexes[16];
    struct rdl__feed feed = {.indexes = indexes, .fill_at = RDL__NONE};
    struct rdl__made made;

    *out = (struct rdl__made){0};
    for (;;) {
        enum rdl__ran ran = run_feed(bench, &feed, ROOM, &made);
        uint32_t i = made.count;

        if (ran == RDL__RAN_FAIL && (!out->choices || rdl__compare(made.choices, made.count,
                                                                   out->choices, out->count) < 0)) {
            rdl__made_release(out);
            rdl__made_copy(out, &made);
        }
        while (i > 0 && made.choices[i - 1].index == made.choices[i - 1].max)
            i--;
        if (i == 0)
            return;
        for (uint32_t k = 0; k < i; k++)
            indexes[k] = made.choices[k].index;
        indexes[i - 1]++;
        feed.count = i;
    }
}

TEST(small_monotone_puzzles_end_at_their_true_minimum)
{
    struct rdl__random random;
    int solved = 0, tried = 0;

    rdl__random_seed(&random, test_seed());
    for (int round = 0; round < (soak() ? 20000 : 1000); round++) {
        struct bench *bench;
        struct rdl__shrinker s = {0};
        struct rdl__made truth;

        puzzle = rdl__random_next(&random);
        bench = new_bench(random_puzzle);
        find_truth(bench, &truth);
        if (truth.choices) {
            shrink_from(bench, 1, &s);
            tried++;
            solved += rdl__compare(s.best.choices, s.best.count, truth.choices, truth.count) == 0;
            rdl__shrink_release(&s);
        }
        rdl__made_release(&truth);
        free_bench(bench);
    }
    EXPECT(tried > 500);
    EXPECT_EQ(solved, tried);
}
