/* poll.c -- waiting for one of several files: poll, select, epoll.
 *
 * All three come down to the one wait there is for files.  An epoll instance is a
 * file itself, ready when one of its members is; to ask that takes no event from
 * it, as epoll_wait would. */
#include <errno.h>
#include <sys/epoll.h>
#include <sys/select.h>

#include "control/sched/world.h"
#include "port/trap.h"

RDL__ASKED_FOR(poll);

#define sched (&rdl__sched)

/* What the compiler calls instead, if it knows the size of the buffer. */
_Noreturn void __chk_fail(void);
int __poll_chk(struct pollfd *fds, nfds_t count, int timeout, size_t room);
int __ppoll_chk(struct pollfd *fds, nfds_t count, const struct timespec *timeout,
                const sigset_t *mask, size_t room);

/* ---- What they share ------------------------------------------------------------------ */

/* The end of a wait of so many ms.  Now: do not wait at all. */
static uint64_t deadline_of_ms(int ms)
{
    struct timespec span = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};

    return ms < 0 ? RDL__FOREVER : rdl__deadline_in(&span);
}

/* NULL: for ever. */
static bool deadline_of_span(const struct timespec *span, uint64_t *out)
{
    if (span && !rdl__is_span(span)) {
        errno = EINVAL;
        return false;
    }
    *out = span ? rdl__deadline_in(span) : RDL__FOREVER;
    return true;
}

/* While a call waits, other signals are let through than before. */
static rdl__signals wait_with_mask(struct rdl__thread *self, const sigset_t *mask)
{
    rdl__signals old = 0;

    if (mask) {
        old = rdl__mask_of(self);
        rdl__mask_set(self, rdl__as_bits(mask));
    }
    return old;
}

static void wait_with_mask_no_more(struct rdl__thread *self, const sigset_t *mask, rdl__signals old)
{
    if (mask)
        rdl__mask_set(self, old);
}

static struct rdl__op looking_at(const struct pollfd *fds, nfds_t count, uintptr_t pc)
{
    struct rdl__file file = rdl__any_file();

    if (count == 1 && fds[0].fd >= 0)
        rdl__file_look(fds[0].fd, &file);
    return rdl__file_op(&file, pc);
}

/* Wait for these, until one may be ready.  False: interrupted.  `again`: one was,
 * said the kernel, but not so that it helped; wait until something has happened.
 * `touch`: poll only looks, so two threads that do do not disturb each other. */
static bool wait_for(struct rdl__thread *self, struct pollfd *fds, nfds_t count, uint64_t deadline,
                     enum rdl__touch touch, bool again, uintptr_t pc)
{
    struct rdl__file_wait wait = {.fds = fds, .count = count, .retry = again};
    struct rdl__op op = looking_at(fds, count, pc);

    op.touch = (uint8_t)touch;
    rdl__test_cancel(self);
    if (deadline <= sched->now) {
        if (!rdl__any_is_ready(fds, count)) {
            op.flags = RDL__OP_POLITE;
            rdl__look_outside();
        }
        rdl__point(self, &op);
        if (!rdl__any_is_ready(fds, count))
            return true;
    } else if (rdl__await_files(self, &op, &wait, deadline, false) == RDL__INTERRUPTED) {
        errno = EINTR;
        return false;
    }
    rdl__hb_acquire(self, rdl__any_file().object); /* it learns that something happened */
    return true;
}

/* ---- poll --------------------------------------------------------------------------------- */

int rdl__poll(struct rdl__thread *self, struct pollfd *fds, nfds_t count, uint64_t deadline,
              uintptr_t pc)
{
    if (!wait_for(self, fds, count, deadline, RDL__READS, false, pc))
        return -1;
    return RDL__NEXT(poll)(fds, count, 0);
}

static int poll_masked(struct rdl__thread *self, struct pollfd *fds, nfds_t count,
                       const struct timespec *timeout, const sigset_t *mask, uintptr_t pc)
{
    rdl__signals old;
    uint64_t deadline;
    int result;

    if (!deadline_of_span(timeout, &deadline))
        return -1;
    old = wait_with_mask(self, mask);
    result = rdl__poll(self, fds, count, deadline, pc);
    wait_with_mask_no_more(self, mask, old);
    return result;
}

