/* test_systematic.c -- strategies that try everything: dfs, bounds, dpor.
 *
 * What they have to find is known by theory, or from visiting all schedules of a
 * simulated program by brute force. */
#include <stdio.h>

#include "explored.h"

#define PROGRAM(...) (&(const struct program){{__VA_ARGS__}})

static struct rdl__tally tally;

/* How many executions does the strategy take to its end?  Each must be another schedule. */
static uint64_t executions_of(const char *name, const struct program *program)
{
    struct findings found;

    explore(program, name, 1000000, 1, &found, &tally);
    EXPECT_EQ(found.schedules.count, found.count);
    free_findings(&found);
    return found.count;
}

/* ---- Counts known by theory ---- */

TEST(dfs_visits_every_interleaving_of_two_threads_once)
{
    /* C(2n, n), where the beginning of a thread is an operation, too */
    EXPECT_EQ(executions_of("dfs", PROGRAM("C1 C1", "")), 2);
    EXPECT_EQ(executions_of("dfs", PROGRAM("C1 C1", ".0")), 6);
    EXPECT_EQ(executions_of("dfs", PROGRAM("C1 C1", ".0 .0")), 20);
    EXPECT_EQ(executions_of("dfs", PROGRAM("C1 C1", ".0 .0 .0")), 70);
    EXPECT(tally.done && tally.of == RDL__SCHEDULES);
    EXPECT_EQ(tally.schedules, 70);
    EXPECT_EQ(executions_of("dfs", PROGRAM("C1 C1", ".0 .0 .0 .0 .0")), 924);
}

TEST(dfs_visits_every_interleaving_of_three_threads_once)
{
    EXPECT_EQ(executions_of("dfs", PROGRAM("C1 C1 C1", "")), 6);
    EXPECT_EQ(executions_of("dfs", PROGRAM("C1 C1 C1", ".0")), 90);
    EXPECT_EQ(executions_of("dfs", PROGRAM("C1 C1 C1", ".0 .0")), 1680);
}

TEST(a_program_without_choice_has_one_schedule)
{
    EXPECT_EQ(executions_of("dfs", PROGRAM("W0 R0")), 1);
    EXPECT(tally.done && tally.schedules == 1);
    EXPECT_EQ(executions_of("dpor", PROGRAM("C1 J0", "W0 W1")), 1);
    EXPECT(tally.done && tally.schedules == 1 && tally.of == RDL__DISTINGUISHABLE);
}

TEST(dpor_needs_one_execution_where_nothing_conflicts)
{
    EXPECT_EQ(executions_of("dpor", PROGRAM("C1 C1", ".0 .0 .0 .0 .0")), 1);
    EXPECT_EQ(executions_of("dpor", PROGRAM("C1 C2 C3", "W0 R0", "W1 R1", "W2 R2")), 1);
    EXPECT_EQ(executions_of("dpor", PROGRAM("C1 C1 C1", "R0 R1")), 1);
}

TEST(dpor_tries_each_order_of_what_conflicts)
{
    EXPECT_EQ(executions_of("dpor", PROGRAM("C1 C1", "W0")), 2);
    EXPECT(tally.done && tally.schedules == 2);
    EXPECT_EQ(executions_of("dpor", PROGRAM("C1 C1 C1", "W0")), 6);
    EXPECT_EQ(executions_of("dpor", PROGRAM("C1 C1 C1 C1", "W0")), 24);
    EXPECT_EQ(executions_of("dpor", PROGRAM("C1 C1 C1 C1 C1", "A0")), 120);
    EXPECT_EQ(executions_of("dpor", PROGRAM("C1 C2 C2", "W0", "R0")), 4);
    EXPECT_EQ(executions_of("dpor", PROGRAM("C1 C1", "A0 A0")), 6);
    EXPECT_EQ(executions_of("dpor", PROGRAM("C1 C1", "L0 A0 U0")), 2);
    EXPECT_EQ(executions_of("dpor", PROGRAM("C1 C1 C1", "L0 U0")), 6);
    EXPECT_EQ(executions_of("dpor", PROGRAM("C1 C1", "L0 U0 L0 U0")), 6);
    EXPECT_EQ(executions_of("dpor", PROGRAM("C1 C2", "L0 U0", "L1 U1")), 1);
}

