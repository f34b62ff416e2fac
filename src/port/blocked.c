/* blocked.c -- real threads that run freely: which of them are blocked?
 *
 * /proc/self/task/N/syscall tells which call a thread sleeps in, and with which
 * arguments; N/status how often it has been scheduled.  There is nothing to wait for
 * that would tell us of a thread's going to sleep, so we look again and again, giving
 * way each time; but what decides is what is seen, not how long it took. */
#include "port/blocked.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "port/child.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct rdl__real_thread *threads;
static struct rdl__real_process *processes;

static bool read_task_file(int id, const char *name, char *out, size_t room)
{
    char path[64];
    ssize_t got;
    int fd;

    snprintf(path, sizeof path, "/proc/self/task/%d/%s", id, name);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    got = read(fd, out, room - 1);
    close(fd);
    out[got > 0 ? got : 0] = '\0';
    return got > 0;
}

/* Does this call, with these arguments, end only by what others do? */
static bool waits_for_others(long call, const unsigned long *arguments)
{
    switch (call) {
    case SYS_futex: /* without a time-out */
        return ((arguments[1] & FUTEX_CMD_MASK) == FUTEX_WAIT ||
                (arguments[1] & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET ||
                (arguments[1] & FUTEX_CMD_MASK) == FUTEX_LOCK_PI) &&
               arguments[3] == 0;
    case SYS_poll:
        return (int)arguments[2] < 0;
    case SYS_epoll_wait:
    case SYS_epoll_pwait:
        return (int)arguments[3] < 0;
    case SYS_ppoll:
        return arguments[2] == 0;
    case SYS_select:
    case SYS_pselect6:
        return arguments[4] == 0;
    case SYS_read:
    case SYS_readv:
    case SYS_write:
    case SYS_writev:
    case SYS_recvfrom:
    case SYS_recvmsg:
    case SYS_sendto:
    case SYS_sendmsg:
    case SYS_accept:
    case SYS_accept4:
    case SYS_connect:
    case SYS_flock:
    case SYS_pause:
    case SYS_rt_sigsuspend:
    case SYS_wait4:
    case SYS_waitid:
    case SYS_msgrcv:
    case SYS_msgsnd:
    case SYS_semop:
        return true;
    case SYS_rt_sigtimedwait:
        return arguments[2] == 0;
    default:
        return false;
    }
}

/* One that is about to be woken, by a processor that has not got round to it, is in its
 * call still; but it does not sleep. */
static bool sleeps(int id)
{
    char text[4096];
    const char *at;

    return read_task_file(id, "status", text, sizeof text) && (at = strstr(text, "\nState:\t")) &&
           (at[8] == 'S' || at[8] == 'D');
}

bool rdl__blocked_now(const struct rdl__real_thread *thread)
{
    unsigned long arguments[6];
    char text[256];
    long call;
    int id = __atomic_load_n(&thread->id, __ATOMIC_ACQUIRE);

    return id && !__atomic_load_n(&thread->ended, __ATOMIC_ACQUIRE) && sleeps(id) &&
           read_task_file(id, "syscall", text, sizeof text) &&
           sscanf(text, "%ld %lx %lx %lx %lx %lx %lx", &call, &arguments[0], &arguments[1],
                  &arguments[2], &arguments[3], &arguments[4], &arguments[5]) == 7 &&
           waits_for_others(call, arguments);
}

/* How often it has been scheduled, of itself or not; 0: not to be known. */
static unsigned long switches_of(const struct rdl__real_thread *thread)
{
    unsigned long voluntary = 0, forced = 0;
    char text[4096];
    const char *at;

    if (!read_task_file(thread->id, "status", text, sizeof text))
        return 0;
    if ((at = strstr(text, "\nvoluntary_ctxt_switches:")))
        sscanf(at, "\nvoluntary_ctxt_switches: %lu", &voluntary);
    if ((at = strstr(text, "\nnonvoluntary_ctxt_switches:")))
        sscanf(at, "\nnonvoluntary_ctxt_switches: %lu", &forced);
    return voluntary + forced;
}

int rdl__blocked_start(pthread_t *out, struct rdl__real_thread *thread, const void *owner,
                       void *(*start)(void *), void *argument)
{
    int why;

    thread->owner = owner;
    pthread_mutex_lock(&lock);
    thread->next = threads;
    threads = thread;
    pthread_mutex_unlock(&lock);
    why = pthread_create(out, NULL, start, argument);
    if (why)
        rdl__blocked_forget(thread);
    return why;
}

void rdl__blocked_begin(struct rdl__real_thread *thread)
{
    __atomic_store_n(&thread->id, (int)syscall(SYS_gettid), __ATOMIC_RELEASE);
}

/* Nothing here may make another thread wait: it would be taken for blocked, by a
 * thread that is not watched any more. */
void rdl__blocked_end(struct rdl__real_thread *thread)
{
    __atomic_store_n(&thread->ended, 1, __ATOMIC_RELEASE);
}

void rdl__blocked_forget(void *it)
{
    struct rdl__real_thread **at = &threads, *thread = it;

    pthread_mutex_lock(&lock);
    while (*at && *at != thread)
        at = &(*at)->next;
    if (*at)
        *at = thread->next;
    pthread_mutex_unlock(&lock);
}

void rdl__blocked_watch(struct rdl__real_process *process, const void *owner, int id)
{
    *process = (struct rdl__real_process){.id = id, .owner = owner};
    pthread_mutex_lock(&lock);
    process->next = processes;
    processes = process;
    pthread_mutex_unlock(&lock);
}

void rdl__blocked_watch_no_more(struct rdl__real_process *process)
{
    struct rdl__real_process **at = &processes;

    pthread_mutex_lock(&lock);
    while (*at && *at != process)
        at = &(*at)->next;
    if (*at)
        *at = process->next;
    pthread_mutex_unlock(&lock);
}

static bool all_asleep(const void *owner, unsigned long *sum)
{
    unsigned long one = 1;

    for (struct rdl__real_process *process = processes; process && one; process = process->next)
        if (process->owner == owner && (one = rdl__child_asleep(process->id)))
            *sum += one;
    return one;
}

/* The sum over all threads of how often they have run, if all are blocked; else 0.
 * *out_count: how many there are. */
static unsigned long all_blocked(const void *owner, int *out_count)
{
    unsigned long sum = 1;
    bool blocked = true;

    *out_count = 0;
    pthread_mutex_lock(&lock);
    for (struct rdl__real_thread *thread = threads; thread && blocked; thread = thread->next) {
        if (thread->owner != owner || __atomic_load_n(&thread->ended, __ATOMIC_ACQUIRE))
            continue;
        ++*out_count;
        sum += thread->id ? switches_of(thread) : 0;
        blocked = rdl__blocked_now(thread);
    }
    blocked = blocked && all_asleep(owner, &sum);
    pthread_mutex_unlock(&lock);
    return blocked ? sum : 0;
}

static bool is_quiet(const void *owner, int *out_count)
{
    int again;
    unsigned long before = all_blocked(owner, out_count);

    return before && all_blocked(owner, &again) == before && again == *out_count;
}

int rdl__blocked_until_quiet(const void *owner)
{
    int count;

    while (!is_quiet(owner, &count))
        sched_yield();
    return count;
}

bool rdl__blocked_until(const void *owner, bool (*ready)(void *what), void *what)
{
    int count;

    while (!ready(what)) {
        if (is_quiet(owner, &count))
            return ready(what);
        sched_yield();
    }
    return true;
}
