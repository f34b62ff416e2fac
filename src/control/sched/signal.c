/* signal.c -- signals between threads, and from outside; masks.
 *
 * A signal for a thread is kept here until the thread runs and lets it through.  Then it is really
 * sent, to the carrier, which runs as that thread just now: so the kernel calls the handler, on the
 * stack it belongs on, with the right mask.  A signal for the process goes to one of the threads
 * that let it through; POSIX leaves open which, so it is a choice.  If no thread does, the kernel
 * keeps the signal: there sigwait, signalfd and processes to come can find it.
 *
 * Handlers that controlled threads set up are called by way of on_signal.  When a signal comes from
 * outside, in the middle of anything, on_signal takes a note only; the handler runs when a thread
 * comes to its next operation.
 *
 * Invariant: the kernel's mask of the carrier is that of the running thread. */
#include <errno.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "control/sched/dispatch.h"
#include "control/sched/mq_notify.h"
#include "control/sched/seen.h"
#include "control/sched/timer.h"
#include "control/sched/undo.h"
#include "control/sched/world.h"
#include "port/trap.h"

#define sched (&rdl__sched)

enum { QUEUE_MAX = 256, SIGNALS = 65, FIRST_REALTIME = 32 };
#define SIGNALS_AT ((uintptr_t)0xffff800000010000) /* an address that nothing of a program's has */

/* Signals for threads, in the order in which they were sent. */
static struct pending {
    siginfo_t info;
    struct rdl__thread *to;
} queue[QUEUE_MAX];
static uint32_t queued;
static struct sigaction handlers[SIGNALS]; /* as their users gave them */
static bool has_handlers;

/* From outside: written by on_signal, at any time. */
static siginfo_t arrived[SIGNALS];
static volatile sig_atomic_t has_arrived[SIGNALS], any_has_arrived;

static volatile sig_atomic_t being_sent; /* the signal that we send ourselves just now */
static pid_t carrier;                    /* number of its kernel thread */
static rdl__signals mask_before;         /* of the carrier, when the execution began */
static bool mask_is_known;

static rdl__signals bit(int signal)
{
    return UINT64_C(1) << (signal - 1);
}

rdl__signals rdl__as_bits(const sigset_t *set)
{
    rdl__signals bits;

    memcpy(&bits, set, sizeof bits);
    return bits;
}

static rdl__signals kernel_mask(void)
{
    rdl__signals mask = 0;

    rdl__kernel_mask(SIG_BLOCK, NULL, &mask);
    return mask;
}

void rdl__signals_begin(struct rdl__thread *first)
{
    (void)first;
    queued = 0;
    sched->signals_due = any_has_arrived;
    carrier = 0;
    mask_is_known = false;
    rdl__time_begin();
    rdl__timers_begin();
    rdl__files_begin();
    rdl__waits_begin();
    rdl__futexes_begin();
    rdl__streams_begin();
    rdl__fifos_begin();
    rdl__news_forget();
    rdl__links_begin();
}

void rdl__signals_end(void)
{
    if (mask_is_known) {
        rdl__signals_drop(~mask_before);
        rdl__kernel_mask(SIG_SETMASK, &mask_before, NULL);
    }
    mask_is_known = false;
    rdl__news_forget();
}

/* ---- Masks ------------------------------------------------------------------------------ */

static void keep_mask(struct rdl__thread *thread, rdl__signals mask)
{
    sigemptyset(&thread->mask);
    memcpy(&thread->mask, &mask, sizeof mask);
}

/* From now on each has its own; up to now it was the same for all. */
static void let_masks_differ(rdl__signals mask)
{
    if (sched->masks_differ)
        return;
    mask_before = mask;
    mask_is_known = true;
    for (uint32_t id = 0; id < sched->view.threads; id++)
        keep_mask(sched->threads[id], mask);
    sched->masks_differ = true;
}

void rdl__signals_switch(struct rdl__thread *from, struct rdl__thread *to)
{
    rdl__signals mask = rdl__trap_kept(rdl__as_bits(&to->mask)), old = mask;

    rdl__kernel_mask(SIG_SETMASK, &mask, &old);
    keep_mask(from, old);
}

rdl__signals rdl__mask_of(const struct rdl__thread *thread)
{
    return sched->masks_differ && thread != rdl__running ? rdl__as_bits(&thread->mask)
                                                         : kernel_mask();
}

