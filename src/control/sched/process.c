/* process.c -- other processes: making them, and waiting for their end.
 *
 * A process that a controlled thread makes is a copy of this one, but nothing in it
 * is controlled: it has one real thread, for which our functions are not there.
 * posix_spawn, system and popen are the C library's; during system and pclose the
 * whole process waits. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "control/sched/donor.h"
#include "control/sched/follow.h"
#include "control/sched/left.h"
#include "control/sched/world.h"

enum { POLLING_PAUSE = 50 * 1000 }; /* ns */

static bool has_forked;
struct rdl__thread *rdl__forking;

bool rdl__has_forked(void)
{
    return has_forked;
}

pid_t rdl__forked(pid_t result)
{
    if (result > 0)
        rdl__files_shared();
    rdl__remains_forked(result);
    if (result >= 0)
        has_forked = result > 0;
    return result;
}

/* ---- Making ------------------------------------------------------------------------------ */

static void begin_copying(void)
{
    rdl__forking = rdl__self();
    if (rdl__forking)
        rdl__running = NULL;
}

static void end_copying(void)
{
    if (rdl__forking)
        rdl__running = rdl__forking;
    rdl__forking = NULL;
}

static void begin_as_copy(void)
{
    rdl__forking = NULL;
    rdl__donors_are_gone();
}

long rdl__copied(long (*copy)(const long *arguments), const long *arguments)
{
    long result;

    begin_copying();
    result = copy(arguments);
    if (result != 0)
        end_copying();
    else
        begin_as_copy();
    return rdl__forked((pid_t)result);
}

/* Handlers that programs register with pthread_atfork are controlled before the
 * process is copied and, in the old one, after it; ours comes next to the copying
 * since it is registered first. */
__attribute__((constructor(102))) static void mind_copies(void)
{
    pthread_atfork(begin_copying, end_copying, begin_as_copy);
}

/* The new process gets whatever this one has at this moment: memory, the environment, the working
 * directory, files.  So the order with every operation of another thread matters. */
static void come_to_copying(struct rdl__thread *self, uintptr_t pc)
{
    struct rdl__file any = rdl__any_file();
    struct rdl__op op = rdl__file_op(&any, pc);

    op.flags |= RDL__OP_BREAKS;
    rdl__point(self, &op);
}

static void come_to_fork(struct rdl__thread *self, uintptr_t pc)
{
    come_to_copying(self, pc);
    rdl__limit(RDL__LIMIT_PROCESS, program_invocation_short_name, NULL);
}

/* The new process of one that is followed is followed, too. */
static pid_t copy_followed(pid_t (*copy)(void))
{
    pid_t result;

    if (rdl__follower)
        rdl__follower->forks();
    result = copy();
    if (result == 0 && rdl__follower)
        rdl__follower->is_copy();
    return result;
}

RDL__INTERPOSE pid_t fork(void)
{
    struct rdl__thread *self = rdl__self();

    if (self)
        come_to_fork(self, RDL__CALLER);
    return rdl__forked(copy_followed(RDL__NEXT(fork)));
}

static long copy_only(const long *unused)
{
    (void)unused;
    return copy_followed(RDL__NEXT(_Fork));
}

RDL__INTERPOSE pid_t _Fork(void)
{
    struct rdl__thread *self = rdl__self();

    if (self)
        come_to_fork(self, RDL__CALLER);
    return (pid_t)rdl__copied(copy_only, NULL);
}

/* A copy instead: with shared memory we could not return from here twice, nor tell
 * the two processes apart. */
RDL__INTERPOSE pid_t vfork(void)
{
    struct rdl__thread *self = rdl__self();

    if (self)
        come_to_fork(self, RDL__CALLER);
    return rdl__forked(copy_followed(RDL__NEXT(fork)));
}

/* Nothing of what clone makes is controlled, nor can it be told from the thread that made it where
 * the two share memory. */
void rdl__come_to_clone(struct rdl__thread *self, unsigned long flags, uintptr_t pc)
{
    struct rdl__file any = rdl__any_file();
    struct rdl__op op = rdl__file_op(&any, pc);

    if (flags & CLONE_VM)
        rdl__point(self, &op);
    else
        come_to_copying(self, pc);
    rdl__limit(RDL__LIMIT_PROCESS,
               flags & CLONE_VM ? "a thread made by clone" : program_invocation_short_name, NULL);
}

