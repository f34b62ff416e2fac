/* sched.c -- whose turn it is: the one place where threads are switched.
 *
 * On the tape.  An execution is a sequence of stretches, in each of which one
 * thread runs.  A stretch is two choices: which thread (its number), and how far
 * it gets before another one takes over: 0 means until it has to wait or ends,
 * n > 0 that it is preempted at the n-th point of the stretch, counting only
 * points where another thread could have run.  So the lengths other than 0 are
 * the preemptions, and the simplest tape has none.  The first stretch, of thread
 * 0, is only a length.  When a strategy decides, the length is filled in at the
 * stretch's end; should the process die before, 0 is what it was.  A number that
 * names a thread which cannot run stands for the next one that can. */
#include "control/sched/sched.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "control/sched/debug.h"
#include "control/sched/dispatch.h"
#include "control/sched/donor.h"
#include "control/sched/inner.h"
#include "control/sched/mappings.h"
#include "control/sched/seen.h"
#include "control/sched/sleeper.h"

enum {
    CALLS_FAIR = 256,   /* calls in one turn after which a thread lets others go */
    OFFERS_IN_VAIN = 5, /* who has asked so often for something, in vain, may wait for it; */
    ROUNDS_AT_REST = 4, /* does so, if all have asked as often as this for each of them since */
};

struct rdl__sched rdl__sched;
struct rdl__thread *rdl__running;

#define sched (&rdl__sched)

/* ---- Who could run ---------------------------------------------------------------- */

static void set_enabled(uint32_t id, bool enabled)
{
    struct rdl__view *view = &sched->view;
    uint64_t bit = UINT64_C(1) << (id % 64), *word = &view->enabled[id / 64];

    if (!(*word & bit) == !enabled)
        return;
    rdl__catch_up();
    *word ^= bit;
    view->enabled_count += enabled ? 1 : UINT32_MAX;
    sched->enabled_changed = true;
}

static bool could_run(const struct rdl__thread *thread)
{
    return !thread->ready || thread->woken != RDL__READY || thread->ready(thread->what);
}

void rdl__changed(uintptr_t object)
{
    object = rdl__canonical(object);
    for (uint32_t id = 0; id < sched->view.threads; id++)
        if (sched->awaited[id] == object)
            set_enabled(id, could_run(sched->threads[id]));
}

void rdl__look_again(struct rdl__thread *thread)
{
    set_enabled(thread->id, could_run(thread));
}

uint32_t rdl__waiters(uintptr_t object, enum rdl__op_kind kind, uint32_t *out, uint32_t room)
{
    uint32_t count = 0;

    object = rdl__canonical(object);
    for (uint32_t id = 0; id < sched->view.threads && count < room; id++)
        if (sched->awaited[id] == object && sched->view.ops[id].kind == kind &&
            sched->threads[id] != rdl__running)
            out[count++] = id;
    return count;
}

/* Deadlines that have passed: their threads need not wait any longer. */
void rdl__time_passed(void)
{
    if (sched->deadlines == 0)
        return;
    if (rdl__timer_next <= sched->now)
        rdl__timers_run();
    for (uint32_t id = 0; id < sched->view.threads; id++) {
        struct rdl__thread *thread = sched->threads[id];

        if (thread->state == RDL__ALIVE && thread->deadline <= sched->now &&
            thread->woken == RDL__READY) {
            thread->woken = RDL__TIMED_OUT;
            sched->busy = 0;
            set_enabled(id, true);
        }
    }
}

/* Nobody can run: let time pass until somebody can.  False: that will never be. */
static bool jump_to_deadline(void)
{
    uint64_t next = rdl__timer_next;

    if (sched->deadlines == 0)
        return false;
    for (uint32_t id = 0; id < sched->view.threads; id++)
        if (sched->threads[id]->state == RDL__ALIVE && sched->threads[id]->deadline < next)
            next = sched->threads[id]->deadline;
    if (next == RDL__FOREVER)
        return false;
    if (next > sched->now)
        sched->now = next;
    rdl__time_passed();
    return true;
}

/* While somebody waits for a time, it must come even if others never stop: a thousand operations
 * take no time, the next thousand a microsecond each, those after them two, and so on. */
