/* kernel.h -- system calls, without the C library in between.
 *
 * The C library's functions may be ours (control/sched), and write to errno, which
 * is a variable of the thread that happens to run.  These do neither: the result
 * is the kernel's, an error number with a minus sign. */
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

static inline long rdl__kernel(long number, long a, long b, long c, long d, long e, long f)
{
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    long result;

    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

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

/* Real time, whatever clock_gettime says. */
static inline uint64_t rdl__kernel_now_ns(void)
{
    struct timespec now;

    rdl__kernel(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&now, 0, 0, 0, 0);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Either set may be NULL. */
static inline long rdl__kernel_mask(int how, const rdl__signals *set, rdl__signals *out_old)
{
    return rdl__kernel(SYS_rt_sigprocmask, how, (long)set, (long)out_old, sizeof *set, 0, 0);
}

#endif
