/* sigwait.c -- threads that wait for signals: sigwait and its kin, sigsuspend, pause. */
#include <errno.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "control/sched/state.h"
#include "control/sched/timer.h"
#include "control/sched/world.h"
#include "port/trap.h"

RDL__ASKED_FOR(sigwait);

enum { KEPT_MAX = 64 };

void rdl__signals_drop(rdl__signals set)
{
    siginfo_t kept[KEPT_MAX];
    uint32_t count = 0;
    struct timespec at_once = {0};

    while (count < KEPT_MAX && rdl__kernel(SYS_rt_sigtimedwait, (long)&set, (long)&kept[count],
                                           (long)&at_once, sizeof set, 0, 0) > 0)
        if (kept[count].si_pid != getpid())
            count++;
    while (count-- > 0)
        rdl__kernel(SYS_rt_sigqueueinfo, getpid(), kept[count].si_signo, (long)&kept[count], 0, 0,
                    0);
}

/* The number of the signal; or, with a minus sign, why there is none. */
static int await_one(struct rdl__thread *self, const sigset_t *set, siginfo_t *out,
                     uint64_t deadline, uintptr_t pc)
{
    struct rdl__signal_wait wait = {.thread = self, .set = rdl__as_bits(set)};
    struct rdl__op op = rdl__signal_op(RDL__OP_SIGNAL_WAIT, pc);
    siginfo_t info;
    int signal;

    for (;;) {
        switch (rdl__await_signal(self, &op, &wait, deadline)) {
        case RDL__READY:
            signal = rdl__take_signal(self, wait.set, &info);
            if (signal == 0)
                continue;
            rdl__timer_told(&info);
            if (out)
                *out = info;
            return signal;
        case RDL__TIMED_OUT:
            return -EAGAIN;
        default:
            return -EINTR;
        }
    }
}

RDL__INTERPOSE int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict out,
                                const struct timespec *restrict timeout)
{
    struct rdl__thread *self = rdl__self();

    if (!self)
        return RDL__NEXT(sigtimedwait)(set, out, timeout);
    if (timeout && !rdl__is_span(timeout)) {
        errno = EINVAL;
        return -1;
    }
    return (int)rdl__in_errno(
        await_one(self, set, out, timeout ? rdl__deadline_in(timeout) : RDL__FOREVER, RDL__CALLER));
}

RDL__INTERPOSE int sigwaitinfo(const sigset_t *restrict set, siginfo_t *restrict out)
{
    struct rdl__thread *self = rdl__self();

    if (!self)
        return RDL__NEXT(sigwaitinfo)(set, out);
    return (int)rdl__in_errno(await_one(self, set, out, RDL__FOREVER, RDL__CALLER));
}

/* Other than the rest of the family, it goes on after a handler has run. */
RDL__INTERPOSE int sigwait(const sigset_t *restrict set, int *restrict out)
{
    struct rdl__thread *self = rdl__self();
    uintptr_t pc = RDL__CALLER;
    int signal;

    if (!self)
        return RDL__NEXT(sigwait)(set, out);
    do
        signal = await_one(self, set, NULL, RDL__FOREVER, pc);
    while (signal == -EINTR);
    if (signal < 0)
        return -signal;
    *out = signal;
    return 0;
}

/* Until a handler has run. */
static int await_handler(struct rdl__thread *self, uintptr_t pc)
{
    struct rdl__op op = rdl__signal_op(RDL__OP_SIGNAL_WAIT, pc);

    rdl__test_cancel(self);
    do
        rdl__await_interruptibly(self, &op, rdl__never, NULL, RDL__FOREVER);
    while (rdl__interruption(self) == RDL__NOTHING_RAN);
    errno = EINTR;
    return -1;
}

RDL__INTERPOSE int sigsuspend(const sigset_t *mask)
{
    struct rdl__thread *self = rdl__self();
    rdl__signals old;
    sigset_t copy;

    if (!self)
        return RDL__NEXT(sigsuspend)(rdl__trap_spare(mask, &copy));
    old = rdl__mask_of(self);
    rdl__mask_set(self, rdl__as_bits(mask));
    await_handler(self, RDL__CALLER);
    rdl__mask_set(self, old);
    return -1;
}

/* A signal that has come before is handled before, and may be the one that the thread wants to wait
 * for: then it waits in vain, as it would.  So others may run before the wait begins. */
RDL__INTERPOSE int pause(void)
{
    struct rdl__thread *self = rdl__self();
    uintptr_t pc = RDL__CALLER;

    if (!self)
        return RDL__NEXT(pause)();
    rdl__point(self, &(struct rdl__op){.kind = RDL__OP_STEP, .pc = pc});
    return await_handler(self, pc);
}

RDL__INTERPOSE int sigpending(sigset_t *out)
{
    struct rdl__op op = rdl__signal_op(RDL__OP_IO, RDL__CALLER);
    struct rdl__thread *self = rdl__self();
    rdl__signals set;

    if (!self)
        return RDL__NEXT(sigpending)(out);
    op.touch = RDL__READS;
    rdl__point(self, &op);
    set = rdl__signals_for(self) & rdl__mask_of(self);
    sigemptyset(out);
    memcpy(out, &set, sizeof set);
    return 0;
}

/* ---- Descriptors that stand for signals ----------------------------------------------------- */

bool rdl__signalfd_is_used;

RDL__INTERPOSE int signalfd(int fd, const sigset_t *set, int flags)
{
    struct rdl__thread *self = rdl__self();
    struct rdl__file file;
    struct rdl__op op;

    rdl__signalfd_is_used = true;
    if (self && fd >= 0) { /* others may be reading from it */
        rdl__file_look(fd, &file);
        op = rdl__file_op(&file, RDL__CALLER);
        rdl__point(self, &op);
        rdl__file_changed(self, &file);
    } else {
        rdl__come_as_row("signalfd", (const uint64_t[6]){0}, RDL__CALLER);
    }
    return RDL__NEXT(signalfd)(fd, set, flags);
}
