/* exec.c -- programs that take the place of this one.
 *
 * The functions hand on to those of the C library.  A process that is followed gives the
 * new program another environment, by which that is followed as well; and if a controlled
 * thread executes a program, the rest of the execution is not seen. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/memory.h"
#include "control/sched/follow.h"
#include "control/sched/next.h"
#include "control/sched/sched.h"
#include "control/sched/state.h"

RDL__ASKED_FOR(exec);

const struct rdl__follower *rdl__follower;

/* The process ends, with all its threads where they stand. */
static void come_to_exec(uintptr_t pc)
{
    struct rdl__thread *self = rdl__self();

    if (self)
        rdl__come_to_state(self, RDL__STATE_WORLD, RDL__WRITES, pc);
}

/* What the program is given: `environment`, or another one. */
static char *const *prepare(int folder, const char *file, bool is_searched_for,
                            char *const *environment)
{
    const struct rdl__execution_of what = {folder, file, is_searched_for, false};

    if (rdl__self())
        rdl__limit(RDL__LIMIT_PROCESS, file && *file ? file : "a program given by descriptor",
                   NULL);
    return rdl__follower ? rdl__follower->executes(&what, environment) : environment;
}

/* It could not be executed: errno says why. */
static int go_on(char *const *given, char *const *environment)
{
    int why = errno;

    if (rdl__follower)
        rdl__follower->fails();
    if (given != environment)
        free((void *)given);
    errno = why;
    return -1;
}

RDL__INTERPOSE int execve(const char *path, char *const argv[], char *const environment[])
{
    char *const *given;

    come_to_exec(RDL__CALLER);
    given = prepare(AT_FDCWD, path, false, environment);
    RDL__NEXT(execve)(path, argv, given);
    return go_on(given, environment);
}

RDL__INTERPOSE int execv(const char *path, char *const argv[])
{
    char *const *given;

    come_to_exec(RDL__CALLER);
    given = prepare(AT_FDCWD, path, false, environ);
    RDL__NEXT(execve)(path, argv, given);
    return go_on(given, environ);
}

RDL__INTERPOSE int execvpe(const char *file, char *const argv[], char *const environment[])
{
    char *const *given;

    come_to_exec(RDL__CALLER);
    given = prepare(AT_FDCWD, file, true, environment);
    RDL__NEXT(execvpe)(file, argv, given);
    return go_on(given, environment);
}

RDL__INTERPOSE int execvp(const char *file, char *const argv[])
{
    char *const *given;

    come_to_exec(RDL__CALLER);
    given = prepare(AT_FDCWD, file, true, environ);
    RDL__NEXT(execvpe)(file, argv, given);
    return go_on(given, environ);
}

RDL__INTERPOSE int fexecve(int fd, char *const argv[], char *const environment[])
{
    char *const *given;

    come_to_exec(RDL__CALLER);
    given = prepare(fd, "", false, environment);
    RDL__NEXT(fexecve)(fd, argv, given);
    return go_on(given, environment);
}

RDL__INTERPOSE int execveat(int folder, const char *path, char *const argv[],
                            char *const environment[], int flags)
{
    char *const *given;

    come_to_exec(RDL__CALLER);
    given = prepare(folder, path, false, environment);
    RDL__NEXT(execveat)(folder, path, argv, given, flags);
    return go_on(given, environment);
}

long rdl__execute_by_number(long number, const long *a)
{
    return number == SYS_execve
               ? execve((const char *)a[0], (char *const *)a[1], (char *const *)a[2])
               : execveat((int)a[0], (const char *)a[1], (char *const *)a[2], (char *const *)a[3],
                          (int)a[4]);
}

/* ---- Arguments one by one ------------------------------------------------------------------ */

/* All of them, with the NULL behind them, in memory of ours. */
static char **collect(const char *first, va_list *from)
{
    size_t count = 1;
    char **argv = rdl__allocate(2 * sizeof *argv);

    argv[0] = (char *)first;
    while (argv[count - 1]) {
        argv = rdl__reallocate(argv, (count + 1) * sizeof *argv);
        argv[count++] = va_arg(*from, char *);
    }
    return argv;
}

static int fail(char **argv)
{
    int why = errno;

    free(argv);
    errno = why;
    return -1;
}

RDL__INTERPOSE int execl(const char *path, const char *first, ...)
{
    va_list from;
    char **argv;

    va_start(from, first);
    argv = collect(first, &from);
    va_end(from);
    execv(path, argv);
    return fail(argv);
}

RDL__INTERPOSE int execlp(const char *file, const char *first, ...)
{
    va_list from;
    char **argv;

    va_start(from, first);
    argv = collect(first, &from);
    va_end(from);
    execvp(file, argv);
    return fail(argv);
}

RDL__INTERPOSE int execle(const char *path, const char *first, ...)
{
    char *const *environment;
    va_list from;
    char **argv;

    va_start(from, first);
    argv = collect(first, &from);
    environment = va_arg(from, char *const *);
    va_end(from);
    execve(path, argv, environment);
    return fail(argv);
}
