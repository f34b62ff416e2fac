/* wait.c -- waiting for what comes from outside: files, children, signals.
 *
 * A thread that waits for one of these is ready when the kernel says so, which is
 * asked without waiting.  Threads of the process tell us when they have changed a
 * file; what other processes do is seen by asking again: when a thread offers its
 * turn, and before time jumps.
 *
 * When nobody can run, and time does not help, the carrier itself waits in the
 * kernel for all that anybody awaits.  There is no limit to that: the runner has
 * one.  But where it is certain that nothing will come (see file.c for files; a
 * signal comes only from children, or a timer) we say so at once, and it is a
 * deadlock.
 *
 * Virtual time and other processes do not go together: what takes the child of a
 * test a millisecond may be an hour of ours.  So as long as there are children, or
 * others are given a time to answer in, a jump of time takes as long as it would,
 * within limits.
 *
 * A thread that sleeps again and again would make time run away from others, who have no
 * chance to answer one that waits for them.  So we wait for a while before the 8th jump of
 * time since something came from outside, the 16th, the 32nd and so on: it is always the same
 * jump before which an answer comes that does not take longer.  If nothing ever comes,
 * executions to come need not wait. */
#include <errno.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include "control/sched/donor.h"
#include "control/sched/world.h"

#define sched (&rdl__sched)

enum {
    FDS_MAX = 4096,
    FDS_COPIED = 64,
    SLICE_MIN = 50 * 1000, /* ns */
    SLICE_MAX = 5 * 1000 * 1000,
    PACE_MAX = 1000 * 1000 * 1000, /* ns that a jump of time takes at most */
};
/* Of jumps since something came from outside, this one waits so long, and so do all whose number is
 * it times a power of 2. */
enum { CHANCE_FIRST = 8, CHANCE_NS = 500 * 1000 * 1000, CHANCES_IN_VAIN = 4 };
#define PACE_BUDGET (UINT64_C(5) * 1000 * 1000 * 1000) /* and all of an execution */

static uint32_t waiters; /* threads that await something from outside */
static uint64_t paced;   /* ns of real time that jumps have taken */
static uint64_t slice;   /* ns to wait before asking again; longer and longer */
static uint64_t jumps;   /* of time, since something came from outside */

void rdl__waits_begin(void)
{
    waiters = 0;
    paced = jumps = 0;
    slice = SLICE_MIN;
}

/* ---- What is awaited ------------------------------------------------------------------ */

/* `revents` are the caller's business until the call is done: look at a copy. */
bool rdl__any_is_ready(const struct pollfd *fds, nfds_t count)
{
    struct pollfd copy[FDS_COPIED];

    for (nfds_t from = 0; from < count; from += FDS_COPIED) {
        nfds_t here = count - from < FDS_COPIED ? count - from : FDS_COPIED;

        for (nfds_t i = 0; i < here; i++)
            copy[i] = fds[from + i];
        if (rdl__kernel_poll(copy, here) > 0)
            return true;
    }
    return false;
}

/* What was ready is, as long as nobody has done anything. */
static bool files_are_ready(void *what)
{
    struct rdl__file_wait *wait = what;
    uint64_t moment = sched->summary->steps + 1;

    if (wait->retry)
        return wait->changes != rdl__file_changes;
    if (wait->ready_at != moment && rdl__any_is_ready(wait->fds, wait->count))
        wait->ready_at = moment;
    return wait->ready_at == moment;
}

/* No child at all is an answer, too. */
bool rdl__child_is_ready(void *what)
{
    const struct rdl__child_wait *wait = what;
    siginfo_t info = {.si_pid = 0};
    long result = rdl__kernel(SYS_waitid, wait->kind, wait->id, (long)&info,
                              wait->options | WNOHANG | WNOWAIT, 0, 0);

    return result < 0 || info.si_pid != 0;
}

static bool signal_is_ready(void *what)
{
    const struct rdl__signal_wait *wait = what;

    return rdl__signals_for(wait->thread) & wait->set;
}

bool rdl__has_children(void)
{
    siginfo_t info;

    return rdl__has_forked() &&
           rdl__kernel(SYS_waitid, P_ALL, 0, (long)&info, WEXITED | WNOHANG | WNOWAIT, 0, 0) == 0;
}

