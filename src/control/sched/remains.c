/* remains.c -- descriptors, mappings and processes that executions leave to each other. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
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

enum { PROCESSES_MAX = 16, FD_FLOOR = 500, ASKED_AT_ONCE = 100 };

const char *rdl__remains_words;
static intptr_t mapped; /* bytes, by the last execution */
static pid_t processes[PROCESSES_MAX];
static uint32_t process_count;
static uint64_t executions;

/* Descriptors before the first execution. */
static struct descriptor {
    bool is_open;
    dev_t device;
    ino_t inode;
    long position; /* of a file that is only read */
} before[FD_FLOOR];

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

/* The kernel says of each number whether it is a descriptor. */
static void ask_for_descriptors(struct pollfd out[FD_FLOOR])
{
    for (int fd = 0; fd < FD_FLOOR; fd++)
        out[fd] = (struct pollfd){.fd = fd};
    for (int fd = 0; fd < FD_FLOOR; fd += ASKED_AT_ONCE) /* more may be beyond the limit */
        if (rdl__kernel(SYS_poll, (long)&out[fd], ASKED_AT_ONCE, 0, 0, 0, 0) < 0)
            return;
}

static struct descriptor look_at(const struct pollfd *it)
{
    struct descriptor found = {.is_open = !(it->revents & POLLNVAL)};
    struct stat status;

    if (!found.is_open || rdl__kernel(SYS_fstat, it->fd, (long)&status, 0, 0, 0, 0) != 0)
        return found;
    found.device = status.st_dev;
    found.inode = status.st_ino;
    if (S_ISREG(status.st_mode) && (rdl__kernel_fcntl(it->fd, F_GETFL, 0) & O_ACCMODE) == O_RDONLY)
        found.position = rdl__kernel(SYS_lseek, it->fd, 0, SEEK_CUR, 0, 0, 0);
    return found;
}

static void save_descriptors(void)
{
    struct pollfd now[FD_FLOOR];

    ask_for_descriptors(now);
    for (int fd = 0; fd < FD_FLOOR; fd++)
        before[fd] = look_at(&now[fd]);
}

/* NULL: they are as they were. */
static const char *compare_descriptors(void)
{
    struct pollfd now[FD_FLOOR];

    ask_for_descriptors(now);
    for (int fd = 0; fd < FD_FLOOR; fd++) {
        const struct descriptor *old = &before[fd];
        struct descriptor new = look_at(&now[fd]);

        if (new.is_open && !old->is_open)
            return "an execution left a descriptor open";
        if (old->is_open && !new.is_open)
            return "an execution closed a descriptor that was open before it";
        if (new.device != old->device || new.inode != old->inode)
            return "an execution left a descriptor that stands for another file";
        if (new.position != old->position)
            return "an execution read from a file that was open before it";
    }
    return NULL;
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
    save_descriptors();
    rdl__dirty_by_others = others_run();
    if (rdl__dirty_by_others)
        rdl__remains_words = "a thread that is not controlled runs beside them";
}

/* To ask takes longer than a short execution.  A descriptor that is left stays, and is found by a
 * later question, or by the last. */
static bool is_to_ask_for_descriptors(bool last)
{
    return last || (executions & (executions - 1)) == 0;
}

void rdl__remains_look(bool last)
{
    executions++;
    if (rdl__remains_words)
        return;
    if (mapped != 0)
        rdl__remains_words = "an execution left memory mapped";
    else if (process_count > 0 && any_process_is_left())
        rdl__remains_words = "an execution left a process behind";
    else if (is_to_ask_for_descriptors(last))
        rdl__remains_words = compare_descriptors();
    mapped = 0;
}
