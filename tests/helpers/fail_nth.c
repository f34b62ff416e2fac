/* fail_nth.c -- a library to preload that lets the N-th request to the system
 * fail: memory, mappings, processes, descriptors, files.
 *
 * FAIL_NTH is N, counted over all of them in the process that loaded us (its
 * children are left in peace); FAIL_LOG is a file that gets a line when the
 * failure has happened. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

static long left = -1; /* requests until the one that fails; -1: not known yet */
static pid_t owner;

/* Decide without allocating: we are inside malloc. */
static bool is_due(const char *what)
{
    char text[64];
    const char *number, *log;
    int fd, length;

    if (left == -1) {
        number = getenv("FAIL_NTH");
        left = number ? atol(number) : 0;
        owner = getpid();
    }
    if (left <= 0 || getpid() != owner || --left > 0)
        return false;
    log = getenv("FAIL_LOG");
    fd = log ? (int)(long)open64(log, O_WRONLY | O_CREAT | O_APPEND, 0666) : -1;
    length = snprintf(text, sizeof text, "%s\n", what);
    if (fd >= 0) {
        if (write(fd, text, (size_t)length) < 0)
            left = 0;
        close(fd);
    }
    return true;
}

static void *next(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);

void *malloc(size_t size)
{
    if (is_due("malloc")) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    if (is_due("calloc")) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    if (is_due("realloc")) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_realloc(old, size);
}

void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
    void *(*real)(void *, size_t, int, int, int, off_t) = next("mmap");

    if (is_due("mmap")) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    return real(at, size, protection, flags, fd, offset);
}

pid_t fork(void)
{
    pid_t (*real)(void) = next("fork");

    if (is_due("fork")) {
        errno = EAGAIN;
        return -1;
    }
    return real();
}

int socketpair(int domain, int type, int protocol, int pair[2])
{
    int (*real)(int, int, int, int *) = next("socketpair");

    if (is_due("socketpair")) {
        errno = EMFILE;
        return -1;
    }
    return real(domain, type, protocol, pair);
}

int eventfd(unsigned value, int flags)
{
    int (*real)(unsigned, int) = next("eventfd");

    if (is_due("eventfd")) {
        errno = EMFILE;
        return -1;
    }
    return real(value, flags);
}

int memfd_create(const char *name, unsigned flags)
{
    int (*real)(const char *, unsigned) = next("memfd_create");

    if (is_due("memfd_create")) {
        errno = ENFILE;
        return -1;
    }
    return real(name, flags);
}

int open(const char *path, int flags, ...)
{
    int (*real)(const char *, int, ...) = next("open");
    va_list args;
    int mode;

    va_start(args, flags);
    mode = va_arg(args, int);
    va_end(args);
    if (is_due("open")) {
        errno = EMFILE;
        return -1;
    }
    return real(path, flags, mode);
}

int mkostemp(char *path, int flags)
{
    int (*real)(char *, int) = next("mkostemp");

    if (is_due("mkostemp")) {
        errno = ENOSPC;
        return -1;
    }
    return real(path, flags);
}

int fsync(int fd)
{
    int (*real)(int) = next("fsync");

    if (is_due("fsync")) {
        errno = ENOSPC;
        return -1;
    }
    return real(fd);
}

int rename(const char *from, const char *to)
{
    int (*real)(const char *, const char *) = next("rename");

    if (is_due("rename")) {
        errno = EACCES;
        return -1;
    }
    return real(from, to);
}
