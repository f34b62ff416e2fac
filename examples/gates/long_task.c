/* long_task.c -- a task that takes its time, and says when it is done.
 *
 * Nobody knows how long it takes, so a test would sleep for too long, or ask again and again; or
 * it waits at a gate that the task opens where it ends.  And what is seen while the task runs?  It
 * is stopped at each of its lines in turn, to have a look.
 *
 * After figures 5 and 6 of "Interleaving"; the broken task is done before there is a result. */
#include <pthread.h>
#include <raddle.h>
#include <stdatomic.h>
#include <unistd.h>

#ifndef PLANTED
#define PLANTED true
#endif

/* ---- The code under test ------------------------------------------------------------------- */

struct task {
    bool in_a_hurry; /* it says too early that it is done: a mistake */
    atomic_int result;
    atomic_bool is_done;
    pthread_t thread;
};

static void *run_task(void *it)
{
    struct task *task = it;
    int sum = 0;

    for (int i = 1; i <= 4; i++) {
        usleep(100);
        sum += i;
    }
    if (task->in_a_hurry)
        atomic_store(&task->is_done, true);
    atomic_store(&task->result, sum);
    atomic_store(&task->is_done, true);
    return NULL;
}

static void start_task(struct task *task)
{
    pthread_create(&task->thread, NULL, run_task, task);
}

static bool look_at_task(struct task *task, int *out_result)
{
    bool is_done = atomic_load(&task->is_done);

    *out_result = atomic_load(&task->result);
    return is_done;
}

static void end_task(struct task *task)
{
    pthread_join(task->thread, NULL);
}

/* ---- Until it is done ---------------------------------------------------------------------- */

static void wait_for_the_end(struct rdl_case *t)
{
    struct task task = {0};
    struct rdl_gate *end = rdl_gate(t, "end");
    int result;

    rdl_at(t, "run_task:return", .open = end);
    start_task(&task);
    rdl_gate_wait(end);
    rdl_check(look_at_task(&task, &result));
    rdl_check_eq(result, 10);
    end_task(&task);
}

RDL_SCHEDULE(it_is_done_in_the_end)
{
    wait_for_the_end(t);
}

RDL_SCHEDULE(it_is_done_in_the_end_free, .free_threads = true)
{
    wait_for_the_end(t);
}

/* ---- Meanwhile ----------------------------------------------------------------------------- */

static void look_meanwhile(struct rdl_case *t, bool in_a_hurry)
{
    struct task task = {.in_a_hurry = in_a_hurry};
    struct rdl_gate *gate = rdl_gate_at_each_line(t, "run_task", .hits = 1);
    int result;

    start_task(&task);
    if (rdl_gate_is_reached(gate) && look_at_task(&task, &result))
        rdl_check_eq(result, 10);
    rdl_gate_open(gate);
    end_task(&task);
}

RDL_SCHEDULE(done_means_that_there_is_a_result)
{
    look_meanwhile(t, false);
}

RDL_SCHEDULE(done_means_that_there_is_a_result_free, .free_threads = true)
{
    look_meanwhile(t, false);
}

RDL_SCHEDULE(broken_done_means_that_there_is_a_result, .expect_failure = PLANTED)
{
    look_meanwhile(t, true);
}

RDL_SCHEDULE(broken_done_means_that_there_is_a_result_free, .free_threads = true,
             .expect_failure = PLANTED)
{
    look_meanwhile(t, true);
}

RDL_MAIN
