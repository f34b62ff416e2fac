/* test_strategies.c -- strategies by chance, and all of them where they have to agree. */
#include <math.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "control/strategy/spawn.h"
#include "control/strategy/touched.h"
#include "explored.h"

#define PROGRAM(...) (&(const struct program){{__VA_ARGS__}})

static struct rdl__tally tally;

/* ---- Names ---- */

TEST(strategies_are_found_by_name)
{
    unsigned parameter = 7;

    EXPECT(rdl__strategy_named("pct", &parameter) && parameter == 3);
    EXPECT(rdl__strategy_named("preemptions:0", &parameter) && parameter == 0);
    EXPECT(rdl__strategy_named("pct:5", &parameter) && parameter == 5);
    EXPECT_STR(rdl__strategy_named("delays:12", &parameter)->name, "delays");
    EXPECT_STR(rdl__strategies[0]->name, "portfolio");
    for (int i = 0; rdl__strategies[i]; i++) {
        EXPECT(rdl__strategy_named(rdl__strategies[i]->name, &parameter) == rdl__strategies[i]);
        EXPECT(strlen(rdl__strategies[i]->help) > 0);
    }
}

TEST(what_is_no_strategy_is_refused)
{
    const char *wrong[] = {"",      "pc",     "pctx",     "pct:",    "pct:0",     "pct:-1",
                           "pct:x", "pct:1x", "random:3", "pct:1:2", "pct:99999", ":3"};
    unsigned parameter;

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        EXPECT(!rdl__strategy_named(wrong[i], &parameter));
}

/* ---- By chance ---- */

/* Those that change the order of threads at few points cannot have all schedules,
 * but should have all that make a difference. */
TEST(every_schedule_is_reached)
{
    const struct program *programs[] = {
        PROGRAM("C1 C1", "W0 R0"),
        PROGRAM("C1 R0 W0", "R0 W0"),
        PROGRAM("C1 L0 W0 U0", "L0 R0 U0"),
        PROGRAM("C1 R0", "C2 W0", "R0"),
    };
    const char *names[] = {"random", "pos", "surw", "pct", "random-delays:3", "portfolio"};

    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        struct findings all, found;

        EXPECT(enumerate(programs[i], &all, 10000));
        for (int k = 0; k < 6; k++) {
            explore(programs[i], names[k], 12000, test_seed(), &found, NULL);
            if (found.traces.count < all.traces.count ||
                (k < 3 && found.schedules.count < all.schedules.count))
                test_fail(__FILE__, __LINE__, "%s, program %zu: %u of %u schedules", names[k], i,
                          found.schedules.count, all.schedules.count);
            free_findings(&found);
        }
        free_findings(&all);
    }
}

/* In how many of so many executions does variable 1 end up with the value that the
 * program calls its bug? */
static double rate_of(const char *name, const struct program *program, uint64_t executions,
                      bool (*is_bug)(const struct sim *sim))
{
    unsigned parameter;
    const struct rdl__strategy *strategy = rdl__strategy_named(name, &parameter);
    struct simulation *s = simulation_new();
    void *state = strategy_new(strategy, parameter);
    uint64_t hits = 0;

    for (uint64_t i = 0; i < executions; i++) {
        EXPECT(simulate(s, program, strategy, state, test_seed() * 1000003 + i));
        hits += is_bug(&s->sim);
    }
    strategy_free(strategy, state);
    simulation_free(s);
    return (double)hits / (double)executions;
}

/* Was a mutex held by another when the thread tried to lock it? */
static bool has_failed(const struct sim *sim, uint32_t id)
{
    return sim->threads[id].value == rdl__combine(0, 1 + 1) ||
           sim->threads[id].value == rdl__combine(0, 2 + 1) ||
           sim->threads[id].value == rdl__combine(0, 3 + 1);
}

static bool second_failed(const struct sim *sim)
{
    return has_failed(sim, 2);
}

static bool both_failed(const struct sim *sim)
{
    return has_failed(sim, 1) && has_failed(sim, 2);
}

/* What PCT promises, if threads may begin at once in half of the executions. */
static double promised(const struct program *program, int threads, int depth)
{
    struct findings found;
    double range;

    explore(program, "random", 100, 1, &found, NULL);
    range = floor(1.2 * found.longest);
    free_findings(&found);
    return 0.5 / threads / pow(range, depth - 1);
}