static void let_time_pass(void)
{
    uint64_t thousands = ++sched->busy / 1024;

    if (thousands == 0)
        return;
    sched->now += UINT64_C(500) << (thousands < 32 ? thousands : 32);
    rdl__time_passed();
}

/* Nobody can run, which is just what somebody waits for. */
static bool end_quiet_wait(void)
{
    if (sched->comes_last && rdl__when_quiet && !rdl__time_will_tell() && rdl__when_quiet())
        return true;
    for (uint32_t id = 0; id < sched->view.threads; id++)
        if (sched->threads[id]->state == RDL__ALIVE && sched->threads[id]->ready &&
            sched->view.ops[id].kind == RDL__OP_QUIET) {
            sched->threads[id]->woken = RDL__TIMED_OUT;
            set_enabled(id, true);
            return true;
        }
    return false;
}

/* ---- Whose turn it is -------------------------------------------------------------- */

/* The operation that is done now. */
static void note_operation(struct rdl__thread *self)
{
    struct rdl__summary *summary = sched->summary;
    const struct rdl__op *op = &sched->view.ops[self->id];

    if (__builtin_expect(self->cancelled, 0))
        rdl__test_async_cancel(self);
    summary->steps++;
    if (sched->deadlines)
        let_time_pass();
    if (op->kind < RDL__OP_READ || op->kind > RDL__OP_ATOMIC)
        rdl__hash_operation(self, op->kind);
    if (__builtin_expect(summary->wants_log, 0))
        rdl__log(self, op);
    sched->picked_from = 1;
    if (__builtin_expect(sched->t->trace->on, 0))
        rdl__trace_operation(self, op);
    if (__builtin_expect(rdl__debugged, 0))
        rdl__debug_follow(self);
    if (__builtin_expect(op->flags & RDL__OP_WORLD, 0))
        rdl__world_meet(self);
    if (rdl__instrumented)
        rdl__credit_give(self);
}

/* Back on a stack: what the thread that was left could not do itself. */
static void arrive(void)
{
    struct rdl__donor *left = sched->left;

    if (__builtin_expect(left != NULL, 0)) {
        sched->left = NULL;
        rdl__donor_put(left);
    }
    if (__builtin_expect(rdl__debugged, 0))
        rdl__debug_arrive();
    if (__builtin_expect(sched->failing, 0))
        _longjmp(sched->escape, 1);
    if (__builtin_expect(sched->discarding != NULL, 0))
        rdl__thread_vanish();
}

static void run_thread(struct rdl__thread *self, struct rdl__thread *next)
{
    void **place = &self->stack_pointer;

    if (next == self)
        return;
    rdl__running = next;
    rdl__hash_operation(next, UINT8_MAX);
    if (__builtin_expect(sched->t->trace->on, 0))
        sched->t->trace->steps.running = next->number;
    if (__builtin_expect(sched->masks_differ, 0))
        rdl__signals_switch(self, next);
    if (__builtin_expect(self->state != RDL__ALIVE, 0)) {
        /* Its stack can be another's, but not before we have left it; and, if it is
         * to be joined, not before that: until then its pthread_t must be unique. */
        sched->left = self->detached ? self->donor : NULL;
        place = &self->donor->place;
    }
    rdl__switch(place, next->stack_pointer, next->fs);
    arrive();
}

/* The end of the running stretch, before the length that the tape gave it. */
static void cut_stretch(void)
{
    if (!sched->by_strategy)
        sched->t->tape->choices[sched->stretch_at].index = 0;
}

/* A choice of ours: what else is on the tape is the test's data. */
static void record(enum rdl__choice_kind kind, uint64_t index, uint64_t max)
{
    sched->summary->choices++;
    rdl__record(sched->t->tape, kind, index, max, 0);
}

static void begin_stretch(void)
{
    struct rdl__tape *tape = sched->t->tape;
    uint64_t length = 0;

    sched->by_strategy = tape->fresh_turns && sched->strategy;
    if (!tape->fresh_turns)
        length = rdl__tape_given(tape, RDL__STRETCH, RDL__STRETCH_MAX, 0);
    sched->stretch = sched->calls = 0;
    sched->stretch_end = length ? length : UINT64_MAX;
    sched->stretch_at = tape->count;
    sched->view.quiet = 0;
    record(RDL__STRETCH, length, RDL__STRETCH_MAX);
    /* A tape has an end.  Before it is reached, preempt nobody any more. */
    sched->calm = rdl__bound_look(tape);
}

