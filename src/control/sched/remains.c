/* remains.c -- descriptors, mappings and processes that executions leave to each other. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "control/sched/donor.h"
#include "control/sched/left.h"
#include "control/sched/sched.h"
#include "control/sched/seen.h"
#include "port/dirty.h"
#include "port/kernel.h"

enum { PROCESSES_MAX = 16, FD_FLOOR = 500 };

const char *rdl__remains_words;
static int free_descriptor; /* the lowest, before the first execution */
static intptr_t mapped;     /* bytes, by the last execution */
static pid_t processes[PROCESSES_MAX];
static uint32_t process_count;
static uint64_t executions;

/* ---- What is noted -------------------------------------------------------------------------- */

static bool is_noted(void)
{
    return rdl__self() && !rdl__sched.forked;
}

void rdl__remains_mapped(intptr_t bytes, uintptr_t pc)
{
    if (is_noted() && !rdl__is_own(pc))
        mapped += bytes;
}

void rdl__remains_forked(pid_t process)
{
    if (is_noted() && process > 1 && process_count < PROCESSES_MAX)
        processes[process_count++] = process;
}

/* ---- What is asked -------------------------------------------------------------------------- */

static bool is_open(int fd)
{
    return rdl__kernel_fcntl(fd, F_GETFD, 0) >= 0;
}

static bool any_process_is_left(void)
{
    bool found = false;

    for (uint32_t i = 0; i < process_count; i++) {
        siginfo_t info;

        found |= rdl__kernel(SYS_waitid, P_PID, processes[i], (long)&info,
                             WEXITED | WNOHANG | WNOWAIT, 0, 0) == 0;
    }
    process_count = 0;
    return found;
}

/* Donors are ours, and so is the thread that calls. */
static bool others_run(void)
{
    struct stat tasks;

    return stat("/proc/self/task", &tasks) == 0 && tasks.st_nlink > 3 + rdl__donor_count;
}

void rdl__remains_save(void)
{
    rdl__remains_words = NULL;
    executions = 0;
    mapped = 0;
    process_count = 0;
    for (free_descriptor = 0; free_descriptor < FD_FLOOR && is_open(free_descriptor);)
        free_descriptor++;
    rdl__dirty_by_others = others_run();
    if (rdl__dirty_by_others)
        rdl__remains_words = "a thread that is not controlled runs beside them";
}

static void say(const char *of_each, const char *of_some)
{
    rdl__remains_words = executions == 1 ? of_each : of_some;
}

void rdl__remains_look(void)
{
    executions++;
    if (rdl__remains_words)
        return;
    if (is_open(free_descriptor))
        say("every execution leaves a descriptor open", "some executions leave a descriptor open");
    else if (free_descriptor > 0 && executions % 64 == 1 && !is_open(free_descriptor - 1))
        rdl__remains_words = "an execution closed a descriptor that was open before it";
    else if (mapped != 0)
        say("every execution leaves memory mapped", "some executions leave memory mapped");
    else if (process_count > 0 && any_process_is_left())
        say("every execution leaves a process behind", "some executions leave a process behind");
    mapped = 0;
}
