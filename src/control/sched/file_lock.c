/* file_lock.c -- locks on files: flock, lockf, and those of fcntl.
 *
 * A lock belongs to an open file description (flock, F_OFD_SETLK) or to the process (lockf,
 * F_SETLK), never to a thread, and the kernel alone knows who has it.  So a thread that would wait
 * tries without waiting, and tries again when a file has changed: unlocking and closing are such
 * changes.  A wait is hopeless if the lock that is in the way is one of a descriptor of ours, and
 * no other process may have that, too.
 *
 * A lock puts the accesses of threads in order, as a mutex does. */
#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "control/sched/state.h"
#include "control/sched/world.h"

RDL__ASKED_FOR(file_lock);

enum { INFO_ROOM = 4096 };

/* A call that may have to wait. */
struct attempt {
    int (*make)(const struct attempt *it); /* without waiting; 0 or -1, with errno */
    int fd;
    long command, argument;
    bool waits, unlocks;
};

static int make_flock(const struct attempt *it)
{
    return RDL__NEXT(flock)(it->fd, (int)it->command | (it->unlocks ? 0 : LOCK_NB));
}

static int make_lockf(const struct attempt *it)
{
    return RDL__NEXT(lockf)(it->fd, it->waits ? F_TLOCK : (int)it->command, it->argument);
}

static int make_fcntl(const struct attempt *it)
{
    int command = it->command == F_SETLKW       ? F_SETLK
                  : it->command == F_OFD_SETLKW ? F_OFD_SETLK
                                                : (int)it->command;

    return RDL__NEXT(fcntl)(it->fd, command, it->argument);
}

/* ---- Who has it ------------------------------------------------------------------------------ */

static bool read_info(const char *fd, char *out)
{
    char path[300];
    long file, size;

    snprintf(path, sizeof path, "/proc/self/fdinfo/%s", fd);
    file = rdl__kernel(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0);
    if (file < 0)
        return false;
    size = rdl__kernel(SYS_read, file, (long)out, INFO_ROOM - 1, 0, 0, 0);
    rdl__kernel_close((int)file);
    out[size > 0 ? size : 0] = '\0';
    return size > 0;
}

/* Does the descriptor have a lock on this file?  The kernel says that as in
 * "lock: 1: FLOCK  ADVISORY  WRITE 712 fe:01:51382 0 EOF". */
static bool has_lock(const char *fd, const struct stat *status)
{
    static char info[INFO_ROOM];
    char file[64];
    const char *at = info;

    snprintf(file, sizeof file, " %02x:%02x:%lu ", major(status->st_dev), minor(status->st_dev),
             (unsigned long)status->st_ino);
    if (!read_info(fd, info))
        return false;
    while ((at = strstr(at, "\nlock:"))) {
        const char *end = strchr(++at, '\n'), *found = strstr(at, file);

        if (found && (!end || found < end))
            return true;
    }
    return false;
}

/* Entries as getdents64 has them. */
struct entry {
    uint64_t inode, next;
    uint16_t size;
    uint8_t type;
    char name[];
};

static bool any_has_lock(int folder, int but, const struct stat *status)
{
    static _Alignas(8) char entries[INFO_ROOM];
    long size;

    while ((size = rdl__kernel(SYS_getdents64, folder, (long)entries, sizeof entries, 0, 0, 0)) > 0)
        for (long at = 0; at < size; at += ((const struct entry *)(entries + at))->size) {
            const char *name = ((const struct entry *)(entries + at))->name;

            if (name[0] != '.' && atoi(name) != but && has_lock(name, status))
                return true;
        }
    return false;
}

/* What one that waits cannot get is a lock of another descriptor's. */
bool rdl__lock_is_hopeless(int fd)
{
    struct stat status;
    bool is_ours;
    long folder;

    if (rdl__has_forked() || rdl__kernel_fstat(fd, &status) != 0)
        return false;
    folder =
        rdl__kernel(SYS_openat, AT_FDCWD, (long)"/proc/self/fd", O_RDONLY | O_CLOEXEC, 0, 0, 0);
    if (folder < 0)
        return false;
    is_ours = any_has_lock((int)folder, fd, &status);
    rdl__kernel_close((int)folder);
    return is_ours;
}

/* ---- Taking it and giving it back ------------------------------------------------------------ */

/* Changing the kind of a lock gives it up first, even if the attempt fails. */
static int try_first(struct rdl__thread *self, const struct attempt *it, struct rdl__file *out)
{
    int result, why;

    rdl__file_look(it->fd, out);
    rdl__hb_release(self, out->object);
    result = it->make(it);
    why = errno;
    rdl__files_ask(out->object);
    errno = why;
    return result;
}

