/* test_joins.c -- joining, in all its ways: what it returns, and in which orders. */
#include <errno.h>

#include "executions.h"
#include "like_libc.h"

/* ---- As without control --------------------------------------------------------------------- */

static pthread_mutex_t gate;

static void *wait_at_gate(void *result)
{
    pthread_mutex_lock(&gate);
    pthread_mutex_unlock(&gate);
    return result;
}

/* Two threads that cannot end before the gate is opened. */
static void joins(void)
{
    pthread_t threads[2];
    int results[2];
    bool detached[2] = {false};
    void *result;

    pthread_mutex_init(&gate, NULL);
    pthread_mutex_lock(&gate);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, wait_at_gate, &results[i]);
    for (int i = 0; i < CALLS_MOST; i++) {
        int which = program[i][1], state = -1;
        pthread_t thread = threads[which];

        if (detached[which])
            continue;
        switch (program[i][0]) {
        case 0:
            tell("try %d ", pthread_tryjoin_np(thread, &result));
            break;
        case 1:
            tell("timed %d ", pthread_timedjoin_np(thread, &result, past()));
            break;
        case 2:
            tell("clock %d ", pthread_clockjoin_np(thread, &result, CLOCK_MONOTONIC, past()));
            break;
        case 3:
            tell("self %d ", pthread_join(pthread_self(), &result));
            break;
        case 4:
            tell("clock 99 %d ", pthread_clockjoin_np(thread, &result, 99, past()));
            break;
        case 5:
            if (i < CALLS_MOST - 4)
                break;
            tell("detach %d ", pthread_detach(thread));
            detached[which] = true;
            break;
        case 6:
            pthread_setcanceltype(which ? PTHREAD_CANCEL_DEFERRED : PTHREAD_CANCEL_ASYNCHRONOUS,
                                  &state);
            tell("type %d ", state);
            break;
        case 7:
            pthread_setcancelstate(which ? PTHREAD_CANCEL_ENABLE : PTHREAD_CANCEL_DISABLE, &state);
            tell("state %d odd %d ", state, pthread_setcancelstate(17, NULL));
            break;
        case 8:
            tell("equal %d %d ", pthread_equal(thread, threads[0]) != 0,
                 pthread_equal(pthread_self(), pthread_self()) != 0);
            break;
        }
    }
    pthread_mutex_unlock(&gate);
    for (int i = 0; i < 2; i++)
        if (!detached[i])
            tell("join %d %d ", pthread_join(threads[i], &result), result == &results[i]);
}

TEST(joins_return_what_those_of_the_c_library_do)
{
    expect_alike(soak() ? 1000 : 30, 9, 1, joins);
}

/* ---- In all orders -------------------------------------------------------------------------- */

static void *at_once(void *unused)
{
    return unused;
}

static void try_to_join(void)
{
    pthread_t thread;
    void *result = NULL;
    int code;

    pthread_create(&thread, NULL, at_once, &gate);
    code = pthread_tryjoin_np(thread, &result);
    put(0, "%s %d", code == EBUSY ? "busy" : code == 0 ? "joined" : "?", result == &gate);
    if (code != 0)
        pthread_join(thread, NULL);
}

static void join_in_time(void)
{
    pthread_t thread;
    void *result = NULL;
    int code;

    pthread_create(&thread, NULL, at_once, &gate);
    code = pthread_timedjoin_np(thread, &result, after(CLOCK_REALTIME, 5));
    put(0, "%s %d", code == ETIMEDOUT ? "late" : code == 0 ? "joined" : "?", result == &gate);
    if (code != 0)
        pthread_join(thread, NULL);
}

static void join_without_a_time(void)
{
    pthread_t thread;
    void *result = NULL;

    pthread_create(&thread, NULL, at_once, &gate);
    put(0, "%d ", pthread_timedjoin_np(thread, &result, NULL));
    put(0, "%d", result == &gate);
}

static void join_what_never_ends(void)
{
    pthread_t thread;
    void *result = NULL;

    pthread_mutex_init(&gate, NULL);
    pthread_mutex_lock(&gate);
    pthread_create(&thread, NULL, wait_at_gate, NULL);
    put(0, "%d", pthread_timedjoin_np(thread, &result, after(CLOCK_REALTIME, 5)) == ETIMEDOUT);
    pthread_mutex_unlock(&gate);
    pthread_join(thread, NULL);
}

TEST(a_thread_is_joined_when_it_has_ended_and_not_before)
{
    EXPECT_CONTAINS(outcomes_in("random", 100, try_to_join), "busy 0 | joined 1 |");
    EXPECT_STR(outcomes_of(join_in_time), "joined 1");
    EXPECT_STR(outcomes_of(join_without_a_time), "0 1");
    EXPECT_STR(outcomes_of(join_what_never_ends), "1");
    EXPECT_EQ(exploration->now / 1000000000, 5);
}
