/* open.c -- opening a FIFO: who comes first waits for the other end.
 *
 * Readers open their end at once, without waiting, so that writers find it; then they
 * wait for a writer.  The kernel does not tell whether there is one, so we remember
 * who has opened for writing; one in another process is noticed when it has written,
 * or gone. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <unistd.h>

#include "control/sched/left.h"
#include "control/sched/seen.h"
#include "control/sched/state.h"
#include "control/sched/world.h"

#undef open64
#undef openat64

enum { FIFOS_MAX = 32 };

static struct fifo {
    dev_t device;
    ino_t inode;
    bool has_writer; /* has had one in this execution */
} fifos[FIFOS_MAX];
static uint32_t fifo_count;

void rdl__fifos_begin(void)
{
    fifo_count = 0;
}

static struct fifo *fifo_of(const struct stat *status)
{
    for (uint32_t i = 0; i < fifo_count; i++)
        if (fifos[i].inode == status->st_ino && fifos[i].device == status->st_dev)
            return &fifos[i];
    if (fifo_count == FIFOS_MAX)
        return NULL;
    fifos[fifo_count] = (struct fifo){.device = status->st_dev, .inode = status->st_ino};
    return &fifos[fifo_count++];
}

/* Something may have happened: wait for that.  False: interrupted. */
static bool await_change(struct rdl__thread *self, uintptr_t pc)
{
    struct rdl__file_wait wait = {.retry = true};
    struct rdl__file any = rdl__any_file();
    struct rdl__op op = rdl__file_op(&any, pc);

    if (rdl__await_files(self, &op, &wait, RDL__FOREVER, true) != RDL__INTERRUPTED)
        return true;
    errno = EINTR;
    return false;
}

static int open_reader(struct rdl__thread *self, struct fifo *fifo, int fd, uintptr_t pc)
{
    while (fd >= 0 && !fifo->has_writer && !rdl__file_is_ready(fd, POLLIN))
        if (!await_change(self, pc)) {
            rdl__kernel_close(fd);
            return -1;
        }
    return fd;
}

static int open_fifo(struct rdl__thread *self, struct fifo *fifo, int folder, const char *path,
                     int flags, uintptr_t pc)
{
    struct rdl__file any = rdl__any_file();
    struct rdl__op op = rdl__file_op(&any, pc);
    bool writes = (flags & O_ACCMODE) == O_WRONLY;
    int fd;

    rdl__point(self, &op);
    while ((fd = RDL__NEXT(openat)(folder, path, flags | O_NONBLOCK)) < 0 && errno == ENXIO &&
           writes)
        if (!await_change(self, pc))
            return -1;
    if (fd < 0)
        return -1;
    rdl__kernel_fcntl(fd, F_SETFL, rdl__kernel_fcntl(fd, F_GETFL, 0) & ~O_NONBLOCK);
    fifo->has_writer |= writes;
    rdl__file_changed(self, &any);
    return writes ? fd : open_reader(self, fifo, fd, pc);
}

/* Is it one, and would opening it wait? */
static struct fifo *fifo_to_open(int folder, const char *path, int flags)
{
    struct stat status;

    if (!path || flags & (O_NONBLOCK | O_PATH) || (flags & O_ACCMODE) == O_RDWR ||
        rdl__kernel(SYS_newfstatat, folder, (long)path, (long)&status, 0, 0, 0) != 0 ||
        !S_ISFIFO(status.st_mode))
        return NULL;
    return fifo_of(&status);
}

/* A FIFO that has to be waited for; else, if a thread is controlled, it is its turn to open. */
static struct fifo *come_to_open(struct rdl__thread *self, int folder, const char *path, int flags,
                                 uintptr_t pc)
{
    struct fifo *fifo = self ? fifo_to_open(folder, path, flags) : NULL;
    bool is_told = self && !rdl__is_for_raddle(pc) && self->aside == 0;

    if (is_told)
        rdl__note_opening(path);
    if (self && !fifo && !rdl__is_alone() && self->aside == 0)
        rdl__come_to_open(self, folder, path, flags & O_CREAT, flags & O_TRUNC, pc);
    if (is_told && !rdl__is_own(pc)) /* a call by number is not where a thread is cancelled */
        rdl__test_cancel(self);
    if (is_told)
        rdl__left_open(folder, path, flags);
    return fifo;
}

/* The mode is there only if a file may be made. */
#define MODE_AFTER(last, flags)                                                                    \
    (__extension__({                                                                               \
        mode_t mode = 0;                                                                           \
                                                                                                   \
        if ((flags) & (O_CREAT | __O_TMPFILE)) {                                                   \
            va_list arguments;                                                                     \
                                                                                                   \
            va_start(arguments, last);                                                             \
            mode = va_arg(arguments, mode_t);                                                      \
            va_end(arguments);                                                                     \
        }                                                                                          \
        mode;                                                                                      \
    }))

RDL__INTERPOSE int open(const char *path, int flags, ...)
{
    struct rdl__thread *self = rdl__self();
    struct fifo *fifo = come_to_open(self, AT_FDCWD, path, flags, RDL__CALLER);

    return fifo ? open_fifo(self, fifo, AT_FDCWD, path, flags, RDL__CALLER)
                : RDL__NEXT(open)(path, flags, MODE_AFTER(flags, flags));
}

RDL__INTERPOSE int open64(const char *path, int flags, ...)
{
    struct rdl__thread *self = rdl__self();
    struct fifo *fifo = come_to_open(self, AT_FDCWD, path, flags, RDL__CALLER);

    return fifo ? open_fifo(self, fifo, AT_FDCWD, path, flags, RDL__CALLER)
                : RDL__NEXT(open64)(path, flags, MODE_AFTER(flags, flags));
}

RDL__INTERPOSE int openat(int folder, const char *path, int flags, ...)
{
    struct rdl__thread *self = rdl__self();
    struct fifo *fifo = come_to_open(self, folder, path, flags, RDL__CALLER);

    return fifo ? open_fifo(self, fifo, folder, path, flags, RDL__CALLER)
                : RDL__NEXT(openat)(folder, path, flags, MODE_AFTER(flags, flags));
}

RDL__INTERPOSE int openat64(int folder, const char *path, int flags, ...)
{
    struct rdl__thread *self = rdl__self();
    struct fifo *fifo = come_to_open(self, folder, path, flags, RDL__CALLER);

    return fifo ? open_fifo(self, fifo, folder, path, flags, RDL__CALLER)
                : RDL__NEXT(openat64)(folder, path, flags, MODE_AFTER(flags, flags));
}