TEST(dpor_tries_all_answers)
{
    EXPECT_EQ(executions_of("dpor", PROGRAM("?2")), 3);
    EXPECT_EQ(executions_of("dpor", PROGRAM("C1 C1", "?2")), 9);
    EXPECT_EQ(executions_of("dpor", PROGRAM("C1 C1", "?1 W0")), 8);
}

TEST(dpor_is_not_held_up_by_what_threads_do_for_themselves)
{
    static char one[1024] = "A0 ", two[1024] = "A0 ";

    for (int i = 0; i < 150; i++) {
        strcat(one, "A1 ");
        strcat(two, "A2 ");
    }
    strcat(one, "A0");
    strcat(two, "L0 A0 U0");
    EXPECT_EQ(executions_of("dpor", PROGRAM("C1 C2 R3", one, two)), 6);
    EXPECT(tally.done && tally.schedules == 6);
}

/* How often is it asked in its first execution? */
static uint32_t asked_in_the_first(const char *name, const struct program *program)
{
    unsigned parameter;
    const struct rdl__strategy *strategy = rdl__strategy_named(name, &parameter);
    struct simulation *s = simulation_new();
    void *state = strategy_new(strategy, parameter);
    uint32_t asked;

    EXPECT(simulate(s, program, strategy, state, 1));
    asked = s->asked;
    strategy_free(strategy, state);
    simulation_free(s);
    return asked;
}

/* Once where each thread goes on undisturbed, not at each of its 200 operations. */
TEST(dpor_is_not_asked_while_it_would_let_the_same_thread_go_on)
{
    static char one[1024], two[1024];

    one[0] = two[0] = '\0';
    for (int i = 0; i < 200; i++) {
        strcat(one, "A1 ");
        strcat(two, "A2 ");
    }
    EXPECT(asked_in_the_first("dpor", PROGRAM("C1 C2", one, two)) <= 4);
    EXPECT(asked_in_the_first("dfs", PROGRAM("C1 C2", one, two)) > 100);
}

enum field { NOTHING, THREAD, ENABLED, KIND, PLACE, ASKED, FIELDS };

static void tamper_with(struct rdl__log_entry *entry, enum field field)
{
    if (field == THREAD)
        entry->thread = 3 - entry->thread;
    if (field == ENABLED)
        entry->enabled ^= 1;
    if (field == KIND)
        entry->op.kind = RDL__OP_EXIT;
    if (field == PLACE)
        entry->op.pc++;
    if (field == ASKED)
        entry->enabled_count = 1;
}

/* Does the strategy go on when the second execution was another one there than the first? */
static bool goes_on(const char *name, enum field field)
{
    const struct program *program = PROGRAM("C1 C1", ".0 A0 .0 A0");
    unsigned parameter;
    const struct rdl__strategy *strategy = rdl__strategy_named(name, &parameter);
    struct simulation *s = simulation_new();
    void *state = strategy_new(strategy, parameter);
    bool wants_log;

    EXPECT(simulate(s, program, strategy, state, 1));
    EXPECT(simulate_part(s, program, strategy, state, 2));
    EXPECT(s->summary->log[2].enabled_count == 2 && s->summary->log_count > 8);
    tamper_with(&s->summary->log[2], field);
    strategy->ended(state, s->summary);
    EXPECT(simulate_part(s, program, strategy, state, 3));
    wants_log = s->summary->wants_log;
    strategy_free(strategy, state);
    simulation_free(s);
    return wants_log;
}

