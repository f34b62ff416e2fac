/* helper.c -- work that is done in a process made for it. */
#include "port/helper.h"

#include <dlfcn.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/error.h"
#include "port/hook.h"
#include "port/kernel.h"

enum { WORK_MS = 20000 }; /* the longest that it may take */

int *rdl__works_apart;

static void count_work(int more)
{
    if (rdl__works_apart)
        __atomic_add_fetch(rdl__works_apart, more, __ATOMIC_RELEASE);
}

static void await_end(int pid)
{
    struct pollfd end = {.fd = (int)rdl__kernel(SYS_pidfd_open, pid, 0, 0, 0, 0, 0),
                         .events = POLLIN};
    long ready;

    if (end.fd >= 0) {
        while ((ready = rdl__kernel(SYS_poll, (long)&end, 1, WORK_MS, 0, 0, 0)) == -EINTR)
            continue;
        if (ready == 0)
            rdl__kernel(SYS_kill, pid, SIGKILL, 0, 0, 0, 0);
        rdl__kernel_close(end.fd);
    }
    while (rdl__kernel(SYS_wait4, pid, 0, 0, 0, 0, 0) == -EINTR)
        continue;
}

/* The C library's, which takes a copy as it should be taken; ours of the same name would
 * let other threads have a turn first. */
static int copy(void)
{
    pid_t (*fork_of_libc)(void) = (pid_t(*)(void))dlsym(RTLD_NEXT, "fork");

    return fork_of_libc ? fork_of_libc() : fork();
}

static void end_quietly(const char *unused)
{
    (void)unused;
    rdl__kernel(SYS_exit_group, 1, 0, 0, 0, 0, 0);
}

/* What happens to the copy is no news: neither to handlers, of ours or the program's, nor
 * to whoever collects cores. */
static void keep_to_itself(void)
{
    const int fatal[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS};

    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
        signal(fatal[i], SIG_DFL);
    setrlimit(RLIMIT_CORE, &(struct rlimit){.rlim_cur = 1, .rlim_max = 1});
    rdl__on_stop = end_quietly;
}

/* Hooks are not about what the copy does; it might even wait at one. */
bool rdl__work_apart(void (*work)(void *it), void *it)
{
    bool passed_before = rdl__hooks_pass(true);
    int pid;

    count_work(1);
    pid = copy();

    if (pid == 0) {
        keep_to_itself();
        work(it);
        end_quietly(NULL);
    }
    rdl__hooks_pass(passed_before);
    if (pid > 0)
        await_end(pid);
    count_work(-1);
    return pid > 0;
}
