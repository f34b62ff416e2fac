/* syscall.c -- system calls that a program makes by number.
 *
 * Those that wait, or tell of time or threads, are as if the program had called the
 * function of that name; all others are handed on, as operations on what the function's
 * row in the table of calls says (syscall_rows.c). */
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <sched.h>
#include <stdarg.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "control/sched/follow.h"
#include "control/sched/mappings.h"
#include "control/sched/state.h"
#include "control/sched/world.h"
#include "port/maps.h"

RDL__ASKED_FOR(syscall);

/* By a function that takes what comes from Raddle for Raddle's own. */
#define FOR_PROGRAM(call)                                                                          \
    (__extension__({                                                                               \
        long result;                                                                               \
                                                                                                   \
        rdl__does_for_program = true;                                                              \
        result = (call);                                                                           \
        rdl__does_for_program = false;                                                             \
        result;                                                                                    \
    }))

enum { ARGUMENTS = 6, IOPRIO_WHO_PROCESS = 1, KERNEL_SET = 8 };

/* What poll waits for, as a deadline. */
static uint64_t deadline_of_ms(long ms)
{
    struct timespec span = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

    return (int)ms < 0 ? RDL__FOREVER : rdl__deadline_in(&span);
}

static int send_to_thread(struct rdl__thread *self, long number, long signal, uintptr_t pc)
{
    struct rdl__thread *to = rdl__thread_numbered(number);
    siginfo_t info = rdl__signal_info((int)signal, SI_TKILL);

    if (!to)
        return ESRCH;
    rdl__look_for_end(self, to, pc);
    if (to->state != RDL__ALIVE)
        return ESRCH;
    return signal == 0 ? 0 : rdl__send_signal(self, to, &info, pc);
}

/* Time and threads: true if it is one of these, with the kernel's answer. */
static bool about_time_or_threads(struct rdl__thread *self, long number, const long *a,
                                  uintptr_t pc, long *out)
{
    switch (number) {
    case SYS_futex:
        *out = rdl__futex(self, a, pc);
        return true;
    case SYS_gettid:
        *out = rdl__thread_number(self);
        return true;
    case SYS_sched_yield:
        rdl__yield(self, pc);
        *out = 0;
        return true;
    case SYS_nanosleep:
        *out = -rdl__nanosleep(self, (const struct timespec *)a[0], (struct timespec *)a[1], pc);
        return true;
    case SYS_clock_nanosleep:
        *out = -rdl__clock_nanosleep(self, (clockid_t)a[0], (int)a[1],
                                     (const struct timespec *)a[2], (struct timespec *)a[3], pc);
        return true;
    case SYS_clock_gettime:
        *out = -rdl__clock_read(self, (clockid_t)a[0], (struct timespec *)a[1], pc);
        return true;
    case SYS_tkill:
        *out = -send_to_thread(self, a[0], a[1], pc);
        return true;
    case SYS_tgkill:
        *out = a[0] == getpid() ? -send_to_thread(self, a[1], a[2], pc) : -ESRCH;
        return true;
    case SYS_futex_waitv: /* later kernels have it; programs know how to do without */
        *out = -ENOSYS;
        return true;
    default:
        return false;
    }
}

/* Processes: their results are what a function would return, with errno. */
static bool about_processes(struct rdl__thread *self, long number, const long *a, uintptr_t pc,
                            long *out)
{
    switch (number) {
    case SYS_fork:
    case SYS_vfork:
        *out = vfork();
        return true;
    case SYS_wait4:
        *out = rdl__waitpid(self, (pid_t)a[0], (int *)a[1], (int)a[2], (struct rusage *)a[3], pc);
        return true;
    case SYS_waitid:
        *out = rdl__waitid(self, (int)a[0], (int)a[1], (siginfo_t *)a[2], (int)a[3],
                           (struct rusage *)a[4], pc);
        return true;
    case SYS_execve:
    case SYS_execveat:
        *out = rdl__execute_by_number(number, a);
        return true;
    case SYS_exit_group:
        _exit((int)a[0]);
    case SYS_pause:
        *out = pause();
        return true;
    case SYS_kill:
        *out = kill((pid_t)a[0], (int)a[1]);
        return true;
    case SYS_gettimeofday:
        *out = gettimeofday((struct timeval *)a[0], (void *)a[1]);
        return true;
    case SYS_time:
        *out = time((time_t *)a[0]);
        return true;
    case SYS_alarm:
        *out = alarm((unsigned)a[0]);
        return true;
    case SYS_prctl:
        *out = prctl((int)a[0], a[1], a[2], a[3], a[4]);
        return true;
    default:
        return false;
    }
}