RDL__INTERPOSE int poll(struct pollfd *fds, nfds_t count, int timeout)
{
    struct rdl__thread *self = rdl__self();

    if (!self)
        return RDL__NEXT(poll)(fds, count, timeout);
    return rdl__poll(self, fds, count, deadline_of_ms(timeout), RDL__CALLER);
}

RDL__INTERPOSE int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout,
                         const sigset_t *mask)
{
    struct rdl__thread *self = rdl__self();
    sigset_t copy;

    if (!self)
        return RDL__NEXT(ppoll)(fds, count, timeout, rdl__trap_spare(mask, &copy));
    return poll_masked(self, fds, count, timeout, mask, RDL__CALLER);
}

RDL__INTERPOSE int __poll_chk(struct pollfd *fds, nfds_t count, int timeout, size_t room)
{
    struct rdl__thread *self = rdl__self();

    if (room / sizeof *fds < count)
        __chk_fail();
    if (!self)
        return RDL__NEXT(poll)(fds, count, timeout);
    return rdl__poll(self, fds, count, deadline_of_ms(timeout), RDL__CALLER);
}

RDL__INTERPOSE int __ppoll_chk(struct pollfd *fds, nfds_t count, const struct timespec *timeout,
                               const sigset_t *mask, size_t room)
{
    struct rdl__thread *self = rdl__self();

    if (room / sizeof *fds < count)
        __chk_fail();
    if (!self)
        return RDL__NEXT(ppoll)(fds, count, timeout, mask);
    return poll_masked(self, fds, count, timeout, mask, RDL__CALLER);
}

/* ---- select ------------------------------------------------------------------------------- */

static bool has(const fd_set *set, int fd)
{
    return set && FD_ISSET(fd, set);
}

static nfds_t as_pollfds(int count, const fd_set *reading, const fd_set *writing,
                         const fd_set *failing, struct pollfd *out)
{
    nfds_t used = 0;

    for (int fd = 0; fd < count; fd++) {
        short events = (short)((has(reading, fd) ? POLLIN : 0) | (has(writing, fd) ? POLLOUT : 0) |
                               (has(failing, fd) ? POLLPRI : 0));

        if (events)
            out[used++] = (struct pollfd){.fd = fd, .events = events};
    }
    return used;
}

/* poll knows of events (a broken pipe) that select does not mention: then it is
 * asked again when something has happened. */
int rdl__select(struct rdl__thread *self, int count, fd_set *reading, fd_set *writing,
                fd_set *failing, uint64_t deadline, uintptr_t pc)
{
    struct pollfd fds[FD_SETSIZE];
    fd_set in, out, bad;
    nfds_t used;
    int result;

    if (count < 0 || count > FD_SETSIZE) {
        errno = EINVAL;
        return -1;
    }
    used = as_pollfds(count, reading, writing, failing, fds);
    for (bool again = false;; again = true) {
        if (!wait_for(self, fds, used, deadline, RDL__READS, again, pc))
            return -1;
        in = reading ? *reading : in;
        out = writing ? *writing : out;
        bad = failing ? *failing : bad;
        result = RDL__NEXT(select)(count, reading ? &in : NULL, writing ? &out : NULL,
                                   failing ? &bad : NULL, &(struct timeval){0});
        if (result != 0 || deadline <= sched->now)
            break;
    }
    if (result < 0)
        return -1;
    if (reading)
        *reading = in;
    if (writing)
        *writing = out;
    if (failing)
        *failing = bad;
    return result;
}

/* The kernel's way: what is left of the time is told. */
RDL__INTERPOSE int select(int count, fd_set *reading, fd_set *writing, fd_set *failing,
                          struct timeval *timeout)
{
    struct rdl__thread *self = rdl__self();
    uint64_t deadline = RDL__FOREVER;
    int result;