TEST(pct_finds_bugs_as_often_as_it_promises)
{
    /* a try between lock and unlock; and two of them that need each other's lock */
    const struct program *two = PROGRAM("C1 C2", ".0 .0 .0 .0 L0 U0 .0 .0", ".0 .0 .0 T0 U0 .0 .0");
    const struct program *three = PROGRAM("C1 C2", ".0 L0 U0 .0 T1 U1 .0", ".0 L1 .0 T0 U0 U1 .0");

    EXPECT(rate_of("pct:2", two, 20000, second_failed) > 0.9 * promised(two, 3, 2));
    EXPECT(rate_of("pct:3", two, 20000, second_failed) > 0.9 * promised(two, 3, 3));
    EXPECT(rate_of("pct:3", three, 20000, both_failed) > 0.9 * promised(three, 3, 3));
}

TEST(pct_without_changes_just_lets_threads_run)
{
    const struct program *program = PROGRAM("C1 C1 C1", ".0 .0 .0 .0");
    struct findings found;

    explore(program, "pct:1", 1000, test_seed(), &found, NULL);
    EXPECT_EQ(found.by_preemptions[0], 1000);
    EXPECT_EQ(found.schedules.count, 6);
    free_findings(&found);
}

TEST(pct_is_not_asked_where_nothing_can_change)
{
    unsigned parameter;
    const struct rdl__strategy *strategy = rdl__strategy_named("pct", &parameter);
    const struct program *program =
        PROGRAM("C1 C1", ".0 .0 .0 .0 .0 .0 .0 .0 .0 .0 .0 .0 .0 .0 .0 .0 .0 .0 .0 .0");
    struct simulation *s = simulation_new();
    void *state = strategy_new(strategy, parameter);

    for (uint64_t seed = 1; seed <= 100; seed++) {
        simulate(s, program, strategy, state, seed);
        EXPECT(s->summary->points >= 20);
        EXPECT(s->asked <= 8); /* two changes, and where enabled threads changed */
    }
    strategy_free(strategy, state);
    simulation_free(s);
}

/* The last write was that of thread 0. */
static bool first_wrote_last(const struct sim *sim)
{
    return sim->variables[0] ==
           ((uint32_t)rdl__combine(1, (uintptr_t)(sim->program->bodies[0] + 3)) | 1);
}

TEST(pos_draws_anew_what_conflicts)
{
    /* Thread 0 has to lose against the other's beginning, and against four writes.
     * The first write is favoured by the beginning having won: 1/2 * 2/3.  Each of the
     * others meets a new draw: 1/2.  Where creators run on, thread 0 is always first.
     * Without drawing anew it would be 1/12. */
    double rate =
        rate_of("pos", PROGRAM("C1 W0", "W0 W0 W0 W0"), soak() ? 500000 : 40000, first_wrote_last);

    EXPECT(fabs(rate - 1.0 / 48) < 0.0035);
}

/* Thread 1 was the last of five to add to the variable. */
static bool added_last(const struct sim *sim)
{
    return sim->threads[1].value == rdl__combine(0, 5 + 1);
}

TEST(surw_gives_all_orders_of_accesses_the_same_chance)
{
    double rate =
        rate_of("surw", PROGRAM("C1 C2", ".0 A0 .0", "A0 .0 A0 A0 A0"), 20000, added_last);

    EXPECT(fabs(rate - 0.2) < 0.015);
    EXPECT(rate_of("random", PROGRAM("C1 C2", ".0 A0 .0", "A0 .0 A0 A0 A0"), 20000, added_last) <
           0.15); /* so it is not for nothing */
}

/* ---- Creators that run on ---- */

/* All that thread 0 did came before any other thread began. */
static bool is_created_first(const struct sim_history *history)
{
    bool others = false;

    for (uint32_t i = 0; i < history->count; i++) {
        if (history->events[i].thread == 0 && others)
            return false;
        others |= history->events[i].thread != 0;
    }
    return true;
}

TEST(creators_run_on_in_half_of_the_executions)
{
    const struct program *program = PROGRAM("C1 .0 C1 .0 C1 .0 C1 .0", "W0");
    const char *names[] = {"random", "pct", "pos", "surw"};

    for (int k = 0; k < 4; k++) {
        unsigned parameter;
        const struct rdl__strategy *strategy = rdl__strategy_named(names[k], &parameter);
        struct simulation *s = simulation_new();
        void *state = strategy_new(strategy, parameter);
        int first = 0;

        for (uint64_t seed = 1; seed <= 2000; seed++) {
            simulate(s, program, strategy, state, seed);
            first += is_created_first(&s->history);
        }
        EXPECT(first > 900 && first < 1500);
        strategy_free(strategy, state);
        simulation_free(s);
    }
}