/* Without shared memory it makes a process.  Else it is a thread that we know
 * nothing of. */
static long clone_by_number(const long *a)
{
    return RDL__NEXT(syscall)(a[0], a[1], a[2], a[3], a[4], a[5], a[6]);
}

static bool about_files(struct rdl__thread *self, long number, const long *a, uintptr_t pc,
                        long *out)
{
    int fd = (int)a[0];

    switch (number) {
    case SYS_read:
        *out = rdl__read(self, fd, (void *)a[1], (size_t)a[2], pc);
        return true;
    case SYS_write:
        *out = rdl__write(self, fd, (const void *)a[1], (size_t)a[2], pc);
        return true;
    case SYS_readv:
        *out = rdl__readv(self, fd, (const struct iovec *)a[1], (int)a[2], pc);
        return true;
    case SYS_writev:
        *out = rdl__writev(self, fd, (const struct iovec *)a[1], (int)a[2], pc);
        return true;
    case SYS_close:
        *out = rdl__close(self, fd, pc);
        return true;
    case SYS_flock:
        *out = rdl__flock(self, fd, (int)a[1], pc);
        return true;
    case SYS_fcntl:
        *out = rdl__fcntl(self, fd, (int)a[1], a[2], pc);
        return true;
    case SYS_poll:
        *out = rdl__poll(self, (struct pollfd *)a[0], (nfds_t)a[1], deadline_of_ms(a[2]), pc);
        return true;
    case SYS_select:
        *out = select(fd, (fd_set *)a[1], (fd_set *)a[2], (fd_set *)a[3], (struct timeval *)a[4]);
        return true;
    case SYS_recvmsg:
        *out = rdl__recvmsg(self, fd, (struct msghdr *)a[1], (int)a[2], pc);
        return true;
    case SYS_sendmsg:
        *out = rdl__sendmsg(self, fd, (const struct msghdr *)a[1], (int)a[2], pc);
        return true;
    case SYS_recvfrom:
        *out = recvfrom(fd, (void *)a[1], (size_t)a[2], (int)a[3], (struct sockaddr *)a[4],
                        (socklen_t *)a[5]);
        return true;
    case SYS_sendto:
        *out = sendto(fd, (const void *)a[1], (size_t)a[2], (int)a[3],
                      (const struct sockaddr *)a[4], (socklen_t)a[5]);
        return true;
    case SYS_accept:
    case SYS_accept4:
        *out = rdl__accept4(self, fd, (struct sockaddr *)a[1], (socklen_t *)a[2],
                            number == SYS_accept4 ? (int)a[3] : 0, pc);
        return true;
    case SYS_connect:
        *out = rdl__connect(self, fd, (const struct sockaddr *)a[1], (socklen_t)a[2], pc);
        return true;
    default:
        return false;
    }
}

/* What wakes a thread that waits in ppoll or pselect; NULL: nothing does. */
static const sigset_t *signals_at(long mask, sigset_t *out)
{
    if (!mask)
        return NULL;
    sigemptyset(out);
    memcpy(out, (const void *)mask, KERNEL_SET);
    return out;
}

