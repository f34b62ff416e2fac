/* process.c -- copies of this process. */
#include "port/process.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "port/kernel.h"
#include "port/switch.h"

/* Where the C library keeps the number that the kernel has for a thread: somewhere in what the
 * thread pointer leads to.  Functions such as pthread_setschedparam go by it; a copy that had the
 * number of the original would change the original.  NULL: not found. */
static int *number_of_thread(void)
{
    enum { WORDS = 2048 / sizeof(int) };
    int *words = (int *)rdl__thread_pointer();
    int number = (int)rdl__kernel(SYS_gettid, 0, 0, 0, 0, 0, 0);

    for (int i = 0; i < WORDS; i++)
        if (words[i] == number)
            return &words[i];
    return NULL;
}

int rdl__copy_process(void)
{
    int *number = number_of_thread();
    long result = rdl__kernel(SYS_clone, SIGCHLD | (number ? CLONE_CHILD_SETTID : 0), 0, 0,
                              (long)number, 0, 0);

    if (result >= 0)
        return (int)result;
    errno = (int)-result;
    return -1;
}

/* False: which ones there are cannot be known. */
static bool kill_children(void)
{
    char path[64];
    FILE *children;
    int pid;

    snprintf(path, sizeof path, "/proc/self/task/%d/children", getpid());
    children = fopen(path, "re");
    if (!children)
        return false;
    while (fscanf(children, "%d", &pid) == 1)
        kill(pid, SIGKILL);
    fclose(children);
    return true;
}

/* When one has ended, its children are ours. */
void rdl__end_descendants(void)
{
    long got = 1;

    while (kill_children() && (got > 0 || got == -EINTR))
        got = rdl__kernel(SYS_wait4, -1, 0, 0, 0, 0, 0);
}
