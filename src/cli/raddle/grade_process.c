/* grade_process.c -- the processes that a grading starts, and the end of them.
 *
 * Signals that end us, and that of a child which has ended, are blocked and waited for, so
 * that none comes at a bad time. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/raddle/commands.h"
#include "cli/raddle/grade.h"

static pid_t children[RDL__GRADE_JOBS]; /* that have not ended */
static int child_count;

/* ---- Starting ----------------------------------------------------------------------------- */

static void open_as(int fd, const char *folder, const char *name, int flags)
{
    struct rdl__text path = {0};
    int opened;

    rdl__text_add(&path, "%s%s%s", folder ? folder : "", folder ? "/" : "", name);
    opened = open(path.bytes, flags, 0666);
    if (opened < 0 || dup2(opened, fd) < 0)
        _exit(RDL__EXIT_SETUP);
    close(opened);
    rdl__text_release(&path);
}

/* Options of ours in the environment are not meant for what we run. */
static void forget_options(void)
{
    bool again = true;

    while (again) {
        again = false;
        for (char **variable = environ; *variable && !again; variable++) {
            char *name = strndup(*variable, strcspn(*variable, "="));

            again = (strncmp(name, "RADDLE_", 7) == 0 && strcmp(name, "RADDLE_CC") != 0) ||
                    strncmp(name, "GTEST_", 6) == 0;
            if (again)
                unsetenv(name);
            free(name);
        }
    }
}

/* In a group of its own, so that it can be ended with all that it has started; and however
 * we end, it does too. */
static void become_a_child(const char *folder, const char *output, const char *errors, int parent)
{
    sigset_t none;

    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(RDL__EXIT_SETUP);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    open_as(STDIN_FILENO, NULL, "/dev/null", O_RDONLY);
    open_as(STDOUT_FILENO, folder, output, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND);
    if (strcmp(output, errors) == 0)
        dup2(STDOUT_FILENO, STDERR_FILENO);
    else
        open_as(STDERR_FILENO, folder, errors, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND);
    forget_options();
}

pid_t rdl__grade_fork(const char *folder, const char *output, const char *errors)
{
    int parent = getpid();
    pid_t pid = fork();

    rdl__bug_if(child_count == RDL__GRADE_JOBS);
    if (pid < 0)
        rdl__stop("raddle grade: cannot start a process: %s", strerror(errno));
    if (pid == 0) {
        become_a_child(folder, output, errors, parent);
        return 0;
    }
    setpgid(pid, pid); /* both sides do it, so that neither is too late */
    children[child_count++] = pid;
    return pid;
}

pid_t rdl__grade_spawn(char *const *argv, const char *folder, const char *output,
                       const char *errors, unsigned seconds)
{
    pid_t pid = rdl__grade_fork(folder, output, errors);

    if (pid != 0)
        return pid;
    alarm(seconds);
    execvp(argv[0], argv);
    dprintf(STDERR_FILENO, "cannot run %s: %s\n", argv[0], strerror(errno));
    _exit(RDL__EXIT_SETUP);
}

/* What the terminal sends is for it, and not for us. */
int rdl__grade_run_here(char *const *argv)
{
    pid_t pid = fork();
    sigset_t none;
    int status;

    if (pid < 0)
        rdl__stop("raddle grade: cannot start a process: %s", strerror(errno));
    if (pid == 0) {
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        signal(SIGPIPE, SIG_DFL);
        forget_options();
        execvp(argv[0], argv);
        dprintf(STDERR_FILENO, "raddle: cannot run %s: %s\n", argv[0], strerror(errno));
        _exit(RDL__EXIT_SETUP);
    }
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return RDL__EXIT_SETUP;
    return WIFEXITED(status) ? WEXITSTATUS(status) : RDL__EXIT_SETUP;
}

/* ---- Waiting ------------------------------------------------------------------------------ */

static sigset_t watched(void)
{
    sigset_t signals;

    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    return signals;
}

void rdl__grade_watch(void)
{
    sigset_t signals = watched();

    signal(SIGCHLD, SIG_DFL); /* whoever started us may have ignored it */
    signal(SIGPIPE, SIG_IGN); /* there is something to clear away */
    sigprocmask(SIG_BLOCK, &signals, NULL);
}

int rdl__grade_interrupted;

static void end_all(void)
{
    for (int i = 0; i < child_count; i++)
        kill(-children[i], SIGKILL);
    for (int i = 0; i < child_count; i++)
        waitpid(children[i], NULL, 0);
    child_count = 0;
}

static void forget(pid_t pid)
{
    for (int i = 0; i < child_count; i++)
        if (children[i] == pid) {
            children[i] = children[--child_count];
            return;
        }
}

bool rdl__grade_await(pid_t *out_pid, int *out_status, bool ticks)
{
    const struct timespec tick = {.tv_sec = 1};
    sigset_t signals = watched();

    while ((*out_pid = waitpid(-1, out_status, WNOHANG)) <= 0) {
        int signal = sigtimedwait(&signals, NULL, ticks ? &tick : NULL);

        if (signal > 0 && signal != SIGCHLD) {
            rdl__grade_interrupted = signal;
            end_all();
            return false;
        }
        if (signal < 0 && errno == EAGAIN) {
            *out_pid = 0;
            return true;
        }
    }
    forget(*out_pid);
    return true;
}