void rdl__mask_set(struct rdl__thread *self, rdl__signals mask)
{
    mask = rdl__trap_kept(mask & ~rdl__never_blocked);
    let_masks_differ(kernel_mask());
    rdl__kernel_mask(SIG_SETMASK, &mask, NULL);
    keep_mask(self, mask);
}

rdl__signals rdl__mask_of_all(void)
{
    rdl__signals mask = kernel_mask();

    for (uint32_t id = 0; sched->masks_differ && id < sched->view.threads; id++)
        if (sched->threads[id]->state == RDL__ALIVE)
            mask &= rdl__mask_of(sched->threads[id]);
    return mask;
}

/* ---- What is done with a signal ----------------------------------------------------------- */

struct disposition { /* as the kernel has it */
    void *handler;
    unsigned long flags;
    void *restorer;
    rdl__signals mask;
};

static struct disposition disposition_of(int signal)
{
    struct disposition it = {0};

    rdl__kernel(SYS_rt_sigaction, signal, 0, (long)&it, sizeof it.mask, 0, 0);
    return it;
}

static bool is_ignored(const struct disposition *it, int signal)
{
    return it->handler == (void *)SIG_IGN ||
           (it->handler == (void *)SIG_DFL &&
            (signal == SIGCHLD || signal == SIGURG || signal == SIGWINCH || signal == SIGCONT));
}

static void know_carrier(void)
{
    if (carrier == 0)
        carrier = (pid_t)rdl__kernel(SYS_gettid, 0, 0, 0, 0, 0, 0);
}

/* The kernel calls the handler before the call below returns. */
static void send_to_carrier(const siginfo_t *info)
{
    let_masks_differ(kernel_mask());
    know_carrier();
    being_sent = info->si_signo;
    rdl__kernel(SYS_rt_tgsigqueueinfo, getpid(), carrier, info->si_signo, (long)info, 0, 0);
    being_sent = 0;
}

/* ---- The queue --------------------------------------------------------------------------- */

static void note_whether_due(void)
{
    sched->signals_due = queued > 0 || any_has_arrived;
}

static siginfo_t take_from_queue(uint32_t at)
{
    siginfo_t info = queue[at].info;

    memmove(&queue[at], &queue[at + 1], (--queued - at) * sizeof *queue);
    note_whether_due();
    return info;
}

/* The first in the queue for this thread that is in the set; QUEUE_MAX: none. */
static uint32_t find_in_queue(const struct rdl__thread *thread, rdl__signals set)
{
    for (uint32_t i = 0; i < queued; i++)
        if (queue[i].to == thread && bit(queue[i].info.si_signo) & set)
            return i;
    return QUEUE_MAX;
}

static int put_into_queue(struct rdl__thread *to, const siginfo_t *info)
{
    int signal = info->si_signo;

    if (signal < FIRST_REALTIME && find_in_queue(to, bit(signal)) < QUEUE_MAX)
        return 0; /* such signals are sent once, however often they are */
    if (queued == QUEUE_MAX)
        return EAGAIN;
    queue[queued++] = (struct pending){.info = *info, .to = to};
    sched->signals_due = true;
    rdl__catch_up();
    if (!(rdl__mask_of(to) & bit(signal))) {
        if (to != rdl__running && !to->ready) /* it runs: a moment later, it might have got on */
            rdl__limit(RDL__LIMIT_BOUND, "signal handlers did not run at every moment", "");
        rdl__wake_for_signal(to);
    }
    rdl__changed(SIGNALS_AT);
    return 0;
}

rdl__signals rdl__signals_for(const struct rdl__thread *self)
{
    rdl__signals set = 0;

    rdl__kernel(SYS_rt_sigpending, (long)&set, sizeof set, 0, 0, 0, 0);
    for (uint32_t i = 0; i < queued; i++)
        if (queue[i].to == self)
            set |= bit(queue[i].info.si_signo);
    return set;
}

int rdl__take_signal(struct rdl__thread *self, rdl__signals set, siginfo_t *out)
{
    uint32_t at = find_in_queue(self, set);
    struct timespec at_once = {0};
    long result;

    rdl__hb_acquire(self, SIGNALS_AT);
    if (at < QUEUE_MAX) {
        *out = take_from_queue(at);
        return out->si_signo;
    }
    result =
        rdl__kernel(SYS_rt_sigtimedwait, (long)&set, (long)out, (long)&at_once, sizeof set, 0, 0);
    return result > 0 ? (int)result : 0;
}

