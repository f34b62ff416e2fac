/* test_sched.c -- controlled threads: switching, threads' lives, mutexes. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "control/sched/sched.h"
#include "harness.h"
#include "run/execute.h"

static struct rdl__board *board;
static struct rdl_case the_case;
static struct rdl__summary *summary;

static uint32_t pick_any(void *state, struct rdl__view *view)
{
    (void)state;
    return rdl__enabled_nth(view,
                            (uint32_t)rdl__random_upto(&view->random, view->enabled_count - 1));
}

static const struct rdl__strategy any = {.name = "any", .pick = pick_any};

/* One execution of the body, by chance. */
static struct rdl__outcome *explore_once(void (*body)(void *context), void *context, uint64_t seed)
{
    struct rdl__error error;

    if (!board) {
        board = rdl__board_new(1 << 20, &error);
        summary = rdl__allocate(sizeof *summary);
        rdl__case_init(&the_case, board, NULL);
    }
    board->tape.limit = 1 << 20;
    rdl__tape_from_random(&board->tape, seed);
    the_case.outcome->verdict = RDL__PASSED;
    the_case.outcome->claimed = 0;
    memset(summary, 0, offsetof(struct rdl__summary, log));
    rdl__random_seed(&rdl__sched.view.random, seed);
    rdl__execution_run(
        &(struct rdl__execution){
            .t = &the_case, .strategy = &any, .summary = summary, .points_max = 1000000},
        body, context);
    return the_case.outcome;
}

static __thread int mine;
static int shared_counter;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *count(void *argument)
{
    for (int i = 0; i < 4; i++) {
        int seen;

        mine++;
        pthread_mutex_lock(&lock);
        seen = shared_counter;
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&lock);
        shared_counter = seen + 1;
        pthread_mutex_unlock(&lock);
    }
    EXPECT_EQ(mine, 4);
    return argument;
}

static void two_counters(void *context)
{
    pthread_t threads[2];
    int marks[2];
    void *result;

    (void)context;
    shared_counter = 0;
    for (int i = 0; i < 2; i++)
        EXPECT_EQ(pthread_create(&threads[i], NULL, count, &marks[i]), 0);
    for (int i = 0; i < 2; i++) {
        EXPECT_EQ(pthread_join(threads[i], &result), 0);
        EXPECT(result == &marks[i]);
    }
}

TEST(schedules_differ_in_what_they_compute)
{
    int seen[9] = {0};

    for (uint64_t seed = 0; seed < 2000; seed++) {
        EXPECT_EQ(explore_once(two_counters, NULL, seed)->verdict, RDL__PASSED);
        EXPECT(shared_counter >= 1 && shared_counter <= 8);
        seen[shared_counter]++;
    }
    for (int i = 3; i <= 8; i++) /* 2 takes luck */
        EXPECT(seen[i] > 0);
}

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *ab(void *argument)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return argument;
}

static void *ba(void *argument)
{
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return argument;
}

static void abba(void *context)
{
    pthread_t one, two;

    (void)context;
    a = b = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    pthread_create(&one, NULL, ab, NULL);
    pthread_create(&two, NULL, ba, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
}

TEST(a_deadlock_is_found_and_explained)
{
    int found = 0;

    for (uint64_t seed = 0; seed < 200; seed++)
        if (explore_once(abba, NULL, seed)->verdict == RDL__FAILED) {
            EXPECT_EQ(the_case.outcome->cause, RDL__BY_DEADLOCK);
            EXPECT_CONTAINS(the_case.outcome->check, "thread 1 -> thread 2 -> thread 1");
            found++;
        }
    EXPECT(found > 0 && found < 200);
}
