/* test_handlers.c -- when handlers of signals run that another thread has sent. */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

#include "world.h"

static volatile int handled;
static sem_t sent;

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

static void *await_signal(void *set)
{
    int number;

    sigwait(set, &number);
    put(0, "w");
    return NULL;
}

static void send_to_who_waits(void)
{
    sigset_t set;
    pthread_t thread;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&thread, NULL, await_signal, &set);
    kill(getpid(), SIGUSR1);
    sem_post(&sent); /* both are places to switch */
    put(0, "s");
    pthread_join(thread, NULL);
}

TEST(who_waits_for_a_signal_of_the_process_may_go_as_soon_as_it_is_sent)
{
    EXPECT_STR(outcomes_of(send_to_who_waits), "sw | ws");
}
