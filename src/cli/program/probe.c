/* probe.c -- does a program itself have the threads, or does it start the one that has?
 *
 * A copy of the snapshot runs the program under control, to its end: what it makes in the world
 * it also removes there, so the executions that follow find the world as the first one did.
 * Only a program that executes another one in its own place is ended there, since that
 * one is out of reach; and processes that the program started get a second to end. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/apart.h"
#include "cli/program/follow.h"
#include "control/sched/donor.h"
#include "control/sched/follow.h"
#include "control/sched/next.h"
#include "port/kernel.h"
#include "port/process.h"

enum { OTHERS_NS = 1000000000 }; /* for a program that waits for others: it is followed anyway */

/* What the copy has done; shared with it. */
static struct {
    bool has_threads, starts_others;
} *seen;
static int others; /* an event: it has started some */

static void note_thread(void)
{
    seen->has_threads = true;
}

static void note_others(void)
{
    uint64_t one = 1;

    seen->starts_others = true;
    rdl__kernel(SYS_write, others, (long)&one, sizeof one, 0, 0, 0);
}

/* Nobody follows the copy. */
static void let_go(void)
{
    rdl__follower = NULL;
}

static char **note_execution(const struct rdl__execution_of *what, char *const *environment)
{
    note_others();
    if (!what->in_new_process && !seen->has_threads)
        rdl__kernel(SYS_exit_group, 0, 0, 0, 0, 0, 0);
    return (char **)environment;
}

static void go_on(void)
{
}

static const struct rdl__follower probing = {
    .creates = note_thread,
    .forks = note_others,
    .is_copy = let_go,
    .executes = note_execution,
    .fails = go_on,
};

/* Nothing of what it prints is for the user. */
static void be_silent(void)
{
    int nowhere = memfd_create("raddle", MFD_CLOEXEC);

    if (nowhere < 0)
        return;
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    close(nowhere);
}

static int left_ms(uint64_t deadline)
{
    uint64_t now = rdl__kernel_now_ns();

    return now < deadline ? (int)((deadline - now) / 1000000) + 1 : 0;
}

/* It takes no longer than an execution may; nor, if it starts others, than these are waited for. */
static void await_end(int pid, unsigned timeout_ms)
{
    uint64_t deadline = rdl__kernel_now_ns() + (uint64_t)timeout_ms * 1000000;
    struct pollfd news[2] = {
        {.fd = (int)rdl__kernel(SYS_pidfd_open, pid, 0, 0, 0, 0, 0), .events = POLLIN},
        {.fd = others, .events = POLLIN}};

    while (news[0].fd >= 0 && !(news[0].revents & POLLIN) && left_ms(deadline) > 0) {
        RDL__NEXT(poll)(news, 2, left_ms(deadline));
        if (!(news[1].revents & POLLIN))
            continue;
        news[1].fd = -1; /* known */
        news[1].revents = 0;
        if (!seen->has_threads && deadline > rdl__kernel_now_ns() + OTHERS_NS)
            deadline = rdl__kernel_now_ns() + OTHERS_NS;
    }
    if (news[0].fd >= 0)
        close(news[0].fd);
}

bool rdl__program_probe(void (*run)(void), unsigned timeout_ms)
{
    bool is_other;
    int pid;

    rdl__find_all_next();
    rdl__donors_prepare(0);
    seen = rdl__map(sizeof *seen, MAP_SHARED);
    if (!seen)
        return false;
    others = rdl__kernel_out_of_the_way(eventfd(0, EFD_CLOEXEC));
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    pid = rdl__copy_process();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        be_silent();
        rdl__follower = &probing;
        run();
        abort(); /* it does not return */
    }
    if (pid > 0)
        await_end(pid, timeout_ms);
    rdl__end_descendants();
    prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
    is_other = seen->starts_others && !seen->has_threads;
    munmap(seen, sizeof *seen);
    close(others);
    return is_other;
}
