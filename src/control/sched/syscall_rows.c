/* syscall_rows.c -- system calls by number, as the table of calls has them.
 *
 * A system call whose function has a row is an operation on what the row says; its arguments
 * are those of the function.  Any other may do anything. */
#include <sys/syscall.h>

#include "control/sched/seen.h"
#include "control/sched/state.h"
#include "control/sched/world.h"

/* Numbers and the functions whose rows they have. */
static const struct numbered {
    long number;
    const char *name;
} numbered[] = {
#define SAME(name)                                                                                 \
    {                                                                                              \
        SYS_##name, #name                                                                          \
    }
    SAME(access),
    SAME(acct),
    SAME(adjtimex),
    SAME(arch_prctl),
    SAME(bind),
    SAME(brk),
    SAME(chdir),
    SAME(chmod),
    SAME(chown),
    SAME(chroot),
    SAME(clock_getres),
    SAME(close_range),
    SAME(copy_file_range),
    SAME(creat),
    SAME(dup),
    SAME(epoll_create),
    SAME(epoll_create1),
    SAME(fallocate),
    SAME(fchdir),
    SAME(fchmod),
    SAME(fchmodat),
    SAME(fchown),
    SAME(fchownat),
    SAME(fdatasync),
    SAME(fgetxattr),
    SAME(flistxattr),
    SAME(fsetxattr),
    SAME(fstat),
    SAME(fstatfs),
    SAME(fsync),
    SAME(ftruncate),
    SAME(getdents64),
    SAME(getegid),
    SAME(geteuid),
    SAME(getgid),
    SAME(getgroups),
    SAME(getpeername),
    SAME(getpgid),
    SAME(getpgrp),
    SAME(getpid),
    SAME(getppid),
    SAME(getrandom),
    SAME(getresgid),
    SAME(getresuid),
    SAME(getrlimit),
    SAME(getrusage),
    SAME(getsockname),
    SAME(getsockopt),
    SAME(getuid),
    SAME(getxattr),
    SAME(inotify_add_watch),
    SAME(inotify_init),
    SAME(inotify_init1),
    SAME(inotify_rm_watch),
    SAME(ioctl),
    SAME(lchown),
    SAME(link),
    SAME(linkat),
    SAME(lseek),
    SAME(lstat),
    SAME(madvise),
    SAME(memfd_create),
    SAME(mincore),
    SAME(mkdir),
    SAME(mkdirat),
    SAME(mknod),
    SAME(mknodat),
    SAME(mlock),
    SAME(mlock2),
    SAME(mlockall),
    SAME(mount),
    SAME(mprotect),
    SAME(msync),
    SAME(munlock),
    SAME(munlockall),
    SAME(personality),
    SAME(pidfd_open),
    SAME(preadv),
    SAME(prlimit64),
    SAME(pwritev),
    SAME(readahead),
    SAME(readlink),
    SAME(readlinkat),
    SAME(rename),
    SAME(renameat),
    SAME(renameat2),
    SAME(rmdir),
    SAME(sched_get_priority_max),
    SAME(sched_get_priority_min),
    SAME(sched_getaffinity),
    SAME(sched_getparam),
    SAME(sched_getscheduler),
    SAME(sched_rr_get_interval),
    SAME(sched_setaffinity),
    SAME(sched_setparam),
    SAME(sched_setscheduler),
    SAME(setpgid),
    SAME(setrlimit),
    SAME(setsid),
    SAME(setsockopt),
    SAME(sigaltstack),
    SAME(socket),
    SAME(stat),
    SAME(statfs),
    SAME(statx),
    SAME(symlink),
    SAME(symlinkat),
    SAME(sync),
    SAME(sync_file_range),
    SAME(syncfs),
    SAME(sysinfo),
    SAME(tee),
    SAME(truncate),
    SAME(umask),
    SAME(uname),
    SAME(unlink),
    SAME(unlinkat),
    SAME(utime),
    SAME(utimensat),
    SAME(utimes),
    SAME(vmsplice),
    {SYS_pread64, "pread"},
    {SYS_pwrite64, "pwrite"},
    {SYS_newfstatat, "fstatat"},
    {SYS_faccessat, "faccessat"},
    {SYS_getcpu, "getcpu"},
    {SYS_fadvise64, "posix_fadvise"},
    {SYS_times, "times"},
    {SYS_getcwd, "getcwd"},
    /* What only the C library's own threads and signals are about. */
    {SYS_set_robust_list, "pthread_self"},
    {SYS_get_robust_list, "pthread_self"},
    {SYS_set_tid_address, "pthread_self"},
    {SYS_membarrier, "pthread_self"},
    {SYS_rt_sigreturn, "pthread_self"},
    {SYS_restart_syscall, "pthread_self"},
    {SYS_rt_sigpending, "__sigaction"},
    {SYS_rt_sigaction, "__sigaction"},
    {SYS_rt_sigprocmask, "__sigaction"},
    {SYS_exit, "pthread_self"},
    {SYS_exit_group, "pthread_self"},
    SAME(getpriority),
    SAME(setpriority),
};

/* Those that functions of ours do (syscall.c), which do not tell of the caller's memory. */
static const struct numbered done_elsewhere[] = {
    {SYS_read, "__read"},  {SYS_write, "__write"},
    SAME(readv),           SAME(writev),
    {SYS_poll, "__poll"},  SAME(select),
    SAME(recvmsg),         SAME(sendmsg),
    SAME(recvfrom),        SAME(sendto),
    SAME(accept),          SAME(accept4),
    SAME(connect),         SAME(open),
    SAME(openat),          SAME(pipe),
    SAME(pipe2),           SAME(nanosleep),
    SAME(clock_nanosleep), SAME(clock_gettime),
    SAME(gettimeofday),    SAME(time),
    SAME(wait4),           SAME(waitid),
    SAME(fcntl),           SAME(flock),
    SAME(signalfd),        {SYS_signalfd4, "signalfd"},
#undef SAME
};

static const struct rdl__call_row *row_of(const struct numbered *in, size_t count, long number)
{
    for (size_t i = 0; i < count; i++)
        if (in[i].number == number)
            return rdl__call_row(in[i].name);
    return NULL;
}

void rdl__tell_of_number(long number, const long *arguments, uintptr_t pc)
{
    const struct rdl__call_row *row =
        row_of(done_elsewhere, sizeof done_elsewhere / sizeof *done_elsewhere, number);

    if (row && rdl__is_instrumented(pc))
        rdl__call_memory(row, (const uint64_t *)arguments, pc);
}

void rdl__come_to_number(struct rdl__thread *self, long number, const long *arguments, uintptr_t pc)
{
    const struct rdl__call_row *row = row_of(numbered, sizeof numbered / sizeof *numbered, number);
    char name[32];

    if (row) {
        if (rdl__is_instrumented(pc))
            rdl__call_memory(row, (const uint64_t *)arguments, pc);
        rdl__come_to_call(self, row, (const uint64_t *)arguments, pc);
    } else if (!rdl__is_alone()) {
        snprintf(name, sizeof name, "system call %ld", number);
        rdl__limit(RDL__LIMIT_UNKNOWN, name, NULL);
        rdl__come_to_state(self, RDL__STATE_WORLD, RDL__WRITES, pc);
    }
}