/* ---- Waiting ---------------------------------------------------------------------------- */

static enum rdl__woken await(struct rdl__thread *self, const struct rdl__op *op,
                             bool (*ready)(void *what), void *what, uint64_t deadline,
                             bool restarts)
{
    enum rdl__woken woken;

    for (;;) {
        enum rdl__handled handled;

        rdl__test_cancel(self);
        waiters++;
        woken = rdl__await_interruptibly(self, op, ready, what, deadline);
        waiters--;
        if (woken != RDL__INTERRUPTED)
            return woken;
        handled = rdl__interruption(self);
        if (handled == RDL__RAN || (handled == RDL__RAN_AND_GOES_ON && !restarts))
            return RDL__INTERRUPTED;
    }
}

enum rdl__woken rdl__await_files(struct rdl__thread *self, const struct rdl__op *op,
                                 struct rdl__file_wait *wait, uint64_t deadline, bool restarts)
{
    wait->changes = rdl__file_changes;
    return await(self, op, files_are_ready, wait, deadline, restarts);
}

enum rdl__woken rdl__await_child(struct rdl__thread *self, const struct rdl__op *op,
                                 struct rdl__child_wait *wait)
{
    return await(self, op, rdl__child_is_ready, wait, RDL__FOREVER, true);
}

enum rdl__woken rdl__await_signal(struct rdl__thread *self, const struct rdl__op *op,
                                  struct rdl__signal_wait *wait, uint64_t deadline)
{
    return await(self, op, signal_is_ready, wait, deadline, false);
}

/* ---- The carrier waits ------------------------------------------------------------------- */

static const struct rdl__file_wait *file_wait_of(const struct rdl__thread *thread)
{
    return thread->state == RDL__ALIVE && thread->ready == files_are_ready ? thread->what : NULL;
}

static const struct rdl__signal_wait *signal_wait_of(const struct rdl__thread *thread)
{
    return thread->state == RDL__ALIVE && thread->ready == signal_is_ready ? thread->what : NULL;
}

static bool awaits_child(const struct rdl__thread *thread)
{
    return thread->state == RDL__ALIVE && thread->ready == rdl__child_is_ready;
}

/* Another process may write to memory that is shared with it. */
static bool awaits_memory(const struct rdl__thread *thread)
{
    return rdl__futex_is_outside(thread) || rdl__semaphore_is_outside(thread);
}

static bool is_outside(const struct rdl__thread *thread)
{
    return file_wait_of(thread) || signal_wait_of(thread) || awaits_child(thread) ||
           awaits_memory(thread);
}

/* Has it to be asked again and again, since the kernel cannot wait for it? */
static bool needs_asking(const struct rdl__thread *thread)
{
    const struct rdl__file_wait *files = file_wait_of(thread);

    return awaits_child(thread) || (files && files->retry) || awaits_memory(thread);
}

static void look_at_all(void)
{
    if (waiters > 0 || rdl__has_forked())
        for (uint32_t id = 0; id < sched->view.threads; id++)
            if (is_outside(sched->threads[id]))
                rdl__look_again(sched->threads[id]);
}

void rdl__look_outside(void)
{
    if (rdl__signals_are_there())
        rdl__signals_arrived();
    look_at_all();
}

/* Something that tells of these signals; -1: nobody awaits any. */
static int signals_as_file(void)
{
    rdl__signals set = 0;

    for (uint32_t id = 0; id < sched->view.threads; id++) {
        const struct rdl__signal_wait *wait = signal_wait_of(sched->threads[id]);

        set |= wait ? wait->set : 0;
    }
    if (set == 0)
        return -1;
    return (int)rdl__kernel(SYS_signalfd4, -1, (long)&set, sizeof set, SFD_CLOEXEC, 0, 0);
}

static nfds_t all_files(struct pollfd *out, bool *out_needs_asking)
{
    nfds_t count = 0;

    *out_needs_asking = false;
    for (uint32_t id = 0; id < sched->view.threads; id++) {
        const struct rdl__file_wait *wait = file_wait_of(sched->threads[id]);

        *out_needs_asking |= needs_asking(sched->threads[id]);
        for (nfds_t i = 0; wait && !wait->retry && i < wait->count && count < FDS_MAX; i++)
            out[count++] = wait->fds[i];
    }
    return count;
}

