/* io.c -- reading and writing: a thread that would block waits, the others go on.
 *
 * A file is asked whether it is ready before the real call is made, so that the
 * call itself does not wait.  Writing needs more care: a pipe that is ready takes a
 * page, but not all that somebody may want to write.  What does not fit is written
 * when there is room again, in the same call, as the kernel would have done. */
#include <errno.h>
#include <limits.h>
#include <sys/eventfd.h>
#include <sys/sendfile.h>
#include <sys/time.h>
#include <unistd.h>

#include "control/sched/calls.h"
#include "control/sched/memory.h"
#include "control/sched/seen.h"
#include "control/sched/state.h"
#include "control/sched/track.h"
#include "control/sched/world.h"

/* What the compiler calls instead, if it knows the size of the buffer. */
_Noreturn void __chk_fail(void);
ssize_t __read_chk(int fd, void *out, size_t size, size_t room);

/* ---- Before and after ------------------------------------------------------------------ */

bool rdl__file_is_ready(int fd, short events)
{
    struct pollfd one = {.fd = fd, .events = events};

    return rdl__kernel_poll(&one, 1) > 0;
}

/* How long sockets wait, if they have been told. */
static uint64_t deadline_of(const struct rdl__file *file, short events)
{
    struct timeval limit = {0};
    socklen_t size = sizeof limit;
    struct timespec span;

    if (file->kind != RDL__SOCKET ||
        rdl__kernel(SYS_getsockopt, file->fd, SOL_SOCKET,
                    events & POLLIN ? SO_RCVTIMEO : SO_SNDTIMEO, (long)&limit, (long)&size, 0) != 0)
        return RDL__FOREVER;
    if (limit.tv_sec == 0 && limit.tv_usec == 0)
        return RDL__FOREVER;
    span = (struct timespec){.tv_sec = limit.tv_sec, .tv_nsec = limit.tv_usec * 1000};
    return rdl__deadline_in(&span);
}

bool rdl__io_await(struct rdl__thread *self, const struct rdl__file *file, short events,
                   uintptr_t pc)
{
    struct pollfd one = {.fd = file->fd, .events = events};
    struct rdl__file_wait wait = {.fds = &one, .count = 1};
    struct rdl__op op = rdl__file_op(file, pc);
    uint64_t deadline = deadline_of(file, events);

    switch (rdl__await_files(self, &op, &wait, deadline, deadline == RDL__FOREVER)) {
    case RDL__READY:
        return true;
    case RDL__TIMED_OUT:
        errno = EAGAIN;
        return false;
    default:
        errno = EINTR;
        return false;
    }
}

/* It will be done, whether the file is ready or not.  If it is not, the thread can
 * only be trying again and again. */
static void come_to_attempt(struct rdl__thread *self, const struct rdl__file *file, short events,
                            uintptr_t pc)
{
    struct rdl__op op = rdl__file_op(file, pc);

    if (file->kind != RDL__PLAIN_FILE && !rdl__file_is_ready(file->fd, events)) {
        op.flags = RDL__OP_POLITE;
        rdl__look_outside();
    }
    rdl__point(self, &op);
}

bool rdl__io_begin(struct rdl__thread *self, int fd, short events, bool at_once, uintptr_t pc,
                   struct rdl__file *out)
{
    rdl__test_cancel(self);
    rdl__file_look(fd, out);
    if (!out->waits || at_once) {
        come_to_attempt(self, out, events, pc);
        rdl__file_look(fd, out); /* others may have given the number to another file */
    }
    return !out->waits || at_once || rdl__io_await(self, out, events, pc);
}

/* ---- Pieces -------------------------------------------------------------------------------- */