/* ---- Handling --------------------------------------------------------------------------- */

bool rdl__has_interruption(const struct rdl__thread *self)
{
    if (self->cancelled && self->cancel_state == PTHREAD_CANCEL_ENABLE && !self->exiting)
        return true;
    return rdl__has_signal(self);
}

bool rdl__has_signal(const struct rdl__thread *self)
{
    if (__builtin_expect(!sched->signals_due, 1))
        return false;
    if (any_has_arrived)
        rdl__signals_arrived();
    return find_in_queue(self, ~rdl__mask_of(self)) < QUEUE_MAX;
}

static enum rdl__handled handle_all(struct rdl__thread *self)
{
    enum rdl__handled handled = RDL__NOTHING_RAN;
    uint32_t at;

    if (any_has_arrived)
        rdl__signals_arrived();
    while ((at = find_in_queue(self, ~rdl__mask_of(self))) < QUEUE_MAX) {
        siginfo_t info = take_from_queue(at);
        struct disposition it = disposition_of(info.si_signo);

        if (is_ignored(&it, info.si_signo))
            continue;
        if (!(it.flags & SA_RESTART))
            handled = RDL__RAN;
        else if (handled == RDL__NOTHING_RAN)
            handled = RDL__RAN_AND_GOES_ON;
        rdl__hb_acquire(self, SIGNALS_AT);
        send_to_carrier(&info);
    }
    return handled;
}

void rdl__handle_signals(struct rdl__thread *self)
{
    if (sched->signals_due)
        handle_all(self);
}

enum rdl__handled rdl__run_handlers(struct rdl__thread *self)
{
    return sched->signals_due ? handle_all(self) : RDL__NOTHING_RAN;
}

enum rdl__handled rdl__interruption(struct rdl__thread *self)
{
    rdl__test_cancel(self);
    return rdl__run_handlers(self);
}

/* ---- Sending ------------------------------------------------------------------------------ */

siginfo_t rdl__signal_info(int signal, int code)
{
    siginfo_t info = {.si_signo = signal, .si_code = code};

    info.si_pid = getpid();
    info.si_uid = getuid();
    return info;
}

struct rdl__op rdl__signal_op(enum rdl__op_kind kind, uintptr_t pc)
{
    return (struct rdl__op){.kind = (uint8_t)kind,
                            .touch = RDL__WRITES,
                            .size = 1,
                            .object = SIGNALS_AT,
                            .also = rdl__signalfd_is_used ? rdl__any_file().object : 0,
                            .pc = pc};
}

/* Threads that let this signal through. */
static uint32_t listeners(int signal, struct rdl__thread **out)
{
    uint32_t count = 0;

    for (uint32_t id = 0; id < sched->view.threads; id++)
        if (sched->threads[id]->state == RDL__ALIVE &&
            !(rdl__mask_of(sched->threads[id]) & bit(signal)))
            out[count++] = sched->threads[id];
    return count;
}

/* Nobody here has a say in it: it is ignored, the end of the process, or for the
 * kernel to keep. */
static bool is_for_kernel(int signal, bool is_blocked)
{
    struct disposition it = disposition_of(signal);

    return is_blocked || it.handler == (void *)SIG_DFL || it.handler == (void *)SIG_IGN;
}

static int send_to_process(const siginfo_t *info, bool by_choice)
{
    static struct rdl__thread *all[RDL__THREADS_MAX];
    uint32_t count = listeners(info->si_signo, all);

    if (!is_for_kernel(info->si_signo, count == 0))
        return put_into_queue(all[by_choice ? rdl__pick_one(count - 1) : 0], info);
    being_sent = info->si_signo;
    rdl__kernel(SYS_rt_sigqueueinfo, getpid(), info->si_signo, (long)info, 0, 0, 0);
    being_sent = 0;
    rdl__changed(SIGNALS_AT);
    return 0;
}

void rdl__post_signal(struct rdl__thread *to, const siginfo_t *info)
{
    if (!to)
        send_to_process(info, false);
    else if (to->state == RDL__ALIVE)
        put_into_queue(to, info);
}

void rdl__signals_release(struct rdl__thread *self)
{
    rdl__hb_release(self, SIGNALS_AT);
}

bool rdl__timer_signal_waits(int timer)
{
    for (uint32_t i = 0; i < queued; i++)
        if (queue[i].info.si_code == SI_TIMER && queue[i].info.si_timerid == timer)
            return true;
    return false;
}