/* Signals come in while we wait, whoever lets them through. */
static void poll_with_signals(struct pollfd *fds, nfds_t count, uint64_t ns)
{
    const rdl__signals all = ~UINT64_C(0);
    struct timespec timeout = rdl__timespec(ns);
    rdl__signals while_waiting = rdl__mask_of_all(), old;

    rdl__kernel_mask(SIG_SETMASK, &all, &old);
    if (!rdl__signals_are_there())
        rdl__kernel(SYS_ppoll, (long)fds, (long)count, ns == RDL__FOREVER ? 0 : (long)&timeout,
                    (long)&while_waiting, sizeof while_waiting, 0);
    rdl__kernel_mask(SIG_SETMASK, &old, NULL);
}

/* Really wait until something may have become ready, at most this long. */
static void wait_in_kernel(uint64_t ns)
{
    static struct pollfd fds[FDS_MAX + 1];
    bool needs_slices;
    nfds_t count = all_files(fds, &needs_slices);
    int signals = signals_as_file();

    if (signals >= 0)
        fds[count++] = (struct pollfd){.fd = signals, .events = POLLIN};
    if (needs_slices && slice < ns)
        ns = slice;
    poll_with_signals(fds, count, ns);
    if (signals >= 0)
        rdl__kernel_close(signals);
}

/* Until something is ready, at most this long. */
static bool wait_for_anything(uint64_t ns)
{
    uint64_t start = rdl__kernel_now_ns();

    for (;;) {
        uint64_t gone = rdl__kernel_now_ns() - start;

        rdl__look_outside();
        if (sched->view.enabled_count > 0)
            return true;
        if (gone >= ns)
            return false;
        wait_in_kernel(ns == RDL__FOREVER ? ns : ns - gone);
        rdl__file_changes++; /* for those who can only try again */
        if (slice < SLICE_MAX)
            slice *= 2;
    }
}

/* ---- What to tell people ------------------------------------------------------------------ */

static void describe_file(const struct pollfd *one, char *out, size_t room)
{
    static const char *const kinds[] = {[RDL__NO_FILE] = "closed file",
                                        [RDL__PLAIN_FILE] = "file",
                                        [RDL__PIPE] = "pipe",
                                        [RDL__SOCKET] = "socket",
                                        [RDL__OTHER_FILE] = "file"};
    struct rdl__file file;

    rdl__file_look(one->fd, &file);
    snprintf(out, room, "%s %s (descriptor %d)", one->events & POLLOUT ? "room in" : "input from",
             file.kind == RDL__PIPE ? rdl__object_name(file.object, "pipe") : kinds[file.kind],
             one->fd);
}

void rdl__describe_wait(const struct rdl__thread *thread, char *out, size_t room)
{
    const struct rdl__file_wait *files = file_wait_of(thread);

    if (awaits_child(thread))
        snprintf(out, room, "a child process");
    else if (files && files->lock)
        snprintf(out, room, "a lock on a file (descriptor %d)", files->fds[0].fd);
    else if (files && files->count == 1)
        describe_file(files->fds, out, room);
    else if (files && files->count > 1)
        snprintf(out, room, "any of %d files", (int)files->count);
    else
        snprintf(out, room, "a file");
}

/* ---- For the scheduler -------------------------------------------------------------------- */

bool rdl__has_strangers(void)
{
    struct stat status;

    return rdl__kernel(SYS_stat, (long)"/proc/self/task", (long)&status, 0, 0, 0, 0) == 0 &&
           status.st_nlink > 2 + 1 + rdl__donor_count; /* each of them is a folder */
}

/* Somebody is there who could send one. */
static bool signals_may_come(void)
{
    return rdl__has_real_timers() || rdl__has_children() || rdl__has_strangers();
}