TEST(an_execution_that_does_not_follow_its_path_is_noticed)
{
    static const char *const names[] = {"dfs", "dpor", "calls"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (enum field field = NOTHING; field < FIELDS; field++)
            if (goes_on(names[i], field) != (field == NOTHING))
                test_fail(__FILE__, __LINE__, "%s does not notice field %d", names[i], field);
}

/* ---- Against brute force ---- */

/* How many schedules it was, if nothing is left to try; else 0. */
static uint64_t counted(void)
{
    return tally.done ? tally.schedules : 0;
}

/* How many executions it took. */
static uint64_t expect_nothing_lost(const struct program *program, const struct findings *all,
                                    uint64_t seed, const char *text)
{
    struct findings found;

    explore(program, "dpor", 1000000, seed, &found, &tally);
    if (found.finals.count != all->finals.count || found.traces.count != all->traces.count ||
        counted() != all->traces.count)
        test_fail(__FILE__, __LINE__,
                  "%s:\n%u of %u final states, %u of %u traces in %ju executions, counted %ju",
                  text, found.finals.count, all->finals.count, found.traces.count,
                  all->traces.count, (uintmax_t)found.count, (uintmax_t)counted());
    free_findings(&found);
    return found.count;
}

TEST(dpor_finds_all_of_known_programs)
{
    static const struct program programs[] = {
        {{"C1 C2", "L0 L1 U1 U0", "L1 L0 U0 U1"}},    /* deadlock */
        {{"C1 C2 J0 J1 R0", "A0", "R0 W0"}},          /* joins */
        {{"C1 L0 Q0 U0", "L0 S0 U0"}},                /* lost signal */
        {{"C1 C1 C2", "L0 Q0 U0", "L0 S0 U0 B0"}},    /* whom to wake */
        {{"C1 C2", "T0 W0 U0", "L0 W0 U0"}},          /* trylock */
        {{"C1 C1 C2", "r0 R0 u0", "w0 W0 u0"}},       /* rwlock */
        {{"C1 C2 -0 R0", "W0 +0", "W0"}},             /* semaphore */
        {{"C1 J0 C1 J1 R0", "A0"}},                   /* numbers used again */
        {{"C1 C1 J0 C2 J1 J2", "A0", "R0 W0"}},       /* while another runs */
        {{"C1 C2 A0", "C3 A0", "C3 A0", "A0"}},       /* threads that create threads */
        {{"C1 C2 +0 C3", "-0 w0", "-0 w0", "+0 -0"}}, /* repetitions with somebody blocked */
        {{"C1 X0", "W0 W0"}},                         /* the process ends */
        {{"C1 C1 R0 X0", "L0 W0 U0"}},                /* with somebody blocked */
        {{"C1 C2 J0", "W0 X0", "A0 R0"}},             /* by another thread */
        {{"C1 C2", "G0 G0", "G0 R1"}},                /* code that is not seen */
    };

    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        struct findings all;

        EXPECT(enumerate(&programs[i], &all, 1000000));
        expect_nothing_lost(&programs[i], &all, 1, programs[i].bodies[1]);
        free_findings(&all);
    }
}

/* ---- Random programs ---- */

struct made {
    struct program program;
    char bodies[4][128];
    char text[540];
};

static uint64_t upto(struct rdl__random *random, uint64_t max)
{
    return rdl__random_upto(random, max);
}

/* A program is made of few kinds of blocks, or its threads would hardly meet. */
enum { KINDS = 3 };

static void add_block(char *body, const char *const kinds[KINDS], struct rdl__random *random)
{
    strcat(body, kinds[upto(random, KINDS - 1)]);
    strcat(body, " ");
}

static void draw_kinds(const char *kinds[KINDS], struct rdl__random *random)
{
    static const char *const blocks[] = {
        "R0",       "W0",       "A0",       "R1",          "W1",          "A1",       "L0 R0 U0",
        "L0 W0 U0", "L0 U0",    "L1 A0 U1", "L0 L1 U1 U0", "L1 L0 U0 U1", "T0 W0 U0", "T1 U1",
        "r0 R0 u0", "w0 W0 u0", "r0 u0",    "+0",          "-0",          "L0 Q0 U0", "L0 S0 U0",
        "S0",       "L0 B0 U0", "?1",       ".0",          "L0 Q0 R0 U0", "B0",       "T0 U0",
        "w0 u0",    "G0",       "X0",       "R0 X0",
    };

    for (int i = 0; i < KINDS; i++)
        kinds[i] = blocks[upto(random, sizeof blocks / sizeof *blocks - 1)];
}