int rdl__send_signal(struct rdl__thread *self, struct rdl__thread *to, const siginfo_t *info,
                     uintptr_t pc)
{
    struct rdl__op op = rdl__signal_op(RDL__OP_SIGNAL, pc);
    bool is_blocked;
    int why;

    if (info->si_signo < 1 || info->si_signo >= SIGNALS)
        return EINVAL;
    /* A handler runs at the next operation of its thread, whatever that is, and does what it
     * likes. */
    if (to != self && !is_for_kernel(info->si_signo, false))
        op.flags = RDL__OP_BREAKS;
    rdl__point(self, &op);
    rdl__hb_release(self, SIGNALS_AT);
    if (!to) {
        why = send_to_process(info, true);
    } else if (to->state != RDL__ALIVE) {
        return 0;
    } else {
        is_blocked = rdl__mask_of(to) & bit(info->si_signo);
        /* A thread that is alone may look for it with signalfd. */
        if (is_blocked ? to == self && sched->alive == 1 : is_for_kernel(info->si_signo, false)) {
            send_to_carrier(info);
            return 0;
        }
        if (is_blocked && rdl__signalfd_is_used)
            rdl__limit(RDL__LIMIT_BOUND, "descriptors did not show signals for one thread", "");
        why = put_into_queue(to, info);
    }
    rdl__handle_signals(self);
    return why;
}

/* ---- From outside --------------------------------------------------------------------------- */

bool rdl__signals_are_there(void)
{
    return any_has_arrived;
}

bool rdl__has_handlers(void)
{
    return has_handlers;
}

void rdl__signals_arrived(void)
{
    any_has_arrived = 0;
    for (int signal = 1; signal < SIGNALS; signal++)
        if (has_arrived[signal]) {
            siginfo_t info = arrived[signal];

            has_arrived[signal] = 0;
            rdl__post_signal(NULL, &info);
        }
    note_whether_due();
}

/* Is this a good moment?  If we sent it; or if the thread did, by writing to a pipe
 * that nobody reads.  Elsewhere than on the carrier any moment is. */
static bool is_good_moment(int signal)
{
    if ((!rdl__running && !rdl__forking) || rdl__kernel(SYS_gettid, 0, 0, 0, 0, 0, 0) != carrier)
        return true;
    return signal == being_sent || (signal == SIGPIPE && rdl__self());
}

static void on_signal(int signal, siginfo_t *info, void *context)
{
    const struct sigaction *action = &handlers[signal];
    const ucontext_t *interrupted = context;

    if (!is_good_moment(signal)) {
        arrived[signal] = *info;
        has_arrived[signal] = 1;
        any_has_arrived = 1;
        sched->signals_due = true;
        return;
    }
    if (rdl__self()) {
        rdl__timer_told(info);
        being_sent = 0;
        let_masks_differ(rdl__as_bits(&interrupted->uc_sigmask));
        rdl__entering(rdl__running, (uintptr_t)action->sa_sigaction);
    }
    if (action->sa_flags & SA_SIGINFO)
        action->sa_sigaction(signal, info, context);
    else
        action->sa_handler(signal);
}

/* Faults happen to the thread that runs, at once; and a handler that is used only
 * once must not be used up by taking a note. */
static bool goes_through_us(int signal, const struct sigaction *action)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS, SIGABRT};

    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        if (signal == faults[i])
            return false;
    return action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN &&
           !(action->sa_flags & SA_RESETHAND) && signal >= 1 && signal < SIGNALS;
}

static struct sigaction before[SIGNALS], handlers_before[SIGNALS];
static bool was_changed[SIGNALS], any_was_changed;

/* The first change by an execution decides what the next one is to find. */
static void note_change(int signal, const struct sigaction *was, const struct sigaction *handler)
{
    if (!rdl__self() || sched->forked || was_changed[signal] || rdl__trap_begins)
        return;
    was_changed[signal] = any_was_changed = true;
    before[signal] = *was;
    handlers_before[signal] = *handler;
}

void rdl__signals_put_back(void)
{
    if (!any_was_changed)
        return;
    for (int signal = 1; signal < SIGNALS; signal++)
        if (was_changed[signal]) {
            was_changed[signal] = false;
            if (signal == rdl__trap_signal)
                continue;
            handlers[signal] = handlers_before[signal];
            RDL__NEXT(sigaction)(signal, &before[signal], NULL);
        }
    any_was_changed = false;
}