static bool is_hopeful(const struct rdl__thread *thread)
{
    const struct rdl__file_wait *files = file_wait_of(thread);

    if (signal_wait_of(thread))
        return signals_may_come();
    if (!files)
        return is_outside(thread);
    if (rdl__has_strangers())
        return true;
    if (files->lock)
        return !rdl__lock_is_hopeless(files->fds[0].fd);
    for (nfds_t i = 0; i < files->count; i++)
        if (!rdl__file_is_hopeless(files->fds[i].fd))
            return true;
    return files->retry && files->count == 0; /* something that has only a name */
}

static uint64_t next_deadline(void)
{
    uint64_t next = rdl__timer_next;

    for (uint32_t id = 0; id < sched->view.threads; id++)
        if (sched->threads[id]->state == RDL__ALIVE && sched->threads[id]->deadline < next)
            next = sched->threads[id]->deadline;
    return next;
}

/* Is time a matter between us and others?  If there are children; or if somebody has
 * given them until then to answer. */
static bool is_real_time(uint64_t deadline)
{
    if (rdl__has_children())
        return true;
    for (uint32_t id = 0; id < sched->view.threads; id++)
        if (sched->threads[id]->deadline == deadline && file_wait_of(sched->threads[id]) &&
            is_hopeful(sched->threads[id]))
            return true;
    return false;
}

/* Time is about to jump; others go on in real time. */
static bool keep_pace(void)
{
    uint64_t next = next_deadline(), start, ns;
    bool ready;

    if (next == RDL__FOREVER || next <= sched->now || paced >= PACE_BUDGET || !is_real_time(next))
        return false;
    ns = next - sched->now < PACE_MAX ? next - sched->now : PACE_MAX;
    start = rdl__kernel_now_ns();
    ready = wait_for_anything(ns);
    paced += rdl__kernel_now_ns() - start;
    return ready;
}

bool rdl__outside_is_awaited(void)
{
    for (uint32_t id = 0; waiters > 0 && id < sched->view.threads; id++)
        if (file_wait_of(sched->threads[id]) && is_hopeful(sched->threads[id]))
            return true;
    return false;
}

bool rdl__others_may_act(void)
{
    return rdl__has_forked() || signals_may_come() || rdl__outside_is_awaited();
}

/* Time is about to jump.  Has it done so often that others are to get a chance? */
static bool give_a_chance(void)
{
    if (next_deadline() == RDL__FOREVER || ++jumps < CHANCE_FIRST || (jumps & (jumps - 1)) != 0 ||
        sched->summary->chances_in_vain >= CHANCES_IN_VAIN || !rdl__outside_is_awaited())
        return false;
    rdl__limit(RDL__LIMIT_BOUND, "input from other processes came when it came", "");
    if (wait_for_anything(CHANCE_NS)) {
        jumps = 0;
        sched->summary->chances_in_vain = 0;
        return true;
    }
    sched->summary->chances_in_vain++;
    return false;
}

bool rdl__outside_is_ready(void)
{
    rdl__timers_look();
    rdl__look_outside();
    return sched->view.enabled_count > 0 || keep_pace() || give_a_chance();
}

bool rdl__await_outside(void)
{
    bool hopeful = rdl__has_handlers() && signals_may_come();

    for (uint32_t id = 0; id < sched->view.threads && !hopeful; id++)
        hopeful = is_hopeful(sched->threads[id]);
    if (hopeful)
        rdl__limit(RDL__LIMIT_BOUND, "input from other processes came when it came", "");
    return hopeful && wait_for_anything(RDL__FOREVER);
}

/* However busy the machine is, a process that the program has started gets to answer. */
bool rdl__await_children(void)
{
    uint32_t before = sched->view.enabled_count;
    bool hopeful = false;

    for (uint32_t id = 0; rdl__has_children() && id < sched->view.threads && !hopeful; id++)
        hopeful = is_outside(sched->threads[id]) && is_hopeful(sched->threads[id]);
    if (!hopeful)
        return false;
    rdl__limit(RDL__LIMIT_BOUND, "input from other processes came when it came", "");
    for (;;) {
        rdl__look_outside();
        if (sched->view.enabled_count > before)
            return true;
        wait_in_kernel(RDL__FOREVER);
        rdl__file_changes++;
        if (slice < SLICE_MAX)
            slice *= 2;
    }
}