/* Thread 0 creates up to three others, does this and that, and may join them. */
static void make_program(struct made *made, struct rdl__random *random)
{
    uint64_t threads = 1 + upto(random, 2);
    const char *kinds[KINDS];

    *made = (struct made){0};
    draw_kinds(kinds, random);
    for (uint64_t i = 1; i <= threads; i++) {
        sprintf(made->bodies[0] + strlen(made->bodies[0]), "C%u ", (unsigned)i);
        if (upto(random, 3) == 0)
            add_block(made->bodies[0], kinds, random);
        for (uint64_t count = upto(random, 3); count > 0; count--)
            add_block(made->bodies[i], kinds, random);
    }
    if (upto(random, 1))
        add_block(made->bodies[0], kinds, random);
    for (uint64_t i = 0; i < threads && upto(random, 1); i++)
        sprintf(made->bodies[0] + strlen(made->bodies[0]), "J%u ", (unsigned)i);
    if (upto(random, 3) == 0) {
        strcat(made->bodies[0], "C3 ");
        add_block(made->bodies[0], kinds, random);
    }
    for (int i = 0; i < 4; i++) {
        made->program.bodies[i] = made->bodies[i];
        sprintf(made->text + strlen(made->text), "%s%s", i ? "| " : "", made->bodies[i]);
    }
}

TEST(dpor_loses_nothing_of_random_programs)
{
    uint64_t programs = soak() ? 100000 : 1500, traces = 0, executions = 0;
    struct rdl__random random;
    struct findings all;
    struct made made;

    rdl__random_seed(&random, test_seed());
    while (programs > 0) {
        make_program(&made, &random);
        if (enumerate(&made.program, &all, soak() ? 4000 : 700)) {
            executions += expect_nothing_lost(&made.program, &all, programs, made.text);
            traces += all.traces.count;
            programs--;
        }
        free_findings(&all);
    }
    /* Some executions turn out to be repetitions; they must stay few. */
    EXPECT(executions < traces + traces / 10);
}

TEST(dfs_visits_all_of_random_programs_once)
{
    struct rdl__random random;
    struct findings all, found;
    struct made made;

    rdl__random_seed(&random, test_seed() + 1);
    for (int programs = soak() ? 5000 : 150; programs > 0;) {
        make_program(&made, &random);
        if (enumerate(&made.program, &all, 300)) {
            explore(&made.program, "dfs", 1000000, 1, &found, &tally);
            EXPECT_EQ(found.count, all.count);
            EXPECT_EQ(found.schedules.count, all.schedules.count);
            EXPECT_EQ(counted(), all.count);
            free_findings(&found);
            programs--;
        }
        free_findings(&all);
    }
}

TEST(where_code_cannot_be_seen_all_schedules_count)
{
    struct rdl__random random;
    struct findings all, found;
    struct made made;

    rdl__random_seed(&random, test_seed() + 3);
    for (int programs = soak() ? 5000 : 150; programs > 0;) {
        make_program(&made, &random);
        if (enumerate(&made.program, &all, 300)) {
            does_unseen = true;
            explore(&made.program, "dpor", 1000000, 1, &found, &tally);
            does_unseen = false;
            if (found.count != all.count || found.schedules.count != all.count ||
                counted() != all.count)
                test_fail(__FILE__, __LINE__, "%s: %u of %ju, counted %ju", made.text,
                          found.schedules.count, (uintmax_t)all.count, (uintmax_t)counted());
            free_findings(&found);
            if (!strchr(made.text, 'G')) { /* which is what that strategy does not look at */
                does_unseen = true;
                explore(&made.program, "calls", 1000000, 1, &found, &tally);
                does_unseen = false;
                EXPECT_EQ(counted(), all.traces.count);
                EXPECT_EQ(tally.of, RDL__ORDERS);
                free_findings(&found);
            }
            programs--;
        }
        free_findings(&all);
    }
}

/* ---- Bounds ---- */

/* All schedules within the bound, and no other; those with fewer are run again on the
 * way to the next level, but counted once. */
static void expect_bounded(const struct made *made, const char *name, unsigned bound,
                           const struct findings *all)
{
    const uint64_t *by_cost = name[0] == 'p' ? all->by_preemptions : all->by_delays;
    uint64_t within = 0, runs = 0;
    struct findings found;
    const uint64_t *seen_by_cost = name[0] == 'p' ? found.by_preemptions : found.by_delays;
    char text[32];

    for (unsigned cost = 0; cost <= bound; cost++)
        within += by_cost[cost];
    snprintf(text, sizeof text, "%s:%u", name, bound);
    explore(&made->program, text, 1000000, 1, &found, &tally);
    for (unsigned cost = 0; cost < 64; cost++) {
        if (cost > bound && seen_by_cost[cost])
            test_fail(__FILE__, __LINE__, "%s: cost %u under %s", made->text, cost, text);
        runs += seen_by_cost[cost];
    }
    if (found.schedules.count != within || counted() != within)
        test_fail(__FILE__, __LINE__, "%s: %u of %ju schedules under %s, counted %ju", made->text,
                  found.schedules.count, (uintmax_t)within, text, (uintmax_t)counted());
    EXPECT(runs <= within * (bound + 1));
    free_findings(&found);
}