/* The thread is about to look at, or to change, what is done with signals, or its mask. */
static void come_to_signals(bool changes, uint8_t flags, uintptr_t pc)
{
    struct rdl__op op = rdl__signal_op(RDL__OP_SIGNAL, pc);

    op.touch = changes ? RDL__WRITES : RDL__READS;
    op.flags = flags;
    if (rdl__self() && !rdl__is_alone())
        rdl__point(rdl__self(), &op);
}

/* The kernel sends some signals to a thread for what it does, which may be any step of it. */
static uint8_t flags_of(int signal)
{
    return signal == SIGPIPE || signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE ||
                   signal == SIGILL || signal == SIGTRAP || signal == SIGSYS || signal == SIGXFSZ
               ? RDL__OP_BREAKS
               : 0;
}

static int set_action(int signal, const struct sigaction *action, struct sigaction *old)
{
    struct sigaction ours, was, previous = {0};
    bool through_us = action && rdl__self() && goes_through_us(signal, action);
    int result;

    if (signal == rdl__trap_signal && signal != 0) {
        rdl__trap_sigaction(action, old);
        return 0;
    }
    if (signal == SIGSYS && rdl__never_blocked)
        return rdl__dispatch_sigaction(action, old);
    if (signal >= 1 && signal < SIGNALS)
        previous = handlers[signal];
    if (action) {
        ours = *action;
        rdl__trap_keep(&ours.sa_mask);
    }
    if (through_us) {
        know_carrier();
        if (rdl__never_blocked)
            sigdelset(&ours.sa_mask, SIGSYS);
        ours.sa_sigaction = on_signal;
        ours.sa_flags |= SA_SIGINFO;
        handlers[signal] = *action;
        has_handlers = true;
    }
    result = RDL__NEXT(sigaction)(signal, action ? &ours : NULL, &was);
    if (result == 0 && action && signal < SIGNALS)
        note_change(signal, &was, &previous);
    if (result == 0 && old)
        *old = was.sa_sigaction == on_signal ? previous : was;
    return result;
}

RDL__INTERPOSE int sigaction(int signal, const struct sigaction *restrict action,
                             struct sigaction *restrict old)
{
    come_to_signals(action, action ? flags_of(signal) : 0, RDL__CALLER);
    return set_action(signal, action, old);
}

RDL__INTERPOSE sighandler_t signal(int number, sighandler_t handler)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART}, old;

    if (!rdl__self() && (number != rdl__trap_signal || number == 0))
        return RDL__NEXT(signal)(number, handler);
    come_to_signals(true, flags_of(number), RDL__CALLER);
    return set_action(number, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}

/* ---- Interposed: masking --------------------------------------------------------------------- */

/* The program may think that it blocks SIGSYS, which must not be: see dispatch.h.  The same
 * goes for the signal of breakpoints (port/trap.h), though nobody remembers what it thought. */
static sigset_t spare(struct rdl__thread *self, int how, const sigset_t *set)
{
    sigset_t spared = *set;

    if (how != SIG_UNBLOCK)
        rdl__trap_keep(&spared);
    if (!rdl__never_blocked || !self)
        return spared;
    if (how == SIG_SETMASK || sigismember(set, SIGSYS))
        self->blocks_sigsys = how != SIG_UNBLOCK && sigismember(set, SIGSYS);
    sigdelset(&spared, SIGSYS);
    return spared;
}

static int set_mask(int how, const sigset_t *set, sigset_t *old)
{
    struct rdl__thread *self = rdl__self();
    bool blocked_sigsys = self && self->blocks_sigsys;
    sigset_t spared;
    int why;

    if (set) {
        spared = spare(self, how, set);
        set = &spared;
    }
    if (self && set)
        let_masks_differ(kernel_mask());
    why = RDL__NEXT(pthread_sigmask)(how, set, old);
    if (blocked_sigsys && old)
        sigaddset(old, SIGSYS);
    if (self && set) {
        keep_mask(self, kernel_mask());
        rdl__handle_signals(self);
    }
    return why;
}

RDL__INTERPOSE int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    if (set)
        come_to_signals(true, 0, RDL__CALLER);
    return set_mask(how, set, old);
}

RDL__INTERPOSE int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
    if (!rdl__self() && !rdl__trap_wanted)
        return RDL__NEXT(sigprocmask)(how, set, old);
    if (set)
        come_to_signals(true, 0, RDL__CALLER);
    return (int)rdl__in_errno(-set_mask(how, set, old));
}