/* Which of the last three arguments are there is for the kernel to know. */
__attribute__((no_sanitize("address"))) RDL__INTERPOSE int
clone(int (*function)(void *argument), void *stack, int flags, void *argument, ...)
{
    struct rdl__thread *self = rdl__self();
    uintptr_t pc = RDL__CALLER;
    void *more[3];
    va_list arguments;

    va_start(arguments, argument);
    for (int i = 0; i < 3; i++)
        more[i] = va_arg(arguments, void *);
    va_end(arguments);
    if (self)
        rdl__come_to_clone(self, (unsigned long)flags, pc);
    return RDL__NEXT(clone)(function, stack, flags, argument, more[0], more[1], more[2]);
}

/* Another process is about to execute a program, or the shell a command: the environment that it
 * gets, which is ours (`environment` is NULL) or a given one. */
static char *const *come_to_spawn(const char *file, const char *command, bool is_searched_for,
                                  char *const *environment, uintptr_t pc)
{
    const struct rdl__execution_of what = {AT_FDCWD, file, is_searched_for, true};
    struct rdl__thread *self = rdl__self();

    if (self)
        come_to_copying(self, pc);
    rdl__forked(1);
    if (self)
        rdl__limit(RDL__LIMIT_PROCESS, command ? command : file, NULL);
    if (!environment)
        environment = environ;
    return rdl__follower ? rdl__follower->executes(&what, environment) : environment;
}

static void forget(char *const *given, char *const *environment)
{
    if (given != environment)
        free((void *)given);
}

RDL__INTERPOSE int posix_spawn(pid_t *restrict pid, const char *restrict path,
                               const posix_spawn_file_actions_t *actions,
                               const posix_spawnattr_t *restrict attributes,
                               char *const argv[restrict], char *const environment[restrict])
{
    char *const *given = come_to_spawn(path, NULL, false, environment, RDL__CALLER);
    int why = RDL__NEXT(posix_spawn)(pid, path, actions, attributes, argv, given);

    forget(given, environment);
    return why;
}

RDL__INTERPOSE int posix_spawnp(pid_t *restrict pid, const char *restrict file,
                                const posix_spawn_file_actions_t *actions,
                                const posix_spawnattr_t *restrict attributes,
                                char *const argv[restrict], char *const environment[restrict])
{
    char *const *given = come_to_spawn(file, NULL, true, environment, RDL__CALLER);
    int why = RDL__NEXT(posix_spawnp)(pid, file, actions, attributes, argv, given);

    forget(given, environment);
    return why;
}

/* The C library gives the shell the environment of this process, so that is what changes. */
RDL__INTERPOSE int system(const char *command)
{
    char *const *given = come_to_spawn("/bin/sh", command, false, NULL, RDL__CALLER);
    char **own = environ;
    int status;

    if (rdl__self())
        rdl__test_cancel(rdl__self());
    environ = (char **)given;
    status = RDL__NEXT(system)(command);
    environ = own;
    forget(given, own);
    return status;
}

RDL__INTERPOSE FILE *popen(const char *command, const char *mode)
{
    char *const *given = come_to_spawn("/bin/sh", command, false, NULL, RDL__CALLER);
    char **own = environ;
    FILE *stream;

    environ = (char **)given;
    stream = RDL__NEXT(popen)(command, mode);
    environ = own;
    forget(given, own);
    return stream;
}

/* ---- Waiting ----------------------------------------------------------------------------- */

/* If nothing but the child's end can happen, wait for it here: whether it has ended when it is
 * asked for is then the same in each execution. */
static void await_alone(const struct rdl__child_wait *wait)
{
    siginfo_t info;

    if (rdl__sched.alive == 1 && !rdl__time_will_tell())
        rdl__kernel(SYS_waitid, wait->kind, wait->id, (long)&info, wait->options | WNOWAIT, 0, 0);
}