/* Waiting for several of them. */
static bool about_many_files(long number, const long *a, long *out)
{
    const long *mask = number == SYS_pselect6 ? (const long *)a[5] : NULL;
    sigset_t set;

    switch (number) {
    case SYS_ppoll:
        *out = ppoll((struct pollfd *)a[0], (nfds_t)a[1], (const struct timespec *)a[2],
                     signals_at(a[3], &set));
        return true;
    case SYS_pselect6:
        *out = pselect((int)a[0], (fd_set *)a[1], (fd_set *)a[2], (fd_set *)a[3],
                       (const struct timespec *)a[4], mask ? signals_at(mask[0], &set) : NULL);
        return true;
    case SYS_epoll_ctl:
        *out = epoll_ctl((int)a[0], (int)a[1], (int)a[2], (struct epoll_event *)a[3]);
        return true;
    case SYS_epoll_wait:
        *out = epoll_wait((int)a[0], (struct epoll_event *)a[1], (int)a[2], (int)a[3]);
        return true;
    case SYS_epoll_pwait:
        *out = epoll_pwait((int)a[0], (struct epoll_event *)a[1], (int)a[2], (int)a[3],
                           signals_at(a[4], &set));
        return true;
    case SYS_epoll_pwait2:
        *out = epoll_pwait2((int)a[0], (struct epoll_event *)a[1], (int)a[2],
                            (const struct timespec *)a[3], signals_at(a[4], &set));
        return true;
    case SYS_recvmmsg:
        *out = recvmmsg((int)a[0], (struct mmsghdr *)a[1], (unsigned)a[2], (int)a[3],
                        (struct timespec *)a[4]);
        return true;
    case SYS_sendmmsg:
        *out = sendmmsg((int)a[0], (struct mmsghdr *)a[1], (unsigned)a[2], (int)a[3]);
        return true;
    case SYS_splice:
        *out = splice((int)a[0], (off64_t *)a[1], (int)a[2], (off64_t *)a[3], (size_t)a[4],
                      (unsigned)a[5]);
        return true;
    case SYS_sendfile:
        *out = FOR_PROGRAM(sendfile((int)a[0], (int)a[1], (off_t *)a[2], (size_t)a[3]));
        return true;
    default:
        return false;
    }
}

/* The kernel's numbers of timers are shorter than the C library's. */
static int timer_create_by_number(const long *a)
{
    struct sigevent event;
    timer_t id;

    if (a[1])
        event = *(const struct sigevent *)a[1];
    if (a[1] && event.sigev_notify == SIGEV_THREAD) /* the C library's affair */
        event.sigev_notify = SIGEV_SIGNAL;
    if (timer_create((clockid_t)a[0], a[1] ? &event : NULL, &id) != 0)
        return -1;
    *(int *)a[2] = (int)(uintptr_t)id;
    return 0;
}

static bool about_timers(long number, const long *a, long *out)
{
    timer_t id = (timer_t)(intptr_t)(int)a[0];

    switch (number) {
    case SYS_timer_create:
        *out = timer_create_by_number(a);
        return true;
    case SYS_timer_settime:
        *out = timer_settime(id, (int)a[1], (const struct itimerspec *)a[2],
                             (struct itimerspec *)a[3]);
        return true;
    case SYS_timer_gettime:
        *out = timer_gettime(id, (struct itimerspec *)a[1]);
        return true;
    case SYS_timer_getoverrun:
        *out = timer_getoverrun(id);
        return true;
    case SYS_timer_delete:
        *out = timer_delete(id);
        return true;
    default:
        return false;
    }
}