/* ---- All of them ---- */

TEST(nobody_starves_where_threads_wait_by_yielding)
{
    const struct program *programs[] = {
        PROGRAM("C1 !0", ".0 .0 .0 W0"),
        PROGRAM("C1 C1 C1 .0 .0 .0 W0", "!0"),
        PROGRAM("C1 C2 !0", "!1 W0", ".0 .0 .0 W1"),
        PROGRAM("C1 C1 C2 J0 J1 R1", "!0 A1", "A1 W0"),
        PROGRAM("C1 L0 W1 U0 !0", "L0 R1 U0 A1 W0"),
        PROGRAM("C1 C2 C3 J0 J1 J2", "!0 A3 W1", "!1 A3 W2", "A3 W0 !2"),
    };

    for (int k = 0; rdl__strategies[k]; k++)
        for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
            struct findings found;

            explore(programs[i], rdl__strategies[k]->name, soak() ? 20000 : 200, test_seed(),
                    &found, NULL);
            if (found.longest > 400 || found.deadlocks > 0)
                test_fail(__FILE__, __LINE__, "%s, program %zu: %u operations",
                          rdl__strategies[k]->name, i, found.longest);
            free_findings(&found);
        }
}

/* Executions in processes of their own must lead to the same ones as in ours: begin
 * and pick may leave nothing behind that matters. */
static void expect_same_apart(const struct rdl__strategy *strategy, const struct program *program)
{
    struct simulation *here = simulation_new(), *apart = simulation_new();
    void *state = strategy_new(strategy, 0), *other = strategy_new(strategy, 0);
    struct rdl__summary *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
                                       MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    EXPECT(shared != MAP_FAILED);
    free(apart->summary);
    apart->summary = shared;
    for (uint64_t seed = 1; seed <= (soak() ? 500 : 40); seed++) {
        bool more = simulate(here, program, strategy, state, seed);
        int status = 0;
        pid_t child = fork();

        if (child == 0)
            _exit(!simulate_part(apart, program, strategy, other, seed));
        EXPECT(child > 0 && waitpid(child, &status, 0) == child);
        EXPECT_EQ(WEXITSTATUS(status), !more);
        if (!more)
            break;
        EXPECT(shared->hash == here->summary->hash);
        if (strategy->ended)
            strategy->ended(other, shared);
    }
    munmap(shared, sizeof *shared);
    apart->summary = NULL;
    strategy_free(strategy, state);
    strategy_free(strategy, other);
    simulation_free(here);
    simulation_free(apart);
}

TEST(executions_in_other_processes_teach_the_same)
{
    const struct program *program = PROGRAM("C1 C2 L0 Q0 U0 R0", "L0 A0 S0 U0", "A0 !0 ?2 A1");

    fflush(stdout);
    for (int k = 0; rdl__strategies[k]; k++)
        expect_same_apart(rdl__strategies[k], program);
}

TEST(every_strategy_copes_with_many_threads)
{
    static char many[4096];
    struct program program = {{many, "W0", "C3 W1 J0", "A0"}};

    /* numbers are used again, so that there are many lives but few numbers */
    for (int i = 0; i < CHILDREN; i++)
        sprintf(many + strlen(many), "C%d J%d ", 1 + i % 2, i);
    for (int k = 0; rdl__strategies[k]; k++) {
        struct findings found;

        explore(&program, rdl__strategies[k]->name, 100, 1, &found, NULL);
        EXPECT_EQ(found.deadlocks, 0);
        free_findings(&found);
    }
}

/* ---- Portfolio ---- */

TEST(the_portfolio_ends_when_everything_was_tried)
{
    struct findings found;

    explore(PROGRAM("C1 C1 C1", "W0"), "portfolio", 1000, 1, &found, &tally);
    EXPECT(tally.done && tally.of == RDL__DISTINGUISHABLE);
    EXPECT_EQ(tally.schedules, 6);
    EXPECT(found.count < 40);
    free_findings(&found);
}

TEST(orders_of_calls_are_not_the_end_where_code_cannot_be_seen)
{
    const struct program *program = PROGRAM("C1 C1 C1", "W0 .0 .0 .0 .0");
    struct findings found;

    does_unseen = true;
    explore(program, "portfolio", 1000, 1, &found, &tally);
    does_unseen = false;
    EXPECT_EQ(found.count, 1000);
    EXPECT(!tally.done && tally.of == RDL__DIFFERENT);
    EXPECT_EQ(tally.schedules, found.schedules.count);
    free_findings(&found);
}

