/* child.c -- other programs, as children of this process. */
#include "port/child.h"
#include "port/io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- Starting ------------------------------------------------------------------------------- */

static void reset_signals(void)
{
    sigset_t none;

    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGINT, SIG_DFL);
}

enum { CLOSE_ON_EXEC = 1 << 2 }; /* CLOSE_RANGE_CLOEXEC, which older headers lack */

/* Descriptors may be closed already, and none may be where we want another. */
static bool arrange(const int *three)
{
    int moved[3];

    for (int i = 0; i < 3; i++)
        if ((moved[i] = fcntl(three[i], F_DUPFD, 3)) < 0)
            return false;
    for (int i = 0; i < 3; i++)
        if (dup2(moved[i], i) < 0)
            return false;
    for (int i = 0; i < 3; i++)
        close(moved[i]);
    syscall(SYS_close_range, 3, ~0U, CLOSE_ON_EXEC);
    return true;
}

/* In the child.  If its parent has died before it asked to be killed then, nobody will. */
_Noreturn static void become(const char *const *command, const int *three, int report, int parent)
{
    int why;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(127);
    setpgid(0, 0);
    reset_signals();
    if (arrange(three))
        execvp(command[0], (char *const *)command);
    why = errno;
    (void)!rdl__own_write(report, &why, sizeof why);
    _exit(127);
}

static bool await_start(struct rdl__child *child, const char *name, int report,
                        struct rdl__error *error)
{
    int why = 0;
    ssize_t got;

    while ((got = rdl__own_read(report, &why, sizeof why)) < 0 && errno == EINTR)
        ;
    if (got == (ssize_t)sizeof why) {
        rdl__child_end(child);
        return rdl__fail(error, "cannot start %s: %s", name, strerror(why));
    }
    return true;
}

bool rdl__child_start(struct rdl__child *out, const char *const *command, const int *three,
                      struct rdl__error *error)
{
    int report[2], parent = getpid();
    bool started;

    if (pipe2(report, O_CLOEXEC) != 0)
        return rdl__fail(error, "cannot make a pipe to start %s: %s", command[0], strerror(errno));
    out->fd = -1;
    out->pid = fork();
    if (out->pid == 0)
        become(command, three, report[1], parent);
    close(report[1]);
    if (out->pid > 0)
        out->fd = (int)syscall(SYS_pidfd_open, out->pid, 0);
    if (out->fd < 0) {
        rdl__fail(error, "cannot start %s: %s", command[0], strerror(errno));
        rdl__child_end(out);
        close(report[0]);
        return false;
    }
    setpgid(out->pid, out->pid); /* whoever is first */
    started = await_start(out, command[0], report[0], error);
    close(report[0]);
    return started;
}

/* ---- Its end -------------------------------------------------------------------------------- */

bool rdl__child_ended(const struct rdl__child *child, int *out_number)
{
    siginfo_t info = {0};

    waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOWAIT | WNOHANG);
    *out_number = info.si_status;
    return info.si_code == CLD_KILLED || info.si_code == CLD_DUMPED;
}

void rdl__child_end(struct rdl__child *child)
{
    if (child->pid > 0) {
        kill(-child->pid, SIGKILL);
        kill(child->pid, SIGKILL);
        while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    if (child->fd >= 0)
        close(child->fd);
    *child = (struct rdl__child){.pid = -1, .fd = -1};
}

/* ---- Asleep? -------------------------------------------------------------------------------- */

static unsigned long number_after(const char *text, const char *name)
{
    const char *at = strstr(text, name);

    return at ? strtoul(at + strlen(name), NULL, 10) : 0;
}

/* A thread that sleeps: how often it has run, plus 1.  0: it runs. */
static unsigned long thread_asleep(int pid, const char *id)
{
    char text[4096];
    const char *state;
    FILE *file;
    size_t got;

    snprintf(text, sizeof text, "/proc/%d/task/%s/status", pid, id);
    file = fopen(text, "re");
    if (!file)
        return 1; /* it is no more */
    got = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[got] = '\0';
    state = strstr(text, "\nState:\t");
    if (!state || !strchr("SDTtZX", state[8]))
        return 0;
    return 1 + number_after(text, "\nvoluntary_ctxt_switches:") +
           number_after(text, "\nnonvoluntary_ctxt_switches:");
}

/* The same for a process, all threads together; and for its children, as one reads them. */
static unsigned long children_asleep(int pid, const char *id)
{
    unsigned long sum = 1, one = 1;
    char path[320];
    FILE *file;
    int child;

    snprintf(path, sizeof path, "/proc/%d/task/%s/children", pid, id);
    file = fopen(path, "re");
    while (file && one && fscanf(file, "%d", &child) == 1)
        if ((one = rdl__child_asleep(child)))
            sum += one;
    if (file)
        fclose(file);
    return one ? sum : 0;
}

unsigned long rdl__child_asleep(int pid)
{
    unsigned long sum = 1, one = 1;
    const struct dirent *entry;
    char path[64];
    DIR *folder;

    snprintf(path, sizeof path, "/proc/%d/task", pid);
    folder = opendir(path);
    while (folder && one && (entry = readdir(folder)))
        if (entry->d_name[0] != '.' && (one = thread_asleep(pid, entry->d_name))) {
            sum += one;
            one = children_asleep(pid, entry->d_name);
            sum += one;
        }
    if (folder)
        closedir(folder);
    return one ? sum : 0;
}