/* Which thread the tape names; not `except`, unless there is no other. */
static uint32_t named_by_tape(uint32_t except)
{
    struct rdl__view *view = &sched->view;
    uint32_t id = (uint32_t)rdl__tape_given(sched->t->tape, RDL__SWITCH, view->threads - 1, 0);

    id = rdl__enabled_from(view, id);
    if (id == except)
        id = rdl__enabled_from(view, (id + 1) % view->threads);
    return id;
}

/* The next stretch is that of this thread. */
static void dispatch(struct rdl__thread *self, uint32_t id)
{
    record(RDL__SWITCH, id, sched->view.threads - 1);
    sched->summary->switches++;
    sched->vain = 0;
    begin_stretch();
    run_thread(self, sched->threads[id]);
}

/* Ask the strategy. */
static uint32_t pick(void)
{
    sched->enabled_changed = false;
    sched->picked_from = sched->view.enabled_count;
    sched->view.quiet = 0;
    return sched->strategy->pick(sched->strategy_state, &sched->view);
}

/* The execution may end at any time, by exit() or a crash: the summary is kept up to date. */
static void count_point(void)
{
    sched->summary->points = ++sched->view.points;
}

/* It has asked often enough for it to be known that it waits; who has not? */
static uint32_t least_in_vain(uint32_t id)
{
    for (uint32_t other = 0; other < sched->view.threads; other++)
        if (rdl__is_enabled(&sched->view, other) &&
            sched->threads[other]->offers < sched->threads[id]->offers)
            id = other;
    return id;
}

/* Whoever waits for a time, and then asks again, has done so several times before it is
 * quiet, if that is what is meant by quiet. */
static bool let_sleepers_ask(bool patient)
{
    bool all_have = true;

    for (uint32_t id = 0; patient && id < sched->view.threads; id++)
        if (sched->threads[id]->state == RDL__ALIVE &&
            sched->threads[id]->deadline != RDL__FOREVER &&
            sched->threads[id]->offers < OFFERS_IN_VAIN)
            all_have = false;
    return !all_have && jump_to_deadline();
}

/* What is to happen when all is quiet, whose time has come. */
static bool happens_next(void)
{
    return rdl__when_quiet && (let_sleepers_ask(true) || rdl__when_quiet());
}

/* The thread cannot go on.  Who can? */
static void give_way(struct rdl__thread *self)
{
    struct rdl__view *view = &sched->view;
    uint32_t id;

    cut_stretch();
    if (rdl__spinners)
        rdl__spin_recheck();
    while (view->enabled_count == 0)
        if (!(rdl__outside_is_ready() || (rdl__spinners && rdl__spin_doubt()) ||
              let_sleepers_ask(sched->patient) || end_quiet_wait() || happens_next() ||
              jump_to_deadline() || rdl__await_outside()))
            rdl__nobody_can_run();
    if (view->enabled_count > 1)
        count_point();
    if (!sched->t->tape->fresh_turns)
        id = named_by_tape(RDL__NONE);
    else if (view->enabled_count > 1 && sched->strategy)
        id = pick();
    else
        id = rdl__enabled_from(view, 0);
    if (sched->quiet_waiters > 0 && sched->threads[id]->offers >= OFFERS_IN_VAIN)
        id = least_in_vain(id);
    dispatch(self, id);
}

static bool is_polite(const struct rdl__thread *self)
{
    return sched->view.ops[self->id].flags & RDL__OP_POLITE;
}

/* While all settles: who has not asked yet; or does with a lock in its hands, which it may
 * well give back before it really waits. */
static bool is_to_go_on(const struct rdl__thread *self)
{
    return sched->settling &&
           (!is_polite(self) || (self->hold_count > 0 && sched->stretch < sched->stretch_fair));
}

/* It goes on and on while others could.  Whoever decides cannot mean that: the next in
 * turn goes. */
