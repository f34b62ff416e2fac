/* test_handlers.c -- when handlers of signals run that another thread has sent. */
#include <pthread.h>
#include <signal.h>

#include "world.h"

static volatile int handled;

static void note(int number)
{
    CHECK_EQ(number, SIGUSR1);
    handled++;
}

static pthread_t first;

static void *kill_first(void *argument)
{
    CHECK_EQ(pthread_kill(first, SIGUSR1), 0);
    return argument;
}

static void look_and_join(void)
{
    pthread_t thread;

    handled = 0;
    signal(SIGUSR1, note);
    first = pthread_self();
    thread = start(kill_first, NULL);
    sched_yield();
    put(0, "%d", handled);
    join(thread);
    put(1, "%d", handled);
}

/* The thread may stand before an operation when it is sent, or wait for the end of the sender. */
TEST(a_handler_runs_before_whatever_its_thread_does_next)
{
    EXPECT_STR(outcomes_by_chance(look_and_join, 300, 0), "0 1 | 1 1");
}