/* Queues of messages, and semaphores. */
static bool is_about_queues(long number, const long *a, long *out)
{
    switch (number) {
    case SYS_semop:
        *out = semop((int)a[0], (struct sembuf *)a[1], (size_t)a[2]);
        return true;
    case SYS_semtimedop:
        *out = semtimedop((int)a[0], (struct sembuf *)a[1], (size_t)a[2],
                          (const struct timespec *)a[3]);
        return true;
    case SYS_semctl:
        *out = semctl((int)a[0], (int)a[1], (int)a[2], (void *)a[3]);
        return true;
    case SYS_msgsnd:
        *out = msgsnd((int)a[0], (const void *)a[1], (size_t)a[2], (int)a[3]);
        return true;
    case SYS_msgrcv:
        *out = msgrcv((int)a[0], (void *)a[1], (size_t)a[2], a[3], (int)a[4]);
        return true;
    case SYS_msgctl:
        *out = msgctl((int)a[0], (int)a[1], (struct msqid_ds *)a[2]);
        return true;
    case SYS_mq_timedsend:
        *out = a[4] ? mq_timedsend((mqd_t)a[0], (const char *)a[1], (size_t)a[2], (unsigned)a[3],
                                   (const struct timespec *)a[4])
                    : mq_send((mqd_t)a[0], (const char *)a[1], (size_t)a[2], (unsigned)a[3]);
        return true;
    case SYS_mq_timedreceive:
        *out = a[4] ? mq_timedreceive((mqd_t)a[0], (char *)a[1], (size_t)a[2], (unsigned *)a[3],
                                      (const struct timespec *)a[4])
                    : mq_receive((mqd_t)a[0], (char *)a[1], (size_t)a[2], (unsigned *)a[3]);
        return true;
    default:
        return false;
    }
}

static bool about_queues(long number, const long *a, long *out)
{
    return FOR_PROGRAM(is_about_queues(number, a, out));
}

/* Files and mappings that come and go. */
static bool about_numbers(long number, const long *a, long *out)
{
    switch (number) {
    case SYS_open:
        *out = FOR_PROGRAM(open((const char *)a[0], (int)a[1], (mode_t)a[2]));
        return true;
    case SYS_openat:
        *out = FOR_PROGRAM(openat((int)a[0], (const char *)a[1], (int)a[2], (mode_t)a[3]));
        return true;
    case SYS_pipe:
        *out = pipe((int *)a[0]);
        return true;
    case SYS_pipe2:
        *out = pipe2((int *)a[0], (int)a[1]);
        return true;
    case SYS_dup2:
        *out = dup2((int)a[0], (int)a[1]);
        return true;
    case SYS_dup3:
        *out = dup3((int)a[0], (int)a[1], (int)a[2]);
        return true;
    case SYS_socketpair:
        *out = socketpair((int)a[0], (int)a[1], (int)a[2], (int *)a[3]);
        return true;
    case SYS_shutdown:
        *out = shutdown((int)a[0], (int)a[1]);
        return true;
    case SYS_eventfd:
    case SYS_eventfd2:
        *out = eventfd((unsigned)a[0], number == SYS_eventfd2 ? (int)a[1] : 0);
        return true;
    case SYS_timerfd_create:
        *out = timerfd_create((clockid_t)a[0], (int)a[1]);
        return true;
    case SYS_timerfd_settime:
        *out = timerfd_settime((int)a[0], (int)a[1], (const struct itimerspec *)a[2],
                               (struct itimerspec *)a[3]);
        return true;
    case SYS_timerfd_gettime:
        *out = timerfd_gettime((int)a[0], (struct itimerspec *)a[1]);
        return true;
    case SYS_signalfd:
    case SYS_signalfd4:
        *out = FOR_PROGRAM(
            signalfd((int)a[0], (const sigset_t *)a[1], number == SYS_signalfd4 ? (int)a[3] : 0));
        return true;
    case SYS_mmap:
        *out = (long)mmap((void *)a[0], (size_t)a[1], (int)a[2], (int)a[3], (int)a[4], a[5]);
        return true;
    case SYS_munmap:
        *out = munmap((void *)a[0], (size_t)a[1]);
        return true;
    case SYS_mremap:
        *out = (long)mremap((void *)a[0], (size_t)a[1], (size_t)a[2], (int)a[3], (void *)a[4]);
        return true;
    default:
        return false;
    }
}

/* Functions of ours that do these calls are not the caller's code: they come to nothing. */
static void come_to_mapping(long number, const long *a, uintptr_t pc)
{
    if (number == SYS_mmap)
        rdl__come_to_map((void *)a[0], (int)a[3], pc);
    else if (number == SYS_munmap || number == SYS_mremap)
        rdl__come_to_unmap((void *)a[0], pc);
}

