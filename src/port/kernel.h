/* kernel.h -- system calls, without the C library in between.
 *
 * The C library's functions may be ours (control/sched), and write to errno, which
 * is a variable of the thread that happens to run.  These do neither: the result
 * is the kernel's, an error number with a minus sign.
 *
 * There is one instruction in all of Raddle that makes system calls: rdl__own_door. */
#ifndef RDL__KERNEL_H
#define RDL__KERNEL_H

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

/* The kernel's idea of a set of signals: 64 bits, bit 0 for signal 1. */
typedef uint64_t rdl__signals;

/* May be called where thread-local variables are somebody else's, and on tiny stacks. */
long rdl__kernel(long number, long a, long b, long c, long d, long e, long f);

/* Code that makes the call and returns: all system calls of ours go through it, and so
 * can be made from another place, if the kernel is to tell them from others. */
extern const void *rdl__kernel_door;
extern const char rdl__own_door[]; /* the one it is at first */

/* Leave a signal handler whose frame begins here. */
_Noreturn void rdl__kernel_sigreturn(uintptr_t stack_pointer);

/* As a function of the C library would say it. */
static inline long rdl__in_errno(long result)
{
    if (result >= 0 || result < -4095)
        return result;
    errno = (int)-result;
    return -1;
}

/* Which of these are ready, as things are now? */
static inline long rdl__kernel_poll(struct pollfd *fds, nfds_t count)
{
    return rdl__kernel(SYS_poll, (long)fds, (long)count, 0, 0, 0, 0);
}

static inline long rdl__kernel_fstat(int fd, struct stat *out)
{
    return rdl__kernel(SYS_fstat, fd, (long)out, 0, 0, 0, 0);
}

static inline long rdl__kernel_fcntl(int fd, int command, long argument)
{
    return rdl__kernel(SYS_fcntl, fd, command, argument, 0, 0, 0);
}

static inline long rdl__kernel_close(int fd)
{
    return rdl__kernel(SYS_close, fd, 0, 0, 0, 0, 0);
}

/* Descriptors of ours begin here, so that the code under test gets the numbers that it would get
 * without us. */
enum { RDL__FD_FLOOR = 500 };

/* Move a descriptor there, if it is one; where so many are not allowed, it stays. */
static inline int rdl__kernel_out_of_the_way(int fd)
{
    long high = fd < 0 ? -EBADF : rdl__kernel_fcntl(fd, F_DUPFD_CLOEXEC, RDL__FD_FLOOR);

    if (high < 0)
        return fd;
    rdl__kernel_close(fd);
    return (int)high;
}

/* Real time, whatever clock_gettime says. */
static inline uint64_t rdl__kernel_now_ns(void)
{
    struct timespec now;

    rdl__kernel(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&now, 0, 0, 0, 0);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Files that are changed from now on are not older than CLOCK_REALTIME_COARSE; those that were
 * changed are not younger than CLOCK_REALTIME. */
static inline uint64_t rdl__kernel_clock_ns(clockid_t clock)
{
    struct timespec now;

    rdl__kernel(SYS_clock_gettime, clock, (long)&now, 0, 0, 0, 0);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Either set may be NULL. */
static inline long rdl__kernel_mask(int how, const rdl__signals *set, rdl__signals *out_old)
{
    return rdl__kernel(SYS_rt_sigprocmask, how, (long)set, (long)out_old, sizeof *set, 0, 0);
}

#endif
