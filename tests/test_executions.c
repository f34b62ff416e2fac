/* test_executions.c -- executions of small programs by the scheduler itself: summary, tape and log
 * agree (executions.h), and so do all ways to try everything. */
#include "executions.h"

#include <sched.h>
#include <semaphore.h>
#include <signal.h>

/* ---- Programs ---------------------------------------------------------------------------- */

static pthread_mutex_t a, b;
static pthread_cond_t cond;
static pthread_rwlock_t rwlock;
static pthread_barrier_t barrier;
static pthread_once_t only;
static sem_t sem;
static int flag;

static void make_all(void)
{
    pthread_mutex_init(&a, NULL);
    pthread_mutex_init(&b, NULL);
    pthread_cond_init(&cond, NULL);
    pthread_rwlock_init(&rwlock, NULL);
    only = PTHREAD_ONCE_INIT;
    flag = 0;
}

static void *locker(void *number)
{
    pthread_mutex_lock(&a);
    put(0, "%d", (int)(intptr_t)number);
    pthread_mutex_unlock(&a);
    return number;
}

static void two_lock(void)
{
    make_all();
    together(2, locker, locker);
}

static void three_lock(void)
{
    make_all();
    together(3, locker, locker, locker);
}

static void *trier(void *number)
{
    int refused = pthread_mutex_trylock(&a);

    put((int)(intptr_t)number, "%s", refused ? "busy" : "got");
    if (!refused)
        pthread_mutex_unlock(&a);
    return number;
}

static void two_try(void)
{
    make_all();
    together(2, trier, trier);
}

static void *ab(void *unused)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return unused;
}

static void *ba(void *unused)
{
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return unused;
}

static void in_two_orders(void)
{
    make_all();
    together(2, ab, ba);
    put(0, "done");
}

static void *waiter(void *number)
{
    pthread_mutex_lock(&a);
    while (flag == 0)
        pthread_cond_wait(&cond, &a);
    flag--;
    put(0, "%d", (int)(intptr_t)number);
    pthread_mutex_unlock(&a);
    return number;
}

static void *signaller(void *unused)
{
    pthread_mutex_lock(&a);
    flag++;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&a);
    return unused;
}

static void one_waits(void)
{
    make_all();
    together(2, waiter, signaller);
}

static void two_wait_for_one(void)
{
    make_all();
    together(3, waiter, waiter, signaller);
}

static void *reader(void *unused)
{
    pthread_rwlock_rdlock(&rwlock);
    put(0, "%d", flag);
    pthread_rwlock_unlock(&rwlock);
    return unused;
}

static void *writer(void *unused)
{
    pthread_rwlock_wrlock(&rwlock);
    flag++;
    pthread_rwlock_unlock(&rwlock);
    return unused;
}

static void reading_and_writing(void)
{
    make_all();
    together(2, reader, writer);
}

static void *comer(void *number)
{
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
        put(0, "%d", (int)(intptr_t)number);
    return number;
}

static void at_a_barrier(void)
{
    pthread_barrier_init(&barrier, NULL, 2);
    together(2, comer, comer);
    pthread_barrier_destroy(&barrier);
}

static void first(void)
{
    put(0, "once");
}

static void *initialiser(void *unused)
{
    pthread_once(&only, first);
    return unused;
}

static void both_initialise(void)
{
    make_all();
    together(2, initialiser, initialiser);
}

static void *taker(void *number)
{
    sem_wait(&sem);
    put(0, "%d", (int)(intptr_t)number);
    sem_post(&sem);
    return number;
}

static void two_take(void)
{
    sem_init(&sem, 0, 1);
    together(2, taker, taker);
}

/* Numbers of threads are used again. */
static void one_after_the_other(void)
{
    make_all();
    together(1, locker);
    together(2, locker, locker);
}

static void *detached(void *unused)
{
    pthread_mutex_lock(&a);
    put(0, "%d", flag++);
    pthread_mutex_unlock(&a);
    return unused;
}

/* Thread 0 ends before the others may have begun. */
static void nobody_joins(void)
{
    pthread_t thread;

    make_all();
    for (int i = 0; i < 2; i++) {
        pthread_create(&thread, NULL, detached, NULL);
        pthread_detach(thread);
    }
}