static bool is_refused(const struct attempt *it, int result)
{
    return it->waits && result < 0 && (errno == EAGAIN || errno == EACCES);
}

/* It is the thread's turn. */
static int lock(struct rdl__thread *self, const struct attempt *it, uintptr_t pc)
{
    struct pollfd one = {.fd = it->fd};
    struct rdl__file_wait wait = {.fds = &one, .count = 1, .retry = true, .lock = true};
    struct rdl__file file;
    int result = try_first(self, it, &file);

    while (is_refused(it, result)) {
        struct rdl__op op = rdl__file_op(&file, pc);

        if (rdl__await_files(self, &op, &wait, RDL__FOREVER, true) != RDL__READY) {
            errno = EINTR;
            return -1;
        }
        result = it->make(it);
    }
    if (result == 0 && !it->unlocks)
        rdl__hb_acquire(self, file.object);
    return result;
}

/* Unlike the others, flock is no place at which a thread is cancelled. */
int rdl__flock(struct rdl__thread *self, int fd, int how, uintptr_t pc)
{
    const struct attempt attempt = {.make = make_flock,
                                    .fd = fd,
                                    .command = how,
                                    .waits = !(how & LOCK_NB),
                                    .unlocks = how & LOCK_UN};
    int state = self->cancel_state, result;

    rdl__come_as_row("flock", (const uint64_t[6]){(uint64_t)fd}, pc);
    self->cancel_state = PTHREAD_CANCEL_DISABLE;
    result = lock(self, &attempt, pc);
    self->cancel_state = state;
    return result;
}

int rdl__fcntl(struct rdl__thread *self, int fd, int command, long argument, uintptr_t pc)
{
    bool waits = command == F_SETLKW || command == F_OFD_SETLKW;
    struct attempt attempt = {
        .make = make_fcntl, .fd = fd, .command = command, .argument = argument, .waits = waits};

    rdl__come_as_row("fcntl",
                     (const uint64_t[6]){(uint64_t)fd, (uint64_t)command, (uint64_t)argument}, pc);
    if (!waits && command != F_SETLK && command != F_OFD_SETLK)
        return make_fcntl(&attempt);
    attempt.unlocks = argument && ((const struct flock *)argument)->l_type == F_UNLCK;
    return lock(self, &attempt, pc);
}

static int lock_from_here(struct rdl__thread *self, int fd, int command, off_t size, uintptr_t pc)
{
    const struct attempt attempt = {.make = make_lockf,
                                    .fd = fd,
                                    .command = command,
                                    .argument = size,
                                    .waits = command == F_LOCK,
                                    .unlocks = command == F_ULOCK};

    rdl__come_as_row("lockf", (const uint64_t[6]){(uint64_t)fd, (uint64_t)command, (uint64_t)size},
                     pc);
    return command == F_TEST ? make_lockf(&attempt) : lock(self, &attempt, pc);
}

/* ---- Interposed ------------------------------------------------------------------------------ */

RDL__INTERPOSE int flock(int fd, int how)
{
    struct rdl__thread *self = rdl__self();

    return self ? rdl__flock(self, fd, how, RDL__CALLER) : RDL__NEXT(flock)(fd, how);
}

RDL__INTERPOSE int lockf(int fd, int command, off_t size)
{
    struct rdl__thread *self = rdl__self();

    return self ? lock_from_here(self, fd, command, size, RDL__CALLER)
                : RDL__NEXT(lockf)(fd, command, size);
}

RDL__INTERPOSE int lockf64(int fd, int command, off64_t size)
{
    struct rdl__thread *self = rdl__self();

    return self ? lock_from_here(self, fd, command, size, RDL__CALLER)
                : RDL__NEXT(lockf64)(fd, command, size);
}

int __fcntl(int fd, int command, ...);

/* The argument is a number or a pointer, or there is none, and a register holds something else. */
#define FCNTL(name)                                                                                \
    RDL__INTERPOSE int name(int fd, int command, ...)                                              \
    {                                                                                              \
        struct rdl__thread *self = rdl__self();                                                    \
        va_list arguments;                                                                         \
        long argument;                                                                             \
                                                                                                   \
        va_start(arguments, command);                                                              \
        argument = va_arg(arguments, long);                                                        \
        va_end(arguments);                                                                         \
        return self ? rdl__fcntl(self, fd, command, argument, RDL__CALLER)                         \
                    : RDL__NEXT(name)(fd, command, argument);                                      \
    }

FCNTL(fcntl)
FCNTL(fcntl64)
FCNTL(__fcntl)