static uint32_t let_another_go(const struct rdl__thread *self)
{
    struct rdl__tape *tape = sched->t->tape;

    if (sched->by_strategy) {
        tape->choices[sched->stretch_at].index = sched->stretch;
        sched->summary->unasked = true;
    } else if (!tape->fresh_turns) {
        (void)rdl__tape_given(tape, RDL__SWITCH, sched->view.threads - 1, 0);
    }
    return rdl__enabled_from(&sched->view, (self->id + 1) % sched->view.threads);
}

/* The thread can go on, and so can others.  Is it preempted? */
static void may_be_preempted(struct rdl__thread *self)
{
    struct rdl__view *view = &sched->view;
    uint32_t id;

    count_point();
    if (__builtin_expect(view->points > sched->points_max, 0))
        rdl__bound_met();
    if (is_to_go_on(self)) {
        sched->stretch++;
        sched->summary->unasked = true;
        return;
    }
    if (++sched->stretch >= sched->stretch_fair) {
        id = let_another_go(self);
    } else if (sched->by_strategy) {
        if (view->quiet > 0 && !sched->enabled_changed && !is_polite(self)) {
            view->quiet--;
            sched->picked_from = view->enabled_count;
            return;
        }
        if (sched->calm && !is_polite(self)) {
            sched->summary->unasked = true;
            return;
        }
        id = sched->settling ? least_in_vain(self->id) : pick();
        if (id == self->id || sched->stretch > RDL__STRETCH_MAX)
            return;
        sched->t->tape->choices[sched->stretch_at].index = sched->stretch;
    } else {
        if (sched->stretch < sched->stretch_end)
            return;
        id = sched->t->tape->fresh_turns ? rdl__enabled_from(view, (self->id + 1) % view->threads)
                                         : named_by_tape(self->id);
    }
    sched->summary->preemptions++;
    dispatch(self, id);
}

static void turn(struct rdl__thread *self)
{
    if (sched->view.enabled_count <= 1)
        return;
    if (self->no_switch == 0)
        may_be_preempted(self);
    else if (self->aside == 0)
        rdl__not_interrupted(&sched->view.ops[self->id]);
}

/* ---- Points -------------------------------------------------------------------------- */

static bool is_access(const struct rdl__op *op)
{
    return op->kind == RDL__OP_READ || op->kind == RDL__OP_WRITE || op->kind == RDL__OP_ATOMIC;
}

/* No other thread can go, and yet this one offers to wait, again and again: in vain. */
static void ask_in_vain(void)
{
    if (++sched->vain <= rdl__bound_least())
        return;
    if (!rdl__await_children())
        rdl__endless();
    sched->vain = 0;
}

/* Have all who could run asked so often? */
static bool all_have_offered(uint32_t times)
{
    for (uint32_t id = 0; id < sched->view.threads; id++)
        if (rdl__is_enabled(&sched->view, id) && sched->threads[id]->offers < times)
            return false;
    return true;
}

/* Who holds a lock is about to do something. */
static bool somebody_holds(void)
{
    for (uint32_t id = 0; id < sched->view.threads; id++)
        if (rdl__is_enabled(&sched->view, id) && sched->threads[id]->hold_count > 0)
            return true;
    return false;
}

/* Somebody waits until all is quiet; of those who could run, all only ask again whether they
 * can go on: they wait as well, in their way.  To be sure, nobody is interrupted any more
 * until each has asked some more times. */
static void offer(struct rdl__thread *self)
{
    self->offers++;
    if (sched->quiet_waiters == 0 || !all_have_offered(OFFERS_IN_VAIN))
        return;
    for (uint32_t id = 0; !sched->settling && id < sched->view.threads; id++)
        sched->threads[id]->offers = OFFERS_IN_VAIN;
    sched->settling = true;
    if (!all_have_offered(OFFERS_IN_VAIN + ROUNDS_AT_REST * (sched->alive + 1)) || somebody_holds())
        return;
    if (!end_quiet_wait() && rdl__when_quiet)
        rdl__when_quiet();
}

void rdl__got_on(void)
{
    for (uint32_t id = 0; id < sched->view.threads; id++)
        sched->threads[id]->offers = 0;
    sched->settling = false;
}

/* The thread has come to this operation.  If it has done many without anybody else
 * having a turn, it may be asking again and again for something that others would do. */