/* ---- Programs in which strategies are not asked about everything ------------------------- */

static void *poster(void *unused)
{
    sem_post(&sem);
    return unused;
}

static void *impatient(void *unused)
{
    put(0, "%s", sem_timedwait(&sem, after(CLOCK_REALTIME, 5)) ? "late" : "taken");
    return unused;
}

static void one_is_impatient(void)
{
    sem_init(&sem, 0, 0);
    together(2, impatient, poster);
}

static void *sleeper(void *number)
{
    struct timespec time = {.tv_sec = 1 + (intptr_t)number};

    nanosleep(&time, NULL);
    put(0, "%d", (int)(intptr_t)number);
    return number;
}

static void two_sleep(void)
{
    together(2, sleeper, sleeper);
}

static void nobody_posts(void)
{
    sem_init(&sem, 0, 0);
    together(1, impatient);
}

static void *yielder(void *number)
{
    sched_yield();
    pthread_mutex_lock(&a);
    put(0, "%d", (int)(intptr_t)number);
    pthread_mutex_unlock(&a);
    sched_yield();
    return number;
}

static void two_yield(void)
{
    make_all();
    together(2, yielder, yielder);
}

static void *until_it_is_free(void *number)
{
    while (pthread_mutex_trylock(&a))
        sched_yield();
    put(0, "%d", (int)(intptr_t)number);
    pthread_mutex_unlock(&a);
    return number;
}

static void two_try_until_it_is_free(void)
{
    make_all();
    together(2, until_it_is_free, until_it_is_free);
}

static void handle(int number)
{
    (void)number;
    put(0, "handled ");
}

static void *struck(void *unused)
{
    put(0, "%s", sem_wait(&sem) ? "interrupted" : "taken");
    return unused;
}

static void one_is_struck(void)
{
    pthread_t thread;

    signal(SIGUSR1, handle);
    sem_init(&sem, 0, 0);
    pthread_create(&thread, NULL, struck, NULL);
    pthread_kill(thread, SIGUSR1);
    sem_post(&sem);
    pthread_join(thread, NULL);
}

static const struct {
    void (*body)(void);
    const char *outcomes;
    uint32_t orders;  /* of operations that conflict, */
    uint32_t threads; /* and numbers of threads */
} programs[] = {
    {two_lock, "01 | 10", 2, 3},
    {three_lock, "012 | 021 | 102 | 120 | 201 | 210", 6, 4},
    {two_try, "busy got | got busy | got got", 4, 3},
    {in_two_orders, "deadlock | done", 3, 3},
    {one_waits, "0", 2, 3},
    {two_wait_for_one, "deadlock 0 | deadlock 1", 10, 4},
    {reading_and_writing, "0 | 1", 2, 3},
    {at_a_barrier, "0 | 1", 2, 3},
    {both_initialise, "once", 2, 3},
    {two_take, "01 | 10", 2, 3},
    {one_after_the_other, "001 | 010", 2, 3},
    {nobody_joins, "01", 2, 3},
};

TEST(all_ways_to_try_everything_agree)
{
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        void (*body)(void) = programs[i].body;
        uint32_t orders;

        EXPECT_STR(outcomes_of(body), programs[i].outcomes);

        EXPECT_STR(outcomes_in("dfs", RUNS, body), programs[i].outcomes);
        EXPECT(tried->tally.done && !tried->tally.fair && tried->tally.of == RDL__SCHEDULES);
        EXPECT_EQ(tried->tally.schedules, tried->runs);
        EXPECT_EQ(tried->hashes, tried->runs);
        EXPECT(!tried->timed && !tried->unasked && !tried->polite && !tried->by_chance);
        EXPECT_EQ(tried->orders, programs[i].orders);
        EXPECT_EQ(tried->threads, programs[i].threads);
        orders = tried->orders;

        EXPECT_STR(outcomes_in("dpor", RUNS, body), programs[i].outcomes);
        EXPECT(tried->tally.done && tried->tally.of == RDL__DISTINGUISHABLE);
        EXPECT_EQ(tried->tally.schedules, orders);
        EXPECT_EQ(tried->orders, orders);

        EXPECT_STR(outcomes_in("calls", RUNS, body), programs[i].outcomes);
        EXPECT(tried->tally.done && tried->tally.of == RDL__ORDERS);
        EXPECT_EQ(tried->tally.schedules, orders);
    }
}