/* Calls that name a thread by its number, as the kernel would know it. */
static void name_for_kernel(long number, long *a)
{
    switch (number) {
    case SYS_sched_getattr:
    case SYS_sched_setattr:
    case SYS_sched_getscheduler:
    case SYS_sched_setscheduler:
    case SYS_sched_getparam:
    case SYS_sched_setparam:
    case SYS_sched_getaffinity:
    case SYS_sched_setaffinity:
    case SYS_sched_rr_get_interval:
        a[0] = rdl__number_for_kernel(a[0]);
        break;
    case SYS_getpriority:
    case SYS_setpriority:
        if (a[0] == PRIO_PROCESS)
            a[1] = rdl__number_for_kernel(a[1]);
        break;
    case SYS_ioprio_get:
    case SYS_ioprio_set:
        if (a[0] == IOPRIO_WHO_PROCESS)
            a[1] = rdl__number_for_kernel(a[1]);
        break;
    default:
        break;
    }
}

static long call_by_number(struct rdl__thread *self, long number, long *a, uintptr_t pc)
{
    long result;

    rdl__tell_of_number(number, a, pc);
    come_to_mapping(number, a, pc);
    if (about_time_or_threads(self, number, a, pc, &result))
        return rdl__in_errno(result);
    if (about_files(self, number, a, pc, &result) ||
        about_processes(self, number, a, pc, &result) || about_numbers(number, a, &result) ||
        about_many_files(number, a, &result) || about_queues(number, a, &result) ||
        about_timers(number, a, &result))
        return result;
    if (number == SYS_clone || number == SYS_clone3) {
        rdl__come_to_clone(self, number == SYS_clone ? (uint64_t)a[0] : *(uint64_t *)a[0], pc);
        return rdl__copied(clone_by_number, (long[]){number, a[0], a[1], a[2], a[3], a[4], a[5]});
    }
    rdl__come_to_number(self, number, a, pc);
    name_for_kernel(number, a);
    return RDL__NEXT(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

long rdl__call_by_number(struct rdl__thread *self, long number, long *a, uintptr_t pc)
{
    uintptr_t before = self->by_number;
    long result;

    self->by_number = pc;
    result = call_by_number(self, number, a, pc);
    self->by_number = before;
    return result;
}

/* Memory that is mapped before the first execution; the answer of the call is handed on. */
static long note_mapping(long number, const long *a, uintptr_t pc, long result)
{
    if (number == SYS_mmap && result != -1)
        rdl__maps_note((void *)result, (size_t)a[1], (int)a[3], pc);
    else if (number == SYS_munmap && result == 0)
        rdl__maps_forget((void *)a[0], (size_t)a[1]);
    return result;
}

/* How many arguments there are is not known: the last may be what else is on the stack. */
__attribute__((no_sanitize("address"))) RDL__INTERPOSE long syscall(long number, ...)
{
    struct rdl__thread *self = rdl__self();
    uintptr_t pc = RDL__CALLER;
    long a[ARGUMENTS];
    va_list arguments;

    va_start(arguments, number);
    for (int i = 0; i < ARGUMENTS; i++)
        a[i] = va_arg(arguments, long);
    va_end(arguments);
    if (self)
        return rdl__call_by_number(self, number, a, pc);
    if (rdl__follower && (number == SYS_execve || number == SYS_execveat))
        return rdl__execute_by_number(number, a);
    return note_mapping(number, a, pc,
                        RDL__NEXT(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]));
}

RDL__INTERPOSE int tgkill(pid_t process, pid_t thread, int signal)
{
    struct rdl__thread *self = rdl__self();

    if (!self || process != getpid())
        return RDL__NEXT(tgkill)(process, thread, signal);
    return (int)rdl__in_errno(-send_to_thread(self, thread, signal, RDL__CALLER));
}
