/* execution.c -- one execution of a body, from its first thread to the end of its last. */
#include <setjmp.h>
#include <string.h>

#include "control/alike.h"
#include "control/sched/calls.h"
#include "control/sched/debug.h"
#include "control/sched/dispatch.h"
#include "control/sched/donor.h"
#include "control/sched/inner.h"
#include "control/sched/loops.h"
#include "control/sched/seen.h"
#include "control/sched/sleeper.h"
#include "control/sched/state.h"
#include "control/sched/track.h"
#include "port/addresses.h"
#include "port/maps.h"

enum {
    FIRST_SECOND = 1735689600, /* when virtual time begins: 2025-01-01 */
    FAIR_TURNS = 8,            /* before an execution counts as endless, all have had so many, */
    FAIR_LEAST = 1000,         /* none shorter than this */
};

#define sched (&rdl__sched)

static bool is_alone(void *unused)
{
    (void)unused;
    return sched->alive == 1 + sched->servants;
}

static void discard_servants(struct rdl__thread *self)
{
    for (uint32_t id = 1; id < sched->view.threads && sched->servants > 0; id++)
        if (sched->threads[id]->state == RDL__ALIVE && sched->threads[id]->servant)
            rdl__thread_discard(self, sched->threads[id]);
}

/* Thread 0 has done its part.  The others are to come to their end, too. */
static void await_the_others(struct rdl__thread *self)
{
    sched->ending = true;
    if (self->exiting)
        rdl__changed((uintptr_t)self); /* who joins it may go on */
    if (!is_alone(NULL))
        rdl__await(self,
                   &(struct rdl__op){.kind = RDL__OP_JOIN,
                                     .touch = RDL__READS,
                                     .size = 1,
                                     .object = (uintptr_t)&sched->alive},
                   is_alone, NULL, RDL__FOREVER);
    discard_servants(self);
}

static void reset(const struct rdl__execution *execution)
{
    struct rdl__view *view = &sched->view;

    memset(view->enabled, 0, (view->threads + 63) / 64 * sizeof *view->enabled);
    for (uint32_t id = 0; id < view->threads; id++)
        sched->threads[id]->state = RDL__UNUSED;
    view->threads = view->enabled_count = view->running = 0;
    view->points = 0;
    sched->alive = 0;
    sched->t = execution->t;
    sched->strategy = execution->strategy;
    sched->strategy_state = execution->strategy_state;
    sched->summary = execution->summary;
    sched->summary->unseen = rdl__openmp_size > 0;
    sched->forked = execution->forked;
    sched->faults = execution->faults;
    sched->stacks = execution->watched & RDL__WATCH_STACKS;
    sched->ends = execution->watched & RDL__WATCH_ENDS;
    sched->detaches = execution->watched & RDL__WATCH_DETACHED;
    rdl__bound_begin(execution->points_max, execution->patience_ns);
    sched->vain = 0;
    sched->quiet_waiters = sched->servants = sched->unjoined = 0;
    sched->settling = sched->patient = sched->comes_last = false;
    sched->stretch_fair = sched->points_max / FAIR_TURNS + FAIR_LEAST;
    sched->now = FIRST_SECOND * UINT64_C(1000000000);
    sched->deadlines = sched->busy = 0;
    sched->credit = sched->credit_given = 0;
    sched->picked_from = 1;
    sched->eager_sleepers = sched->sleeping_decided = false;
    sched->early_ends = 0;
    sched->ending = sched->failing = sched->masks_differ = false;
    sched->left = NULL;
    sched->leaver = NULL;
}

static void begin(const struct rdl__execution *execution)
{
    struct rdl__thread *first;

    rdl__seen_begin();
    reset(execution);
    first = rdl__slot_new(0);
    first->fs = rdl__thread_pointer();
    first->entry = execution->t->test ? (uintptr_t)execution->t->test->body : 0;
    if (!execution->forked)
        rdl__first_entry = first->entry;
    rdl__own_stack(&first->stack_low, &first->stack_high);
    rdl__names_reset();
    rdl__sleepers_begin();
    rdl__conds_begin();
    rdl__volatile_begin(execution->volatiles);
    rdl__hb_begin(first);
    rdl__signals_begin(first);
    rdl__first_turn();
    rdl__running = first;
    rdl__alike_tell();
    if (execution->forked && rdl__copies_share)
        rdl__limit(RDL__LIMIT_UNLIKE, "they share memory that was mapped before main", "");
    if (rdl__free_threads > 0)
        rdl__limit(RDL__LIMIT_BOUND, "threads that were started before were not controlled", "");
    rdl__dispatch_begin();
}

/* Threads that never came to their end; and the one that failed there, by letting nobody go on. */
static void abandon_threads(void)
{
    struct rdl__thread *self = sched->threads[0], *leaver = sched->leaver;

    sched->failing = false;
    if (leaver && leaver->state != RDL__ALIVE)
        rdl__thread_rewind(self, leaver);
    for (uint32_t id = 1; id < sched->view.threads; id++)
        if (sched->threads[id]->state == RDL__ALIVE && sched->threads[id]->donor)
            rdl__thread_discard(self, sched->threads[id]);
}

/* Threads that have ended, and that nobody has joined: what they were lent is for others now. */
static void bury_threads(void)
{
    for (uint32_t id = 1; id < sched->view.threads; id++)
        if (sched->threads[id]->state == RDL__ENDED)
            rdl__thread_bury(sched->threads[id]);
}

void rdl__execution_prepare(void)
{
    static bool prepared;
    uintptr_t low, high;

    if (prepared)
        return;
    prepared = true;
    rdl__switch_prepare();
    rdl__clocks_prepare();
    rdl__constants_find();
    rdl__states_find();
    rdl__streams_find();
    rdl__dispatch_prepare();
    rdl__own_stack(&low, &high);
    rdl__seen_begin();
    rdl__loops_prepare();
    (void)rdl__addresses_are_fixed(); /* it asks the system, which is an operation later */
}

bool rdl__execution_run(const struct rdl__execution *execution, void (*body)(void *context),
                        void *context)
{
    bool whole = false;

    rdl__execution_prepare();
    if (_setjmp(sched->escape) == 0) {
        begin(execution);
        rdl__with_exit(body, context);
        rdl__catch_up();
        await_the_others(rdl__running);
        whole = true;
    } else {
        whole = sched->alive <= 1;
        abandon_threads();
    }
    bury_threads();
    rdl__running = NULL;
    if (rdl__debugged)
        rdl__debug_note();
    rdl__dispatch_end();
    rdl__signals_end();
    sched->t->leave = NULL;
    return whole;
}

_Noreturn void rdl__execution_leave(struct rdl_case *t)
{
    rdl__catch_up();
    rdl__log_pending();
    if (__builtin_expect(rdl__on_failure != NULL, 0) && !sched->forked &&
        t->outcome->verdict == RDL__FAILED)
        rdl__on_failure(t);
    sched->failing = true; /* that the process ends now is no operation of the thread */
    if (sched->forked)
        sched->leave_process();
    for (uint32_t id = 0; id < sched->view.threads; id++)
        rdl__streams_abandon(sched->threads[id]);
    if (rdl__running != sched->threads[0]) {
        struct rdl__thread *self = rdl__running;

        sched->leaver = self;
        rdl__running = sched->threads[0];
        rdl__switch(&self->stack_pointer, sched->threads[0]->stack_pointer, sched->threads[0]->fs);
        rdl__thread_vanish();
    }
    _longjmp(sched->escape, 1);
}