static int many;

static void *nothing(void *unused)
{
    return unused;
}

static void many_do_nothing(void)
{
    pthread_t threads[64];

    for (int i = 0; i < many; i++)
        pthread_create(&threads[i], NULL, nothing, NULL);
    for (int i = 0; i < many; i++)
        pthread_join(threads[i], NULL);
}

/* In 64 bits there is room for as many. */
TEST(nobody_claims_to_have_tried_all_with_more_than_64_threads)
{
    for (many = 63; many <= 64; many++) {
        EXPECT_CONTAINS(outcomes_in("dpor", 3, many_do_nothing), "done");
        EXPECT_EQ(tried->threads, many + 1);
        EXPECT_EQ(tried->tally.done, many == 63);
    }
}

/* Is each of the outcomes in `some` one of `all`? */
static bool are_among(const char *some, const char *all)
{
    char copy[4096], *rest = copy, *outcome;

    snprintf(copy, sizeof copy, "%s", some);
    while ((outcome = strtok_r(rest, "|", &rest))) {
        outcome += strspn(outcome, " ");
        while (*outcome && outcome[strlen(outcome) - 1] == ' ')
            outcome[strlen(outcome) - 1] = '\0';
        if (!strstr(all, outcome) && strcmp(outcome, "(there may be more)") != 0)
            return false;
    }
    return true;
}

TEST(no_strategy_finds_what_is_not_there_or_ends_before_it_is_done)
{
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        for (const struct rdl__strategy *const *it = rdl__strategies; *it; it++) {
            const char *seen = outcomes_in((*it)->name, CHANCES, programs[i].body);

            if (!are_among(seen, programs[i].outcomes) || !(*it)->help ||
                (tried->runs < CHANCES && !tried->tally.done))
                test_fail(__FILE__, __LINE__, "program %zu, %s: %s after %ju executions", i,
                          (*it)->name, seen, (uintmax_t)tried->runs);
        }
}

TEST(strategies_by_design_make_one_execution_and_preempt_nobody)
{
    static const struct {
        const char *name, *outcome;
        bool by_turns; /* who preempts whenever it can */
    } designs[] = {
        {"in-order", "012", false}, {"reverse", "210", false}, {"round-robin", "012", true}};

    for (size_t i = 0; i < sizeof designs / sizeof *designs; i++) {
        EXPECT_STR(outcomes_in(designs[i].name, CHANCES, three_lock), designs[i].outcome);
        EXPECT(tried->tally.done && tried->tally.by_design);
        EXPECT_EQ(tried->runs, 1);
        EXPECT_EQ(tried->with[0], !designs[i].by_turns);
    }
}

/* dpor has every fourth execution, from the third on; and then everything has been tried. */
TEST(the_portfolio_is_done_when_dpor_is)
{
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        uint64_t runs;

        outcomes_in("dpor", RUNS, programs[i].body);
        runs = tried->runs;
        EXPECT_STR(outcomes_in("portfolio", RUNS, programs[i].body), programs[i].outcomes);
        EXPECT_EQ(tried->runs, 4 * runs - 1);
        EXPECT(tried->tally.done && tried->tally.of == RDL__DISTINGUISHABLE);
        EXPECT_EQ(tried->tally.schedules, programs[i].orders);
    }
}

TEST(a_bound_of_preemptions_leaves_out_what_has_more_of_them)
{
    static const char *const names[] = {"preemptions:0", "preemptions:1", "preemptions:2",
                                        "preemptions:9"};
    static const char *const bounds[] = {"0 preemptions", "1 preemption", "2 preemptions", ""};
    uint64_t with[PREEMPTIONS_MOST], within = 0, all;

    outcomes_in("dfs", RUNS, two_try);
    memcpy(with, tried->with, sizeof with);
    all = tried->runs;
    for (uint32_t i = 0; i < 4; i++) {
        outcomes_in(names[i], RUNS, two_try);
        within = i < 3 ? within + with[i] : all;
        EXPECT(tried->tally.done && tried->tally.of == RDL__SCHEDULES);
        EXPECT_EQ(tried->tally.schedules, within);
        EXPECT_EQ(tried->hashes, within);
        EXPECT(i == 3 || tried->with[i + 1] == 0);
        EXPECT_STR(tried->tally.bound, bounds[i]);
    }
    EXPECT(within > with[0] + with[1] + with[2]);
}