TEST(the_portfolio_begins_in_order_and_in_reverse)
{
    const struct program *program = PROGRAM("C1 C2 W0", "W0", "W0");
    struct findings found;

    explore(program, "portfolio", 2, 1, &found, NULL);
    EXPECT_EQ(found.by_preemptions[0], 2);
    EXPECT_EQ(found.schedules.count, 2);
    free_findings(&found);
}

TEST(the_portfolio_counts_different_schedules)
{
    const struct program *large =
        PROGRAM("C1 C1 C1", "A0 A1 A0 A1 A0 A1 A0 A1 A0 A1 A0 A1 A0 A1 A0 A1");
    struct findings found;

    explore(large, "portfolio", 3000, 1, &found, &tally);
    EXPECT_EQ(found.count, 3000);
    EXPECT(!tally.done && tally.of == RDL__DIFFERENT);
    EXPECT_EQ(tally.schedules, found.schedules.count);
    free_findings(&found);
}

/* How many executions does dpor get, of those with these numbers? */
static int logs_of(const struct program *program, uint64_t from, uint64_t to, bool data_drawn)
{
    const struct rdl__strategy *strategy = rdl__strategies[0];
    struct simulation *s = simulation_new();
    void *state = strategy_new(strategy, 0);
    int logs = 0;

    for (uint64_t seed = 0; seed < to; seed++) {
        EXPECT(simulate_part(s, program, strategy, state, seed));
        logs += seed >= from && s->summary->wants_log;
        s->summary->data_drawn = data_drawn;
        strategy->ended(state, s->summary);
    }
    tally = (struct rdl__tally){0};
    strategy->count(state, &tally);
    strategy_free(strategy, state);
    simulation_free(s);
    return logs;
}

TEST(the_portfolio_spends_little_on_what_would_take_too_long)
{
    const struct program *large =
        PROGRAM("C1 C1 C1", "A0 A1 A0 A1 A0 A1 A0 A1 A0 A1 A0 A1 A0 A1 A0 A1");

    EXPECT(logs_of(large, 0, 400, false) >= 100);
    EXPECT(logs_of(large, 2000, 3600, false) < 120);
}

TEST(the_portfolio_is_never_done_where_data_is_drawn)
{
    EXPECT(logs_of(PROGRAM("C1 C1 C1", "W0"), 0, 1000, true) < 20);
    EXPECT(!tally.done && tally.of == RDL__DIFFERENT);
}

/* dpor gets every fourth execution from the third on; the first of surw, the third of the others,
 * wants a log to learn from. */
TEST(the_portfolio_keeps_to_its_turns)
{
    const struct program *large =
        PROGRAM("C1 C1 C1", "A0 A1 A0 A1 A0 A1 A0 A1 A0 A1 A0 A1 A0 A1 A0 A1");

    for (uint64_t n = 0; n < 12; n++)
        EXPECT_EQ(logs_of(large, n, n + 1, false), n % 4 == 2 || n == 5);
}

/* Where code cannot be seen, each quarter goes to its orders of calls until these are done, and
 * only then to its orders. */
TEST(the_portfolio_tries_orders_of_calls_before_all_others_where_code_cannot_be_seen)
{
    const struct program *program = PROGRAM("C1 C1", "W0 .0");
    uint64_t by_calls, by_dpor;
    struct findings found;

    does_unseen = true;
    by_calls = (explore(program, "calls", 1000, 1, &found, &tally), found.count);
    free_findings(&found);
    by_dpor = (explore(program, "dpor", 1000, 1, &found, &tally), found.count);
    free_findings(&found);
    explore(program, "portfolio", 1000, 1, &found, &tally);
    does_unseen = false;
    EXPECT(tally.done && by_calls < by_dpor);
    EXPECT_EQ(found.count, 4 * (by_calls + by_dpor) - 1);
    free_findings(&found);
}

/* ---- Sets of threads ---- */