size_t rdl__pieces_next(const struct rdl__pieces *pieces, struct iovec *out, size_t bytes_max,
                        size_t *out_bytes)
{
    size_t count = 0, bytes = 0, skip = pieces->done;

    for (size_t at = pieces->at; at < pieces->count && count < RDL__PIECES && bytes < bytes_max;
         at++, skip = 0) {
        size_t size = pieces->all[at].iov_len - skip;

        if (size > bytes_max - bytes)
            size = bytes_max - bytes;
        if (size == 0)
            continue;
        out[count++] =
            (struct iovec){.iov_base = (char *)pieces->all[at].iov_base + skip, .iov_len = size};
        bytes += size;
    }
    *out_bytes = bytes;
    return count;
}

void rdl__pieces_skip(struct rdl__pieces *pieces, size_t bytes)
{
    pieces->done += bytes;
    while (pieces->at < pieces->count && pieces->done >= pieces->all[pieces->at].iov_len)
        pieces->done -= pieces->all[pieces->at++].iov_len;
}

size_t rdl__bytes_in(const struct iovec *pieces, size_t count)
{
    size_t bytes = 0;

    for (size_t i = 0; i < count; i++)
        bytes += pieces[i].iov_len;
    return bytes;
}

static void transfer(struct rdl__thread *self, const struct rdl__file *file, size_t bytes,
                     short events)
{
    rdl__file_transfers(self, file,
                        &(struct rdl__transfer){
                            .bytes = bytes, .reads = events & POLLIN, .writes = events & POLLOUT});
}

/* ---- Reading --------------------------------------------------------------------------------- */

ssize_t rdl__readv(struct rdl__thread *self, int fd, const struct iovec *to, int count,
                   uintptr_t pc)
{
    struct rdl__file file;
    ssize_t result;

    if (!rdl__io_begin(self, fd, POLLIN, count <= 0 || rdl__bytes_in(to, (size_t)count) == 0, pc,
                       &file))
        return -1;
    if (count > 0)
        transfer(self, &file, rdl__bytes_in(to, (size_t)count), POLLIN);
    result = RDL__NEXT(readv)(fd, to, count);
    rdl__file_changed(self, &file);
    return result;
}

ssize_t rdl__read(struct rdl__thread *self, int fd, void *out, size_t size, uintptr_t pc)
{
    struct rdl__file file;
    ssize_t result;

    if (!rdl__io_begin(self, fd, POLLIN, size == 0, pc, &file))
        return -1;
    if (file.kind == RDL__OTHER_FILE)
        rdl__timers_run(); /* it may be one, and tell how often it has expired */
    transfer(self, &file, size, POLLIN);
    result = RDL__NEXT(read)(fd, out, size);
    rdl__file_changed(self, &file);
    rdl__memory_filled(self, out, result, pc);
    return result;
}

RDL__INTERPOSE ssize_t read(int fd, void *out, size_t size)
{
    struct rdl__thread *self = rdl__self();

    return self ? rdl__read(self, fd, out, size, RDL__CALLER) : RDL__NEXT(read)(fd, out, size);
}

RDL__INTERPOSE ssize_t __read_chk(int fd, void *out, size_t size, size_t room)
{
    struct rdl__thread *self = rdl__self();

    if (size > room)
        __chk_fail();
    return self ? rdl__read(self, fd, out, size, RDL__CALLER) : RDL__NEXT(read)(fd, out, size);
}

RDL__INTERPOSE ssize_t readv(int fd, const struct iovec *to, int count)
{
    struct rdl__thread *self = rdl__self();
    ssize_t got, left;

    if (!self)
        return RDL__NEXT(readv)(fd, to, count);
    if (count > 0 && rdl__is_instrumented(RDL__CALLER))
        rdl__call_reads((uintptr_t)to, (size_t)count * sizeof *to, RDL__CALLER);
    got = left = rdl__readv(self, fd, to, count, RDL__CALLER);
    for (int i = 0; i < count && left > 0; i++) {
        size_t size = to[i].iov_len < (size_t)left ? to[i].iov_len : (size_t)left;

        rdl__wrote(to[i].iov_base, size, RDL__CALLER);
        left -= (ssize_t)size;
    }
    return got;
}