    if (!self)
        return RDL__NEXT(select)(count, reading, writing, failing, timeout);
    if (timeout) {
        struct timespec span = {.tv_sec = timeout->tv_sec + timeout->tv_usec / 1000000,
                                .tv_nsec = timeout->tv_usec % 1000000 * 1000};

        if (!deadline_of_span(&span, &deadline))
            return -1;
    }
    result = rdl__select(self, count, reading, writing, failing, deadline, RDL__CALLER);
    if (timeout) {
        struct timespec left = rdl__timespec(deadline > sched->now ? deadline - sched->now : 0);

        *timeout = (struct timeval){.tv_sec = left.tv_sec, .tv_usec = left.tv_nsec / 1000};
    }
    return result;
}

RDL__INTERPOSE int pselect(int count, fd_set *reading, fd_set *writing, fd_set *failing,
                           const struct timespec *timeout, const sigset_t *mask)
{
    struct rdl__thread *self = rdl__self();
    sigset_t copy;
    rdl__signals old;
    uint64_t deadline;
    int result;

    if (!self)
        return RDL__NEXT(pselect)(count, reading, writing, failing, timeout,
                                  rdl__trap_spare(mask, &copy));
    if (!deadline_of_span(timeout, &deadline))
        return -1;
    old = wait_with_mask(self, mask);
    result = rdl__select(self, count, reading, writing, failing, deadline, RDL__CALLER);
    wait_with_mask_no_more(self, mask, old);
    return result;
}

/* ---- epoll -------------------------------------------------------------------------------- */

static int wait_for_events(struct rdl__thread *self, int epoll, struct epoll_event *out, int room,
                           uint64_t deadline, const sigset_t *mask, uintptr_t pc)
{
    struct pollfd one = {.fd = epoll, .events = POLLIN};
    struct rdl__file any = rdl__any_file();
    rdl__signals old = wait_with_mask(self, mask);
    bool again = false;
    int result;

    if (room <= 0)
        deadline = 0;
    do {
        if (!wait_for(self, &one, 1, deadline, RDL__WRITES, again, pc)) {
            result = -1;
            break;
        }
        result = RDL__NEXT(epoll_wait)(epoll, out, room, 0);
        again = true;
    } while (result == 0 && deadline > sched->now);
    wait_with_mask_no_more(self, mask, old);
    if (result > 0)
        rdl__file_changed(self, &any); /* who gets an event takes it from others */
    return result;
}

RDL__INTERPOSE int epoll_wait(int epoll, struct epoll_event *out, int room, int timeout)
{
    struct rdl__thread *self = rdl__self();

    if (!self)
        return RDL__NEXT(epoll_wait)(epoll, out, room, timeout);
    return wait_for_events(self, epoll, out, room, deadline_of_ms(timeout), NULL, RDL__CALLER);
}

RDL__INTERPOSE int epoll_pwait(int epoll, struct epoll_event *out, int room, int timeout,
                               const sigset_t *mask)
{
    struct rdl__thread *self = rdl__self();
    sigset_t copy;

    if (!self)
        return RDL__NEXT(epoll_pwait)(epoll, out, room, timeout, rdl__trap_spare(mask, &copy));
    return wait_for_events(self, epoll, out, room, deadline_of_ms(timeout), mask, RDL__CALLER);
}

RDL__INTERPOSE int epoll_pwait2(int epoll, struct epoll_event *out, int room,
                                const struct timespec *timeout, const sigset_t *mask)
{
    struct rdl__thread *self = rdl__self();
    sigset_t copy;
    uint64_t deadline;

    if (!self)
        return RDL__NEXT(epoll_pwait2)(epoll, out, room, timeout, rdl__trap_spare(mask, &copy));
    if (!deadline_of_span(timeout, &deadline))
        return -1;
    return wait_for_events(self, epoll, out, room, deadline, mask, RDL__CALLER);
}

/* A member that comes, goes or changes may make the whole ready. */
RDL__INTERPOSE int epoll_ctl(int epoll, int operation, int fd, struct epoll_event *event)
{
    struct rdl__thread *self = rdl__self();
    struct rdl__file any = rdl__any_file();
    struct rdl__op op;
    int result;

    if (!self)
        return RDL__NEXT(epoll_ctl)(epoll, operation, fd, event);
    op = rdl__file_op(&any, RDL__CALLER);
    rdl__point(self, &op);
    result = RDL__NEXT(epoll_ctl)(epoll, operation, fd, event);
    rdl__file_changed(self, &any);
    return result;
}
