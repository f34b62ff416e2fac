/* waits.c -- gates, and free threads that wait for other things than gates. */
#include <pthread.h>
#include <raddle.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) static void arrive_late(int *count)
{
    (*count)++;
}

/* What a child does is not known; that it will end is. */
static void wait_for_child(void *count)
{
    pid_t child = fork();

    if (child == 0) {
        usleep(20000);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    arrive_late(count);
}

RDL_SCHEDULE(who_waits_for_a_child_may_still_come, .free_threads = true)
{
    struct rdl_gate *arrival = rdl_gate_at(t, "arrive_late");
    int count = 0;
    struct rdl_thread *parent = rdl_spawn(t, "parent", wait_for_child, &count);

    rdl_check(rdl_gate_is_reached(arrival));
    rdl_gate_open(arrival);
    rdl_join(parent);
}

/* It is when it goes on that it ends, not at the gate. */
static void *arrive_and_pause(void *count)
{
    arrive_late(count);
    pause();
    return NULL;
}

static void cancel_at_a_gate(struct rdl_case *t)
{
    struct rdl_gate *arrival = rdl_gate_at(t, "arrive_late");
    int count = 0;
    pthread_t thread;
    void *result;

    rdl_check_eq(pthread_create(&thread, NULL, arrive_and_pause, &count), 0);
    rdl_gate_reached(arrival);
    rdl_check_eq(pthread_cancel(thread), 0);
    rdl_gate_open(arrival);
    pthread_join(thread, &result);
    rdl_check(result == PTHREAD_CANCELED);
}

RDL_SCHEDULE(who_is_cancelled_at_a_gate_goes_on)
{
    cancel_at_a_gate(t);
}

RDL_SCHEDULE(who_is_cancelled_at_a_gate_goes_on_free, .free_threads = true)
{
    cancel_at_a_gate(t);
}

/* Nobody can stand in for that. */
RDL_SCHEDULE(wrong_blocked_by_number, .free_threads = true)
{
    uint64_t all = UINT64_MAX;
    int count = 0;

    rdl_gate_open_for_all(rdl_gate_at(t, "arrive_late"));
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, NULL, sizeof all);
    arrive_late(&count);
}

/* There is still one schedule, though more is done than is remembered of it. */
RDL_SCHEDULE(a_gate_that_is_passed_often)
{
    enum { MORE_THAN_IS_LOGGED = 70000 };
    int count = 0;

    rdl_gate_open_for_all(rdl_gate_at(t, "arrive_late"));
    for (int i = 0; i < MORE_THAN_IS_LOGGED; i++)
        arrive_late(&count);
    rdl_check_eq(count, MORE_THAN_IS_LOGGED);
}

static void sleep_long(void *it)
{
    (void)it;
    sleep(1000);
}

static void arrive_at_last(void *count)
{
    arrive_late(count);
}

/* Who sleeps is waited for: it takes too long, and somebody stands at a gate meanwhile. */
RDL_SCHEDULE(wrong_sleeps_too_long, .free_threads = true, .timeout_ms = 200)
{
    static int count;
    struct rdl_thread *sleeper, *late;

    rdl_order(t, "[sleeper blocked] -> late:arrive_late");
    sleeper = rdl_spawn(t, "sleeper", sleep_long, NULL);
    late = rdl_spawn(t, "late", arrive_at_last, &count);
    rdl_join(late);
    rdl_join(sleeper);
}
