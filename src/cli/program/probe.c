/* probe.c -- does a program itself have the threads, or does it start the one that has?
 *
 * A copy of the snapshot runs the program under control, and ends as soon as that is known.  So
 * a program that creates threads, which is most of them, does here what it does before that, and
 * no more. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/program/follow.h"
#include "control/sched/donor.h"
#include "control/sched/follow.h"
#include "control/sched/next.h"
#include "port/kernel.h"
#include "port/process.h"

enum { HAS_THREADS = 218, STARTS_OTHERS = 219 }; /* exit statuses */

static void end_with_threads(void)
{
    rdl__kernel(SYS_exit_group, HAS_THREADS, 0, 0, 0, 0, 0);
}

static void end_with_others(void)
{
    rdl__kernel(SYS_exit_group, STARTS_OTHERS, 0, 0, 0, 0, 0);
}

static char **end_at_execution(const struct rdl__execution_of *what, char *const *environment)
{
    (void)what;
    end_with_others();
    return (char **)environment;
}

static const struct rdl__follower probing = {
    .creates = end_with_threads,
    .forks = end_with_others,
    .is_copy = end_with_others,
    .executes = end_at_execution,
    .fails = end_with_others,
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

/* It takes no longer than an execution may. */
static void await_end(int pid, unsigned timeout_ms)
{
    struct pollfd end = {.fd = (int)rdl__kernel(SYS_pidfd_open, pid, 0, 0, 0, 0, 0),
                         .events = POLLIN};

    if (end.fd < 0)
        return;
    while (RDL__NEXT(poll)(&end, 1, (int)timeout_ms) < 0 && errno == EINTR)
        continue;
    if (!(end.revents & POLLIN))
        kill(pid, SIGKILL);
    close(end.fd);
}

bool rdl__program_probe(void (*run)(void), unsigned timeout_ms)
{
    int pid, status = 0;

    rdl__find_all_next();
    rdl__donors_prepare(0);
    pid = rdl__copy_process();
    if (pid < 0)
        return false;
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        be_silent();
        rdl__follower = &probing;
        run();
        abort(); /* it does not return */
    }
    await_end(pid, timeout_ms);
    while (RDL__NEXT(waitpid)(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    return WIFEXITED(status) && WEXITSTATUS(status) == STARTS_OTHERS;
}