TEST(strategies_by_chance_find_the_same_outcomes)
{
    static const char *const names[] = {"random", "pct", "pos", "surw"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        EXPECT_EQ(strncmp(outcomes_in(names[i], 200, three_lock), programs[1].outcomes,
                          strlen(programs[1].outcomes)),
                  0);
        EXPECT(!tried->tally.done);
        EXPECT_EQ(tried->orders, programs[1].orders);
    }
}

/* Who can go depends on how much was done before: not every moment of a wait was tried. */
TEST(nobody_claims_to_have_tried_all_where_somebody_waits_for_a_time)
{
    static const struct {
        void (*body)(void);
        const char *outcomes;
        uint64_t microseconds;
    } timed[] = {{one_is_impatient, "taken", 1},
                 {nobody_posts, "late", 5000001},
                 {two_sleep, "01", 2000000}};

    for (size_t i = 0; i < sizeof timed / sizeof *timed; i++) {
        EXPECT_STR(outcomes_in("dfs", RUNS, timed[i].body), timed[i].outcomes);
        EXPECT(tried->timed && !tried->unasked && !tried->tally.done);
        EXPECT_EQ(exploration->now, timed[i].microseconds * 1000);
        outcomes_in("dpor", 50, timed[i].body);
        EXPECT(tried->timed && !tried->tally.done);
        EXPECT_EQ(tried->runs, 50);
        EXPECT_EQ(exploration->now, timed[i].microseconds * 1000);
    }
}

static void *clock_reader(void *number)
{
    struct timespec time;

    for (int i = 0; i < 20; i++)
        clock_gettime(CLOCK_MONOTONIC, &time);
    put((int)(intptr_t)number, "%ld ", time.tv_nsec);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    put((int)(intptr_t)number, "%ld", time.tv_nsec);
    return number;
}

static void two_read_the_clock(void)
{
    make_all();
    together(3, clock_reader, clock_reader, locker);
}

/* Nothing of an execution is left for the one that replays it. */
TEST(clocks_begin_anew_in_each_execution)
{
    outcomes_in("random", 100, two_read_the_clock);
    EXPECT_EQ(tried->runs, 100);
}

TEST(nobody_claims_to_have_tried_all_where_a_signal_strikes)
{
    EXPECT_CONTAINS(outcomes_in("dfs", 50, one_is_struck), "handled");
    EXPECT(tried->unasked && !tried->tally.done);
    outcomes_in("dpor", 50, one_is_struck);
    EXPECT(tried->unasked && !tried->tally.done);
}

TEST(yielding_is_no_order)
{
    EXPECT_STR(outcomes_in("dfs", RUNS, two_yield), "01 | 10");
    EXPECT(tried->polite && !tried->unasked && tried->tally.done);
    EXPECT_EQ(tried->hashes, tried->runs);
    EXPECT_EQ(tried->orders, 2);
    EXPECT_STR(outcomes_in("dpor", RUNS, two_yield), "01 | 10");
    EXPECT(tried->polite && tried->tally.done);
    EXPECT_EQ(tried->tally.schedules, 2);
}

/* There are endlessly many schedules in which somebody asks again and again. */
TEST(asking_again_and_again_is_left_out_and_that_is_said)
{
    EXPECT_STR(outcomes_in("dfs", RUNS, two_try_until_it_is_free), "01 | 10");
    EXPECT(tried->polite && tried->tally.done && tried->tally.fair);
    EXPECT_STR(outcomes_in("dpor", RUNS, two_try_until_it_is_free), "01 | 10");
    EXPECT(tried->polite && tried->tally.done && tried->tally.fair);
}
