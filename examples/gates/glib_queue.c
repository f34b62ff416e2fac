/* glib_queue.c -- gates inside a library that nobody here wrote, nor compiled: GLib, as it comes
 * with the system, without debugging information.  Its functions are found by their names.
 *
 * Workers take jobs from a GAsyncQueue.  The broken ones first ask how many there are, and then
 * rely on it; the gate is where GLib's g_async_queue_try_pop begins. */
#include <glib.h>
#include <raddle.h>

#ifndef PLANTED
#define PLANTED true
#endif

/* ---- The code under test ------------------------------------------------------------------- */

struct work {
    GAsyncQueue *jobs;
    bool asks_first; /* whether there is a job, and then believes that there is: a mistake */
    gint sum;        /* of all jobs */
    gint missing;    /* how often there was none */
};

static void work(void *it)
{
    struct work *w = it;
    int *job;

    if (w->asks_first && g_async_queue_length(w->jobs) <= 0)
        return;
    job = g_async_queue_try_pop(w->jobs);
    if (job)
        g_atomic_int_add(&w->sum, *job);
    else if (w->asks_first)
        g_atomic_int_inc(&w->missing); /* would be the end of a worker that does not look */
}

/* ---- A job that somebody else has taken ---------------------------------------------------- */

static void hold_in_glib(struct rdl_case *t, bool asks_first)
{
    int job = 7;
    struct work w = {.jobs = g_async_queue_new(), .asks_first = asks_first};
    struct rdl_gate *gate;
    struct rdl_thread *one, *two;

    gate = rdl_gate_at(t, "libglib-2.0.so.0!g_async_queue_try_pop", .thread = "one");
    g_async_queue_push(w.jobs, &job);
    one = rdl_spawn(t, "one", work, &w);
    rdl_gate_reached(gate);
    two = rdl_spawn(t, "two", work, &w);
    rdl_join(two);
    rdl_gate_open(gate);
    rdl_join(one);
    g_async_queue_unref(w.jobs);
    rdl_check_eq(w.sum, 7);
    rdl_check_eq(w.missing, 0);
}

/* ---- Who waits in GLib --------------------------------------------------------------------- */

static void pop(void *it)
{
    struct work *w = it;

    w->sum = *(int *)g_async_queue_pop(w->jobs);
}

/* A job comes when somebody is just about to wait for one, deep in the library. */
static void push_just_before_the_wait(struct rdl_case *t)
{
    int job = 7;
    struct work w = {.jobs = g_async_queue_new()};
    struct rdl_gate *waits = rdl_gate(t, "waits");
    struct rdl_thread *worker;

    rdl_at(t, "libglib-2.0.so.0!g_cond_wait", .thread = "worker", .open = waits);
    worker = rdl_spawn(t, "worker", pop, &w);
    rdl_gate_wait(waits);
    g_async_queue_push(w.jobs, &job);
    rdl_join(worker);
    g_async_queue_unref(w.jobs);
    rdl_check_eq(w.sum, 7);
}

RDL_SCHEDULE(a_job_is_taken_by_another)
{
    hold_in_glib(t, false);
}

RDL_SCHEDULE(a_job_is_taken_by_another_free, .free_threads = true)
{
    hold_in_glib(t, false);
}

RDL_SCHEDULE(broken_a_job_is_taken_by_another, .expect_failure = PLANTED)
{
    hold_in_glib(t, true);
}

RDL_SCHEDULE(broken_a_job_is_taken_by_another_free, .free_threads = true, .expect_failure = PLANTED)
{
    hold_in_glib(t, true);
}

RDL_SCHEDULE(a_job_comes_just_before_the_wait)
{
    push_just_before_the_wait(t);
}

RDL_SCHEDULE(a_job_comes_just_before_the_wait_free, .free_threads = true)
{
    push_just_before_the_wait(t);
}

RDL_MAIN
