/* threads.c -- what tests with threads call: raddle/threads.h. */
#include "raddle/threads.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "control/meet.h"
#include "control/sched/inner.h"
#include "control/sched/seen.h"
#include "control/sched/track.h"
#include "port/blocked.h"
#include "raddle/case.h"

struct rdl_thread {
    void (*run)(void *it);
    void *it;
    struct rdl__thread *controlled; /* NULL: a real one */
    pthread_t real;
    bool joined;
    struct rdl__real_thread watched; /* a real one, as the kernel sees it */
};

RDL__ENTRY static void *call_run(void *argument)
{
    struct rdl_thread *thread = argument;

    thread->run(thread->it);
    return NULL;
}

static void *call_run_freely(void *argument)
{
    struct rdl_thread *thread = argument;

    rdl__blocked_begin(&thread->watched);
    thread->run(thread->it);
    rdl__blocked_end(&thread->watched);
    return NULL;
}

struct rdl_thread *rdl_spawn(struct rdl_case *t, const char *name, void (*run)(void *it), void *it)
{
    struct rdl_thread *thread;
    struct rdl__thread *self = rdl__self();
    uintptr_t pc = RDL__CALLER;
    int why;

    if (!run)
        rdl__misuse_by(pc, "rdl_spawn: there is no function for thread %s to run",
                       name ? name : "");
    thread = rdl_alloc(t, sizeof *thread);
    thread->run = run;
    thread->it = it;
    if (self) {
        rdl__track_share(self, (uintptr_t)it);
    } else {
        rdl__meet_spawn(t);
        thread->watched.name = rdl_format(t, "%s", name ? name : "");
        rdl__defer(t, rdl__blocked_forget, &thread->watched);
    }
    if (self)
        why = rdl__thread_new(self, NULL, call_run, thread, name, pc, &thread->controlled);
    else
        why = rdl__blocked_start(&thread->real, &thread->watched, t, call_run_freely, thread);
    if (why)
        rdl__misuse_by(pc, "rdl_spawn: cannot start thread %s: %s", name, strerror(why));
    if (self) {
        rdl__starts_with(thread->controlled, (uintptr_t)run);
        rdl__after(self, pc);
    }
    return thread;
}

/* One that waits for ever is given up: what it waits in is a place where that can be done. */
static void end_servant(void *it)
{
    struct rdl_thread *thread = it;

    pthread_cancel(thread->real);
    pthread_join(thread->real, NULL);
}

void rdl__serve(struct rdl_case *t, const char *name, void (*run)(void *it), void *it)
{
    struct rdl_thread *thread = rdl_spawn(t, name, run, it);

    if (thread->controlled)
        rdl_leave(thread);
    else
        rdl__defer(t, end_servant, thread);
}

void rdl_leave(struct rdl_thread *thread)
{
    struct rdl__thread *controlled = thread->controlled;

    if (!controlled || controlled->state != RDL__ALIVE || controlled->servant)
        return;
    controlled->servant = true;
    rdl__sched.servants++;
}

void rdl_join(struct rdl_thread *thread)
{
    struct rdl__thread *self = rdl__self();
    int why;

    if (!thread && rdl__current)
        rdl__misuse_by(RDL__CALLER, "rdl_join: there is no thread to join: it is NULL");
    if (thread->joined && rdl__current)
        rdl__misuse_by(RDL__CALLER,
                       "rdl_join: the thread has been joined before, which is possible once");
    if (!self && thread->controlled)
        why = 0; /* the execution is over, and so is whatever was left of it */
    else if (self && thread->controlled)
        why = rdl__thread_join(self, thread->controlled, NULL, RDL__FOREVER, RDL__CALLER);
    else
        why = pthread_join(thread->real, NULL);
    thread->joined = why == 0;
    if (why && rdl__current)
        rdl__misuse_by(RDL__CALLER, "rdl_join: %s",
                       why == EDEADLK ? "a thread cannot join itself" : strerror(why));
}

int rdl_until_quiet(struct rdl_case *t)
{
    struct rdl__thread *self = rdl__self();
    int blocked = 0;

    if (!self)
        return rdl__meet_until_quiet(t);
    rdl__await_quiet(self, false, RDL__CALLER);
    for (uint32_t id = 0; id < rdl__sched.view.threads; id++)
        blocked += rdl__sched.threads[id]->state == RDL__ALIVE && rdl__sched.threads[id] != self;
    return blocked;
}

bool rdl_is_blocked(const struct rdl_thread *thread)
{
    const struct rdl__thread *controlled = thread->controlled;

    if (!controlled)
        return rdl__blocked_now(&thread->watched);
    return controlled->state == RDL__ALIVE && !rdl__is_enabled(&rdl__sched.view, controlled->id);
}

void rdl_yield(void)
{
    struct rdl__thread *self = rdl__self();

    if (self)
        rdl__point(self, &(struct rdl__op){
                             .kind = RDL__OP_YIELD, .flags = RDL__OP_POLITE, .pc = RDL__CALLER});
    else
        sched_yield();
}

void rdl__reachable(bool condition, const char *text)
{
    char name[RDL__NAME_ROOM];
    struct rdl_case *t = rdl__current;

    if (!t || !t->counted)
        return;
    snprintf(name, sizeof name, "reachable: %s", text);
    rdl__stats_label(t->stats, name, condition, RDL__ONCE);
}