TEST(bounds_admit_all_and_only_what_is_within)
{
    struct rdl__random random;
    struct findings all;
    struct made made;

    rdl__random_seed(&random, test_seed() + 2);
    for (int programs = soak() ? 5000 : 100; programs > 0;) {
        make_program(&made, &random);
        if (enumerate(&made.program, &all, 300)) {
            for (unsigned bound = 1; bound <= 4; bound++) {
                expect_bounded(&made, "preemptions", bound, &all);
                expect_bounded(&made, "delays", bound, &all);
            }
            programs--;
        }
        free_findings(&all);
    }
}

TEST(bounds_are_counted_and_named)
{
    struct findings found;

    explore(PROGRAM("C1 C1", ".0 .0 .0"), "preemptions", 3, 1, &found, &tally);
    EXPECT_EQ(counted(), 2);
    EXPECT_STR(tally.bound, "0 preemptions");
    free_findings(&found);
    explore(PROGRAM("C1 C1", ".0 .0 .0"), "preemptions:1", 1000, 1, &found, &tally);
    EXPECT_EQ(counted(), 8);
    EXPECT_STR(tally.bound, "1 preemption");
    free_findings(&found);
    explore(PROGRAM("C1 C1", ".0 .0 .0"), "delays", 1000, 1, &found, &tally);
    EXPECT_STR(tally.bound, "2 delays");
    free_findings(&found);
    explore(PROGRAM("C1 C1", ".0 .0 .0"), "preemptions:9", 1000, 1, &found, &tally);
    EXPECT_EQ(counted(), 70); /* there are none with more than 6 */
    EXPECT_STR(tally.bound, "");
    free_findings(&found);
}

/* ---- Threads that ask again and again ---- */

TEST(trees_are_finite_where_threads_wait_by_yielding)
{
    const struct program *programs[] = {
        PROGRAM("C1 !0", ".0 W0"),
        PROGRAM("C1 C1 W0", "!0"),
        PROGRAM("C1 R1 W0 R1", "!0 A1"),
        PROGRAM("C1 W1 W0 R1", "R1 !0 W1"),
        PROGRAM("C1 L0 W1 W0 U0", "!0 L0 R1 U0"),
        PROGRAM("C1 !0 A1", "A1 W0 A1"),
    };
    const char *names[] = {"dpor", "dfs", "preemptions", "delays"};
    struct findings found[4];

    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        for (int k = 0; k < 4; k++) {
            explore(programs[i], names[k], 100000, 1, &found[k], &tally);
            EXPECT(found[k].count < 100000);
            EXPECT(found[k].longest < 100);
            EXPECT_EQ(found[k].deadlocks, 0);
            if (k < 2) /* within a bound, nobody may have had to be held back */
                EXPECT(tally.fair);
        }
        EXPECT_EQ(found[0].finals.count, found[1].finals.count);
        for (int k = 0; k < 4; k++)
            free_findings(&found[k]);
    }
}

TEST(dpor_ends_where_many_wait_by_yielding)
{
    EXPECT(executions_of("dpor", PROGRAM("C1 C2 !0", "!1 W0", "W1")) < 100);
    EXPECT(executions_of("dpor", PROGRAM("C1 C1 C2 J0 J1 R1", "!0 A1", "A1 W0")) < 100);
    EXPECT(executions_of("dpor", PROGRAM("C1 C2 C3", "!0 W1", "!1 W2", "W0 !2")) < 100);
}