RDL__INTERPOSE int eventfd_read(int fd, eventfd_t *out)
{
    struct rdl__thread *self = rdl__self();

    if (!self)
        return RDL__NEXT(eventfd_read)(fd, out);
    return rdl__read(self, fd, out, sizeof *out, RDL__CALLER) == (ssize_t)sizeof *out ? 0 : -1;
}

/* ---- Writing --------------------------------------------------------------------------------- */

/* As much as the pipe takes now.  Where the kernel does not know that flag for
 * pipes, they have to be told to refuse, for just this long. */
static ssize_t write_at_once(int fd, const struct iovec *from, size_t count, size_t bytes)
{
    static bool is_unknown;
    long result = -EOPNOTSUPP, flags;

    if (!is_unknown)
        result = rdl__kernel(SYS_pwritev2, fd, (long)from, (long)count, -1, -1, RWF_NOWAIT);
    if (result != -EOPNOTSUPP)
        return rdl__in_errno(result);
    is_unknown = true;
    if (bytes <= PIPE_BUF && rdl__file_is_ready(fd, POLLOUT))
        return RDL__NEXT(writev)(fd, from, (int)count);
    flags = rdl__kernel_fcntl(fd, F_GETFL, 0);
    rdl__kernel_fcntl(fd, F_SETFL, flags | O_NONBLOCK);
    result = rdl__kernel(SYS_writev, fd, (long)from, (long)count, 0, 0, 0);
    rdl__kernel_fcntl(fd, F_SETFL, flags);
    return rdl__in_errno(result);
}

/* An attempt comes first: a pipe may say that it is full, and still have room, namely
 * the rest of a page. */
static ssize_t write_to_pipe(struct rdl__thread *self, const struct rdl__file *file,
                             const struct iovec *from, int count, uintptr_t pc)
{
    struct rdl__pieces rest = {.all = from, .count = (size_t)count};
    struct rdl__op op = rdl__file_op(file, pc);
    ssize_t written = 0;

    rdl__point(self, &op);
    for (;;) {
        struct iovec next[RDL__PIECES];
        size_t bytes, pieces = rdl__pieces_next(&rest, next, SSIZE_MAX, &bytes);
        ssize_t more = write_at_once(file->fd, next, pieces, bytes);

        if (more < 0 && errno != EAGAIN)
            return written > 0 ? written : -1;
        if (more > 0) {
            written += more;
            rdl__pieces_skip(&rest, (size_t)more);
            rdl__file_changed(self, file);
            if (rest.at == rest.count)
                return written;
        }
        if ((more < 0 || (size_t)more < bytes) && !rdl__io_await(self, file, POLLOUT, pc))
            return written > 0 ? written : -1;
    }
}

static ssize_t write_pieces(struct rdl__thread *self, int fd, const struct iovec *from, int count,
                            uintptr_t pc)
{
    struct rdl__file file;
    ssize_t result;

    rdl__test_cancel(self);
    rdl__file_look(fd, &file);
    if (file.waits && count > 0 && count <= IOV_MAX && rdl__bytes_in(from, (size_t)count) > 0) {
        if (file.kind == RDL__PIPE)
            return write_to_pipe(self, &file, from, count, pc);
        if (file.kind == RDL__SOCKET)
            return rdl__sendmsg(
                self, fd,
                &(struct msghdr){.msg_iov = (struct iovec *)from, .msg_iovlen = (size_t)count}, 0,
                pc);
        if (!rdl__io_await(self, &file, POLLOUT, pc))
            return -1;
    } else {
        come_to_attempt(self, &file, POLLOUT, pc);
    }
    if (count > 0)
        transfer(self, &file, rdl__bytes_in(from, (size_t)count), POLLOUT);
    result = RDL__NEXT(writev)(fd, from, count);
    rdl__file_changed(self, &file);
    return result;
}

ssize_t rdl__writev(struct rdl__thread *self, int fd, const struct iovec *from, int count,
                    uintptr_t pc)
{
    return write_pieces(self, fd, from, count, pc);
}

