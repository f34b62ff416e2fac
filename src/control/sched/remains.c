/* remains.c -- descriptors, mappings and processes that executions leave to each other. */
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "control/sched/donor.h"
#include "control/sched/left.h"
#include "control/sched/sched.h"
#include "control/sched/seen.h"
#include "port/dirty.h"
#include "port/kernel.h"
#include "port/maps.h"
#include "port/modules.h"
#include "port/statics.h"

enum { PROCESSES_MAX = 16 };

const char *rdl__remains_words;
static intptr_t mapped; /* bytes, by the last execution */
static pid_t processes[PROCESSES_MAX];
static uint32_t process_count;
static uint64_t executions;

static uint32_t library_count;
static uint64_t signals_pending;
static const struct rdl__call_row *changed_process; /* the last call that did */
static char words[RDL__LIMIT_ROOM];

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

/* Buffers and orientations of streams that all executions share. */
static bool changes_shared_stream(const struct rdl__call_row *row, const uint64_t *arguments)
{
    static const char *const names[] = {"setvbuf",    "_IO_setvbuf", "setbuf",    "setbuffer",
                                        "setlinebuf", "fwide",       "__fpending"};
    const FILE *stream;

    if (row->on != RDL__ON_FILE || !arguments)
        return false;
    stream = (const FILE *)arguments[row->argument];
    if (stream != stdout && stream != stderr)
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(row->name, names[i]) == 0)
            return true;
    return false;
}

/* The C library looks at the time zone when it first needs one, and then only if it is asked to. */
static bool changes_time_zone(const struct rdl__call_row *row, const uint64_t *arguments)
{
    const char *name;

    if (!(row->writes & UINT64_C(1) << RDL__STATE_ENVIRONMENT) || !arguments)
        return false;
    name = (const char *)arguments[0];
    return strcmp(row->name, "clearenv") != 0 && name && strncmp(name, "TZ", 2) == 0 &&
           (name[2] == '\0' || name[2] == '=');
}

static void note_descriptor(const struct rdl__call_row *row, const uint64_t *arguments)
{
    int fd = (int)arguments[row->argument];

    if (strncmp(row->name, "lseek", 5) == 0)
        rdl__handles_moved(fd);
    if (strncmp(row->name, "fcntl", 5) == 0 && (arguments[1] == F_SETFL || arguments[1] == F_SETFD))
        rdl__handles_flagged(fd);
}

/* Notes that a call changes state of the process which later executions could see and which nobody
 * puts back. */
void rdl__remains_called(const struct rdl__call_row *row, const uint64_t *arguments)
{
    static const uint64_t kept =
        UINT64_C(1) << RDL__STATE_PROCESS | UINT64_C(1) << RDL__STATE_SCHEDULING |
        UINT64_C(1) << RDL__STATE_USERS | UINT64_C(1) << RDL__STATE_GROUPS |
        UINT64_C(1) << RDL__STATE_HOSTS | UINT64_C(1) << RDL__STATE_TABLE |
        UINT64_C(1) << RDL__STATE_LOGINS | UINT64_C(1) << RDL__STATE_MOUNTS |
        UINT64_C(1) << RDL__STATE_SHELLS | UINT64_C(1) << RDL__STATE_OPTIONS |
        UINT64_C(1) << RDL__STATE_MULTIBYTE | UINT64_C(1) << RDL__STATE_LOG |
        UINT64_C(1) << RDL__STATE_MESSAGES | UINT64_C(1) << RDL__STATE_FORMS |
        UINT64_C(1) << RDL__STATE_REGEX;

    bool is_unknown = row->writes & UINT64_C(1) << RDL__STATE_WORLD &&
                      !(row->writes & UINT64_C(1) << RDL__STATE_LOCALE) &&
                      row->way != RDL__CALL_OURS;

    if (!is_noted())
        return;
    if (row->writes & kept || is_unknown || changes_shared_stream(row, arguments) ||
        changes_time_zone(row, arguments))
        changed_process = row;
    if (row->on == RDL__ON_FD && arguments)
        note_descriptor(row, arguments);
    if (row->on == RDL__ON_FD && strcmp(row->name, "setsockopt") == 0)
        rdl__remains_socket((int)arguments[0]);
    if (is_unknown && strstr(row->name, "mprotect"))
        rdl__statics_protected((void *)arguments[0], arguments[1]);
}

void rdl__remains_socket(int fd)
{
    if (is_noted())
        rdl__handles_told(fd);
}

void rdl__remains_forked(pid_t process)
{
    if (is_noted() && process > 1 && process_count < PROCESSES_MAX)
        processes[process_count++] = process;
}

/* ---- What is asked -------------------------------------------------------------------------- */

static int count_library(struct dl_phdr_info *info, size_t size, void *out)
{
    (void)size;
    *(uint32_t *)out += !rdl__module_is_runtime(info->dlpi_name);
    return 0;
}

static uint64_t pending_signals(void)
{
    uint64_t set = 0;

    rdl__kernel(SYS_rt_sigpending, (long)&set, sizeof set, 0, 0, 0, 0);
    return set;
}

static uint32_t count_libraries(void)
{
    uint32_t count = 0;

    dl_iterate_phdr(count_library, &count);
    return count;
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
    changed_process = NULL;
    library_count = count_libraries();
    signals_pending = pending_signals();
    rdl__handles_save();
    rdl__dirty_by_others = others_run();
    if (rdl__dirty_by_others)
        rdl__remains_words = "a thread that is not controlled runs beside them";
}

/* To ask takes longer than a short execution.  These things stay as they were left, and are found
 * by a later question, or by the last. */
static const char *compare(void)
{
    if (count_libraries() != library_count)
        return "an execution loaded a library, or unloaded one";
    if (rdl__maps_shared_has_changed())
        return "an execution changed shared memory that was mapped before";
    if (pending_signals() != signals_pending)
        return "an execution left a signal pending";
    return rdl__handles_compare();
}

static bool is_to_compare(bool last)
{
    return last || (executions & (executions - 1)) == 0;
}

static const char *tell_call(const struct rdl__call_row *row)
{
    snprintf(words, sizeof words, "an execution called %s, which Raddle cannot undo", row->name);
    return words;
}

void rdl__remains_look(bool last)
{
    executions++;
    if (rdl__remains_words)
        return;
    if (mapped != 0)
        rdl__remains_words = "an execution left memory mapped";
    else if (changed_process)
        rdl__remains_words = tell_call(changed_process);
    else if (process_count > 0 && any_process_is_left())
        rdl__remains_words = "an execution left a process behind";
    else if (is_to_compare(last))
        rdl__remains_words = compare();
    mapped = 0;
}