/* Come to asking for a child, and wait for it unless told not to. */
static bool await_child(struct rdl__thread *self, struct rdl__child_wait *wait, bool at_once,
                        uintptr_t pc)
{
    struct rdl__file any = rdl__any_file();
    struct rdl__op op = rdl__file_op(&any, pc);
    struct timespec pause = {.tv_nsec = POLLING_PAUSE};

    if (!at_once) {
        await_alone(wait);
        if (rdl__await_child(self, &op, wait) != RDL__INTERRUPTED)
            return true;
        errno = EINTR;
        return false;
    }
    if (!rdl__child_is_ready(wait)) { /* it asks again and again: give the child a chance */
        op.flags = RDL__OP_POLITE;
        rdl__look_outside();
        rdl__kernel(SYS_nanosleep, (long)&pause, 0, 0, 0, 0, 0);
    }
    rdl__point(self, &op);
    rdl__test_cancel(self);
    return true;
}

/* What waitpid is asked for, as waitid has it. */
static struct rdl__child_wait as_wait(pid_t pid, int options)
{
    struct rdl__child_wait wait = {.kind = P_PID, .id = pid, .options = WEXITED};

    if (pid <= 0)
        wait = (struct rdl__child_wait){
            .kind = pid == -1 ? P_ALL : P_PGID, .id = pid == -1 ? 0 : -pid, .options = WEXITED};
    wait.options |= options & ~(WNOHANG | WUNTRACED);
    if (options & WUNTRACED)
        wait.options |= WSTOPPED;
    return wait;
}

pid_t rdl__waitpid(struct rdl__thread *self, pid_t pid, int *out_status, int options,
                   struct rusage *out_usage, uintptr_t pc)
{
    struct rdl__child_wait wait = as_wait(pid, options);
    struct rdl__file any = rdl__any_file();
    pid_t result;

    do {
        if (!await_child(self, &wait, options & WNOHANG, pc))
            return -1;
        result = RDL__NEXT(wait4)(pid, out_status, options | WNOHANG, out_usage);
    } while (result == 0 && !(options & WNOHANG));
    rdl__file_changed(self, &any);
    return result;
}

int rdl__waitid(struct rdl__thread *self, int kind, int id, siginfo_t *out, int options,
                struct rusage *out_usage, uintptr_t pc)
{
    struct rdl__child_wait wait = {.kind = kind, .id = id, .options = options & ~WNOHANG};
    struct rdl__file any = rdl__any_file();
    siginfo_t info;
    long result;

    do {
        if (!await_child(self, &wait, options & WNOHANG, pc))
            return -1;
        info = (siginfo_t){.si_pid = 0};
        result =
            rdl__kernel(SYS_waitid, kind, id, (long)&info, options | WNOHANG, (long)out_usage, 0);
    } while (result == 0 && info.si_pid == 0 && !(options & WNOHANG));
    if (result == 0 && out)
        *out = info;
    rdl__file_changed(self, &any);
    return (int)rdl__in_errno(result);
}

RDL__INTERPOSE pid_t waitpid(pid_t pid, int *out_status, int options)
{
    struct rdl__thread *self = rdl__self();

    return self ? rdl__waitpid(self, pid, out_status, options, NULL, RDL__CALLER)
                : RDL__NEXT(waitpid)(pid, out_status, options);
}

RDL__INTERPOSE pid_t wait(int *out_status)
{
    struct rdl__thread *self = rdl__self();

    return self ? rdl__waitpid(self, -1, out_status, 0, NULL, RDL__CALLER)
                : RDL__NEXT(wait)(out_status);
}

RDL__INTERPOSE pid_t wait3(int *out_status, int options, struct rusage *out_usage)
{
    struct rdl__thread *self = rdl__self();

    return self ? rdl__waitpid(self, -1, out_status, options, out_usage, RDL__CALLER)
                : RDL__NEXT(wait3)(out_status, options, out_usage);
}

RDL__INTERPOSE pid_t wait4(pid_t pid, int *out_status, int options, struct rusage *out_usage)
{
    struct rdl__thread *self = rdl__self();

    return self ? rdl__waitpid(self, pid, out_status, options, out_usage, RDL__CALLER)
                : RDL__NEXT(wait4)(pid, out_status, options, out_usage);
}

RDL__INTERPOSE int waitid(idtype_t kind, id_t id, siginfo_t *out, int options)
{
    struct rdl__thread *self = rdl__self();

    return self ? rdl__waitid(self, (int)kind, (int)id, out, options, NULL, RDL__CALLER)
                : RDL__NEXT(waitid)(kind, id, out, options);
}