static void come_to(struct rdl__thread *self, const struct rdl__op *op)
{
    struct rdl__view *view = &sched->view;
    struct rdl__op *now = &view->ops[self->id];

    rdl__catch_up();
    rdl__dispatch_selector = RDL__HAND_OVER;
    view->running = self->id;
    rdl__op_copy_manner(now, op);
    now->object = rdl__canonical(op->object);
    now->pc = op->pc;
    rdl__op_blame(self, now);
    rdl__callers_note(self);
    view->steps[self->id]++;
    if (!is_access(op) && ++sched->calls > CALLS_FAIR)
        view->ops[self->id].flags |= RDL__OP_POLITE;
    sched->summary->polite |= is_polite(self);
    rdl__spin_operation(self, op);
    if (view->enabled_count == 1 && op->flags & RDL__OP_POLITE &&
        (op->kind == RDL__OP_YIELD || op->kind == RDL__OP_TRYLOCK))
        ask_in_vain();
    if (op->kind == RDL__OP_YIELD)
        offer(self);
}

/* A signal has come while others ran: its handler goes first, and then the thread comes to its
 * operation once more.  Who was picked for this is in no log. */
static bool is_struck(const struct rdl__thread *self)
{
    if (__builtin_expect(!rdl__has_signal(self), 1))
        return false;
    sched->summary->unasked = true;
    return true;
}

void rdl__point(struct rdl__thread *self, const struct rdl__op *op)
{
    do {
        if (__builtin_expect(sched->signals_due, 0))
            rdl__handle_signals(self);
        come_to(self, op);
        turn(self);
    } while (__builtin_expect(sched->signals_due, 0) && is_struck(self));
    note_operation(self);
}

/* It has to wait, and others take so long that its time is up. */
static bool gives_up_early(const struct rdl__thread *self, const struct rdl__op *op)
{
    return self->deadline != RDL__FOREVER && op->kind != RDL__OP_SLEEP &&
           sched->faults & RDL__FAULT_TIMEOUT && !self->ready(self->what) &&
           rdl__fault(RDL__FAULT_TIMEOUT);
}

static enum rdl__woken wait_for(struct rdl__thread *self, const struct rdl__op *op,
                                bool (*ready)(void *what), void *what, uint64_t deadline,
                                bool interruptible)
{
    enum rdl__woken woken;
    bool is_ready;

again:
    if (__builtin_expect(sched->signals_due, 0) && !interruptible)
        rdl__handle_signals(self);
    come_to(self, op);
    if (deadline != RDL__FOREVER && !ready(what)) /* asks, and will ask again: as a yield */
        sched->view.ops[self->id].flags |= RDL__OP_POLITE;
    self->ready = ready;
    self->what = what;
    self->deadline = deadline;
    self->interruptible = interruptible;
    self->woken = RDL__READY;
    if (interruptible && rdl__has_interruption(self))
        self->woken = RDL__INTERRUPTED;
    else if (deadline <= sched->now || gives_up_early(self, op) ||
             (op->kind == RDL__OP_SLEEP && deadline <= rdl__timer_next &&
              rdl__sleeps_eagerly(deadline)))
        self->woken = RDL__TIMED_OUT;
    sched->deadlines += deadline != RDL__FOREVER;
    sched->summary->timed |= deadline != RDL__FOREVER;
    sched->awaited[self->id] = rdl__canonical(op->object);
    set_enabled(self->id, could_run(self));
    if (rdl__is_enabled(&sched->view, self->id))
        turn(self);
    else
        give_way(self);
    /* Whoever ran before us saw to it that we are enabled now. */
    if (self->woken == RDL__TIMED_OUT && deadline != RDL__FOREVER && deadline > sched->now) {
        sched->now = deadline;
        rdl__time_passed();
    }
    sched->deadlines -= deadline != RDL__FOREVER;
    sched->awaited[self->id] = 0;
    if (self->woken == RDL__TIMED_OUT && deadline != RDL__FOREVER)
        offer(self);
    is_ready = ready(what);
    woken = is_ready ? RDL__READY : self->woken;
    self->ready = NULL;
    self->deadline = RDL__FOREVER;
    self->woken = RDL__READY;
    if (__builtin_expect(woken == RDL__INTERRUPTED, 0) && !interruptible) {
        sched->summary->unasked = true; /* what was picked is in no log */
        goto again;                     /* a handler runs, and the wait goes on */
    }
    if (__builtin_expect(!is_ready && woken == RDL__READY, 0)) {
        sched->summary->unasked = true; /* it was ready, and nobody told us that it no longer is */
        goto again;
    }
    if (__builtin_expect(sched->signals_due, 0) && woken == RDL__READY && is_struck(self)) {
        rdl__handle_signals(self);
        goto again;
    }
    note_operation(self);
    return woken;
}