ssize_t rdl__write(struct rdl__thread *self, int fd, const void *data, size_t size, uintptr_t pc)
{
    return write_pieces(self, fd, &(struct iovec){.iov_base = (void *)data, .iov_len = size}, 1,
                        pc);
}

RDL__INTERPOSE ssize_t write(int fd, const void *data, size_t size)
{
    struct rdl__thread *self = rdl__self();

    return self ? rdl__write(self, fd, data, size, RDL__CALLER) : RDL__NEXT(write)(fd, data, size);
}

RDL__INTERPOSE ssize_t writev(int fd, const struct iovec *from, int count)
{
    struct rdl__thread *self = rdl__self();

    return self ? rdl__writev(self, fd, from, count, RDL__CALLER)
                : RDL__NEXT(writev)(fd, from, count);
}

RDL__INTERPOSE int eventfd_write(int fd, eventfd_t value)
{
    struct rdl__thread *self = rdl__self();

    if (!self)
        return RDL__NEXT(eventfd_write)(fd, value);
    return rdl__write(self, fd, &value, sizeof value, RDL__CALLER) == (ssize_t)sizeof value ? 0
                                                                                            : -1;
}

/* ---- From file to file --------------------------------------------------------------------- */

RDL__INTERPOSE ssize_t splice(int from, off64_t *from_at, int to, off64_t *to_at, size_t size,
                              unsigned flags)
{
    struct rdl__thread *self = rdl__self();
    struct rdl__file source, target;
    uintptr_t pc = RDL__CALLER;
    bool at_once = flags & SPLICE_F_NONBLOCK;
    ssize_t result;

    if (!self)
        return RDL__NEXT(splice)(from, from_at, to, to_at, size, flags);
    if (!rdl__io_begin(self, from, POLLIN, at_once, pc, &source))
        return -1;
    rdl__file_look(to, &target);
    for (;;) {
        struct rdl__op op = rdl__file_op(&source, pc);

        op.flags |= RDL__OP_BREAKS; /* it is about two files */
        rdl__point(self, &op);
        transfer(self, &source, size, POLLIN);
        transfer(self, &target, size, POLLOUT);
        result = RDL__NEXT(splice)(from, from_at, to, to_at, size, flags | SPLICE_F_NONBLOCK);
        if (result >= 0 || errno != EAGAIN || at_once)
            break;
        if (rdl__file_is_ready(from, POLLIN) ? !rdl__io_await(self, &target, POLLOUT, pc)
                                             : !rdl__io_await(self, &source, POLLIN, pc))
            return -1;
    }
    rdl__file_changed(self, &source);
    rdl__file_changed(self, &target);
    return result;
}

/* It may send less than it was asked to: what fits. */
RDL__INTERPOSE ssize_t sendfile(int to, int from, off_t *from_at, size_t size)
{
    struct rdl__thread *self = rdl__self();
    struct rdl__file source, target;
    uintptr_t pc = RDL__CALLER;
    ssize_t result;
    long flags;

    if (!self)
        return RDL__NEXT(sendfile)(to, from, from_at, size);
    rdl__come_as_row("sendfile64", (const uint64_t[6]){(uint64_t)to}, pc);
    if (!rdl__io_begin(self, to, POLLOUT, false, pc, &target))
        return -1;
    rdl__file_look(from, &source);
    transfer(self, &source, size, POLLIN);
    transfer(self, &target, size, POLLOUT);
    flags = rdl__kernel_fcntl(to, F_GETFL, 0);
    do {
        rdl__kernel_fcntl(to, F_SETFL, flags | (target.waits ? O_NONBLOCK : 0));
        result = RDL__NEXT(sendfile)(to, from, from_at, size);
        rdl__kernel_fcntl(to, F_SETFL, flags);
    } while (result < 0 && errno == EAGAIN && target.waits &&
             rdl__io_await(self, &target, POLLOUT, pc));
    rdl__file_changed(self, &target);
    return result;
}