TEST(sets_of_threads_are_searched_as_a_list_would_be)
{
    struct rdl__random random;

    rdl__random_seed(&random, test_seed());
    for (int i = 0; i < 2000; i++) {
        uint64_t words[3] = {0};
        struct rdl__set set = {words, 3, 0};
        uint32_t threads[192], from = (uint32_t)rdl__random_upto(&random, 191), first = UINT32_MAX;

        for (uint64_t n = rdl__random_upto(&random, 8); n < 9; n++) {
            uint32_t thread = (uint32_t)rdl__random_upto(&random, 191);

            words[thread / 64] |= UINT64_C(1) << thread % 64;
        }
        for (uint32_t thread = 0; thread < 192; thread++)
            if (rdl__set_has(&set, thread))
                threads[set.count++] = thread;
        for (uint32_t n = 0; n < set.count; n++) {
            EXPECT_EQ(rdl__set_nth(&set, n), threads[n]);
            if (first == UINT32_MAX && threads[n] >= from)
                first = threads[n];
        }
        EXPECT_EQ(rdl__set_from(&set, from), first == UINT32_MAX ? threads[0] : first);
    }
}

/* ---- Who touched what ---- */

enum { ENTRIES = 60, LIVES = 3 };

static struct rdl__op random_op(struct rdl__random *random)
{
    static const uint32_t sizes[] = {1, 4, 8, 64, 100, 1000};
    struct rdl__op op = {.touch = (uint8_t)rdl__random_upto(random, 2)};

    if (op.touch)
        op.object = 0x1000 + rdl__random_upto(random, 1000);
    if (op.touch)
        op.size = sizes[rdl__random_upto(random, 5)];
    if (rdl__random_upto(random, 3) == 0)
        op.also = 0x1000 + rdl__random_upto(random, 1000);
    return op;
}

/* Do they lie in a block of 64 bytes in common, or is one of them wide? */
static bool are_near(const struct rdl__op *a, const struct rdl__op *b)
{
    const struct rdl__op *const both[] = {a, b};
    uint64_t blocks[2][1100 / 64 + 3];
    int counts[2] = {0};

    for (int i = 0; i < 2; i++) {
        uint64_t first = both[i]->object / 64, last = (both[i]->object + both[i]->size - 1) / 64;

        if (both[i]->touch && last > first + 1)
            return true;
        for (uint64_t block = first; both[i]->touch && block <= last; block++)
            blocks[i][counts[i]++] = block;
        if (both[i]->also)
            blocks[i][counts[i]++] = both[i]->also / 64;
    }
    for (int i = 0; i < counts[0]; i++)
        for (int j = 0; j < counts[1]; j++)
            if (blocks[0][i] == blocks[1][j])
                return true;
    return false;
}

/* The entries of a life that are to be looked at for this operation, as bits. */
static uint64_t looked_at(const struct rdl__touched *touched, const struct rdl__op *op,
                          uint32_t life)
{
    uint64_t blocks[RDL__BLOCKS_MAX], entries = 0;
    uint32_t count = rdl__touched_blocks(op, blocks);

    EXPECT(count <= RDL__BLOCKS_MAX);
    if (count == 0)
        return UINT64_MAX;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t link = rdl__touched_last(touched, blocks[i], life), last = UINT32_MAX;

        for (; link; link = touched->links[link].before) {
            EXPECT(touched->links[link].entry <= last);
            last = touched->links[link].entry;
            entries |= UINT64_C(1) << (last - 1);
        }
    }
    return entries;
}

TEST(of_a_log_all_that_may_conflict_is_looked_at_and_nothing_that_lies_elsewhere)
{
    struct rdl__touched touched = {0};
    struct rdl__op ops[ENTRIES];
    uint32_t lives[ENTRIES];
    struct rdl__random random;

    rdl__random_seed(&random, test_seed());
    for (int round = 0; round < 300; round++) {
        uint32_t count = (uint32_t)rdl__random_upto(&random, ENTRIES);

        rdl__touched_clear(&touched, count);
        for (uint32_t i = 0; i < count; i++) {
            ops[i] = random_op(&random);
            lives[i] = (uint32_t)rdl__random_upto(&random, LIVES - 1);
            rdl__touched_add(&touched, &ops[i], lives[i], i + 1);
        }
        for (int query = 0; query < 20; query++) {
            struct rdl__op op = random_op(&random);
            uint32_t life = (uint32_t)rdl__random_upto(&random, LIVES - 1);
            uint64_t looked = looked_at(&touched, &op, life);

            for (uint32_t i = 0; i < count; i++) {
                bool is_looked_at = looked >> i & 1;

                if (lives[i] == life && rdl__conflict(&op, &ops[i]))
                    EXPECT(is_looked_at);
                if (looked != UINT64_MAX)
                    EXPECT_EQ(is_looked_at, lives[i] == life && are_near(&op, &ops[i]));
                else
                    EXPECT(!rdl__touches(&op) || op.size > 64);
            }
        }
    }
    rdl__touched_release(&touched);
}