enum rdl__woken rdl__await(struct rdl__thread *self, const struct rdl__op *op,
                           bool (*ready)(void *what), void *what, uint64_t deadline)
{
    return wait_for(self, op, ready, what, deadline, false);
}

enum rdl__woken rdl__await_interruptibly(struct rdl__thread *self, const struct rdl__op *op,
                                         bool (*ready)(void *what), void *what, uint64_t deadline)
{
    return wait_for(self, op, ready, what, deadline, true);
}

void rdl__created(struct rdl__thread *self, uintptr_t pc)
{
    come_to(self, &(struct rdl__op){.kind = RDL__OP_CREATE,
                                    .touch = RDL__WRITES, /* of which number and stack is next */
                                    .size = 1,
                                    .object = (uintptr_t)sched->threads,
                                    .pc = pc});
    note_operation(self);
}

void rdl__interrupt(struct rdl__thread *thread)
{
    if (thread->interruptible && thread->ready && thread->woken == RDL__READY) {
        thread->woken = RDL__INTERRUPTED;
        set_enabled(thread->id, true);
    }
}

void rdl__wake_for_signal(struct rdl__thread *thread)
{
    if (thread->ready && thread->woken == RDL__READY) {
        thread->woken = RDL__INTERRUPTED;
        set_enabled(thread->id, true);
    }
}

/* ---- Threads come and go -------------------------------------------------------------- */

/* What a donor does when the carrier comes: one controlled thread, to its end. */
static void live(void *argument)
{
    struct rdl__thread *self = argument;

    arrive();
    sched->view.running = self->id;
    note_operation(self);
    rdl__thread_live(self);
    rdl__thread_gone(self);
}

void rdl__thread_gone(struct rdl__thread *self)
{
    self->state = self->detached ? RDL__UNUSED : RDL__ENDED;
    sched->servants -= self->servant;
    sched->summary->alive = --sched->alive;
    sched->view.running = self->id;
    set_enabled(self->id, false);
    rdl__changed((uintptr_t)self);
    rdl__changed((uintptr_t)&sched->alive);
    give_way(self);
}

void rdl__thread_rewind(struct rdl__thread *self, struct rdl__thread *thread)
{
    sched->discarding = self;
    sched->discarded = thread;
    rdl__running = NULL;
    if (thread->stack_pointer != thread->donor->place) /* else it has not begun yet */
        rdl__switch(&self->stack_pointer, thread->stack_pointer, thread->fs);
    sched->discarding = NULL;
    rdl__running = self;
    rdl__thread_bury(thread);
}

void rdl__thread_discard(struct rdl__thread *self, struct rdl__thread *thread)
{
    rdl__catch_up();
    rdl__streams_abandon(thread);
    rdl__thread_rewind(self, thread);
    set_enabled(thread->id, false);
    sched->servants -= thread->servant;
    sched->summary->alive = --sched->alive;
}

void rdl__thread_begin(struct rdl__thread *thread, struct rdl__donor *donor, uintptr_t pc)
{
    thread->donor = donor;
    thread->fs = donor->fs;
    thread->stack_low = donor->stack_low;
    thread->stack_high = donor->stack_high;
    thread->stack_pointer = donor->place;
    donor->run = live;
    donor->argument = thread;
    sched->view.ops[thread->id] = (struct rdl__op){.kind = RDL__OP_START, .pc = pc};
    sched->view.steps[thread->id] = 1;
    set_enabled(thread->id, true);
}

/* ---- The first thread ------------------------------------------------------------------ */

void rdl__first_turn(void)
{
    set_enabled(0, true);
    begin_stretch();
}