TEST(who_yields_here_and_there_loses_no_schedule)
{
    const struct program *programs[] = {
        PROGRAM("C1 Y0 Y0 W0", "R0 W1"),
        PROGRAM("C1 R0", "Y0 Y0 Y0 W0"),
        PROGRAM("C1 C2 Y0 W0 Y0 W1", "R0 Y0 R1", "Y0 A1"),
    };

    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        struct findings all, dpor, dfs;

        EXPECT(enumerate(programs[i], &all, 1000000));
        explore(programs[i], "dpor", 1000000, 1, &dpor, &tally);
        EXPECT_EQ(dpor.finals.count, all.finals.count);
        explore(programs[i], "dfs", 1000000, 1, &dfs, &tally);
        EXPECT_EQ(dfs.finals.count, all.finals.count);
        EXPECT(!tally.fair);
        free_findings(&all);
        free_findings(&dpor);
        free_findings(&dfs);
    }
}

TEST(dpor_tries_all_orders_around_a_thread_that_yields_once)
{
    struct findings all, found;

    EXPECT(enumerate(PROGRAM("C1 W0 Y0 W0 R1", "R0 W1 Y0 R0"), &all, 100000));
    explore(PROGRAM("C1 W0 Y0 W0 R1", "R0 W1 Y0 R0"), "dpor", 100000, 1, &found, &tally);
    EXPECT_EQ(found.finals.count, all.finals.count);
    free_findings(&all);
    free_findings(&found);
}

/* ---- What is not only a matter of schedules ---- */

/* Executions of the first program, then of the second, or with data drawn. */
static void expect_random_walk(const char *name, const struct program *first, uint64_t executions,
                               const struct program *then, bool data_drawn)
{
    unsigned parameter;
    const struct rdl__strategy *strategy = rdl__strategy_named(name, &parameter);
    void *state = strategy_new(strategy, parameter);
    struct simulation *s = simulation_new();
    struct findings found = {0};

    for (uint64_t seed = 1; seed <= executions; seed++)
        EXPECT(simulate(s, first, strategy, state, seed));
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        EXPECT(simulate_part(s, then, strategy, state, seed));
        s->summary->data_drawn = data_drawn;
        strategy->ended(state, s->summary);
        if (seed > 1)
            sim_found(&found, &s->sim, &s->history);
    }
    EXPECT_EQ(found.schedules.count, 70);
    tally = (struct rdl__tally){0};
    strategy->count(state, &tally);
    EXPECT(!tally.done);
    EXPECT_EQ(s->summary->log_count, 0); /* it is of no use any more */
    free_findings(&found);
    strategy_free(strategy, state);
    simulation_free(s);
}

TEST(what_also_depends_on_something_else_is_walked_at_random)
{
    const struct program *seventy = PROGRAM("C1 C1", ".0 .0 .0");
    const char *names[] = {"dfs", "dpor"};

    for (int i = 0; i < 2; i++) {
        expect_random_walk(names[i], seventy, 0, seventy, true);
        expect_random_walk(names[i], PROGRAM("C1 C1 R0", "W0 W0 W0"), 3, seventy, false);
        expect_random_walk(names[i], PROGRAM("C1 C1 C1", "W0 W0"), 3, seventy, false);
    }
}

/* What is said if the first execution is made to look as if it ended early. */
static void expect_silence(void (*spoil)(struct rdl__summary *summary))
{
    unsigned parameter;
    const struct rdl__strategy *strategy = rdl__strategy_named("dpor", &parameter);
    void *state = strategy_new(strategy, parameter);
    struct simulation *s = simulation_new();

    for (uint64_t seed = 1; seed <= 100; seed++) {
        EXPECT(simulate_part(s, PROGRAM("C1 C1", "W0"), strategy, state, seed));
        if (seed == 1)
            spoil(s->summary);
        strategy->ended(state, s->summary);
    }
    tally = (struct rdl__tally){0};
    strategy->count(state, &tally);
    EXPECT(!tally.done);
    strategy_free(strategy, state);
    simulation_free(s);
}

static void cut(struct rdl__summary *summary)
{
    summary->cut = true;
}

static void fail(struct rdl__summary *summary)
{
    summary->failed = true;
}

static void exit_early(struct rdl__summary *summary)
{
    summary->alive = 2;
}

static void wait_for_time(struct rdl__summary *summary)
{
    summary->timed = true;
}

TEST(executions_that_ended_early_leave_nothing_to_say)
{
    expect_silence(cut);
    expect_silence(fail);
    expect_silence(exit_early);
    expect_silence(wait_for_time);
}
