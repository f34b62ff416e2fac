/* socket.c -- sockets: the calls that only they have.
 *
 * The real calls are made so that they never wait; when they cannot do what they
 * should, the thread waits and they are made again.  Time-outs that were set on a
 * socket are in virtual time. */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "control/sched/left.h"
#include "control/sched/memory.h"
#include "control/sched/world.h"

#define sched (&rdl__sched)

/* What the compiler calls instead, if it knows the size of the buffer. */
_Noreturn void __chk_fail(void);
ssize_t __recv_chk(int fd, void *out, size_t size, size_t room, int flags);
ssize_t __recvfrom_chk(int fd, void *restrict out, size_t size, size_t room, int flags,
                       struct sockaddr *restrict address, socklen_t *restrict length);

/* ---- Receiving ------------------------------------------------------------------------ */

static bool never_waits(int flags)
{
    return flags & (MSG_DONTWAIT | MSG_ERRQUEUE | MSG_OOB);
}

/* Until all of it is there, if that is asked for: what has come is put where it
 * belongs, and the next part behind it. */
static ssize_t receive_rest(struct rdl__thread *self, const struct rdl__file *file,
                            const struct msghdr *message, int flags, ssize_t got, uintptr_t pc)
{
    struct rdl__pieces rest = {.all = message->msg_iov, .count = message->msg_iovlen};

    rdl__pieces_skip(&rest, (size_t)got);
    while (rest.at < rest.count && rdl__io_await(self, file, POLLIN, pc)) {
        struct iovec here[RDL__PIECES];
        size_t bytes;
        struct msghdr more = {.msg_iov = here,
                              .msg_iovlen = rdl__pieces_next(&rest, here, SIZE_MAX, &bytes)};
        ssize_t result = RDL__NEXT(recvmsg)(file->fd, &more, flags | MSG_DONTWAIT);

        if (result <= 0)
            break;
        rdl__file_changed(self, file);
        rdl__pieces_skip(&rest, (size_t)result);
        got += result;
    }
    return got;
}

ssize_t rdl__recvmsg(struct rdl__thread *self, int fd, struct msghdr *message, int flags,
                     uintptr_t pc)
{
    int at_once = (flags & ~MSG_WAITALL) | MSG_DONTWAIT;
    struct rdl__file file;
    ssize_t result;

    if (!rdl__io_begin(self, fd, POLLIN, never_waits(flags), pc, &file))
        return -1;
    if (!file.waits || never_waits(flags)) {
        result = RDL__NEXT(recvmsg)(fd, message, flags);
        rdl__file_changed(self, &file);
        return result;
    }
    while ((result = RDL__NEXT(recvmsg)(fd, message, at_once)) < 0 && errno == EAGAIN)
        if (!rdl__io_await(self, &file, POLLIN, pc))
            return -1;
    rdl__file_changed(self, &file);
    if (result > 0 && flags & MSG_WAITALL && !(flags & MSG_PEEK))
        result = receive_rest(self, &file, message, at_once, result, pc);
    return result;
}

ssize_t rdl__receive(struct rdl__thread *self, int fd, void *out, size_t size, int flags,
                     struct sockaddr *address, socklen_t *length, uintptr_t pc)
{
    struct iovec piece = {.iov_base = out, .iov_len = size};
    struct msghdr message = {.msg_name = address,
                             .msg_namelen = address && length ? *length : 0,
                             .msg_iov = &piece,
                             .msg_iovlen = 1};
    ssize_t result = rdl__recvmsg(self, fd, &message, flags, pc);

    if (result >= 0 && address && length)
        *length = message.msg_namelen;
    rdl__memory_filled(self, out, result < (ssize_t)size ? result : (ssize_t)size, pc);
    return result;
}

RDL__INTERPOSE ssize_t recv(int fd, void *out, size_t size, int flags)
{
    struct rdl__thread *self = rdl__self();

    return self ? rdl__receive(self, fd, out, size, flags, NULL, NULL, RDL__CALLER)
                : RDL__NEXT(recv)(fd, out, size, flags);
}

RDL__INTERPOSE ssize_t recvfrom(int fd, void *restrict out, size_t size, int flags,
                                struct sockaddr *restrict address, socklen_t *restrict length)
{
    struct rdl__thread *self = rdl__self();

    return self ? rdl__receive(self, fd, out, size, flags, address, length, RDL__CALLER)
                : RDL__NEXT(recvfrom)(fd, out, size, flags, address, length);
}

RDL__INTERPOSE ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
    struct rdl__thread *self = rdl__self();

    return self ? rdl__recvmsg(self, fd, message, flags, RDL__CALLER)
                : RDL__NEXT(recvmsg)(fd, message, flags);
}

RDL__INTERPOSE ssize_t __recv_chk(int fd, void *out, size_t size, size_t room, int flags)
{
    struct rdl__thread *self = rdl__self();

    if (size > room)
        __chk_fail();
    return self ? rdl__receive(self, fd, out, size, flags, NULL, NULL, RDL__CALLER)
                : RDL__NEXT(recv)(fd, out, size, flags);
}

RDL__INTERPOSE ssize_t __recvfrom_chk(int fd, void *restrict out, size_t size, size_t room,
                                      int flags, struct sockaddr *restrict address,
                                      socklen_t *restrict length)
{
    struct rdl__thread *self = rdl__self();

    if (size > room)
        __chk_fail();
    return self ? rdl__receive(self, fd, out, size, flags, address, length, RDL__CALLER)
                : RDL__NEXT(recvfrom)(fd, out, size, flags, address, length);
}

RDL__INTERPOSE int recvmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags,
                            struct timespec *timeout)
{
    struct rdl__thread *self = rdl__self();
    uintptr_t pc = RDL__CALLER;
    uint64_t deadline;
    unsigned got = 0;

    if (!self)
        return RDL__NEXT(recvmmsg)(fd, messages, count, flags, timeout);
    if (count == 0)
        pthread_testcancel();
    deadline = timeout ? rdl__deadline_in(timeout) : RDL__FOREVER;
    /* The kernel, too, looks at the time only after a message. */
    while (got < count && (got == 0 || sched->now < deadline)) {
        int later = got > 0 && flags & MSG_WAITFORONE ? MSG_DONTWAIT : 0;
        ssize_t result =
            rdl__recvmsg(self, fd, &messages[got].msg_hdr, (flags & ~MSG_WAITFORONE) | later, pc);

        if (result < 0)
            return got > 0 ? (int)got : -1;
        messages[got++].msg_len = (unsigned)result;
    }
    return (int)got;
}

/* ---- Sending ---------------------------------------------------------------------------- */

/* Descriptors that are sent away may be anybody's. */
static void note_descriptors(const struct msghdr *message)
{
    struct msghdr *all = (struct msghdr *)message;

    for (struct cmsghdr *it = CMSG_FIRSTHDR(all); it; it = CMSG_NXTHDR(all, it))
        if (it->cmsg_level == SOL_SOCKET && it->cmsg_type == SCM_RIGHTS)
            rdl__files_shared();
}

/* There was no room.  It may be that of the receiver, of which the sender's socket
 * knows nothing: then wait until anything has happened. */
static bool await_room(struct rdl__thread *self, const struct rdl__file *file, uintptr_t pc)
{
    struct pollfd one = {.fd = file->fd, .events = POLLOUT};
    struct rdl__file_wait wait = {.fds = &one, .count = 1, .retry = true};
    struct rdl__file any = rdl__any_file();
    struct rdl__op op = rdl__file_op(&any, pc);

    if (!rdl__file_is_ready(file->fd, POLLOUT))
        return rdl__io_await(self, file, POLLOUT, pc);
    if (rdl__await_files(self, &op, &wait, RDL__FOREVER, true) != RDL__INTERRUPTED)
        return true;
    errno = EINTR;
    return false;
}

/* An attempt comes first: a socket may say that it is full, and still have room.
 * A message is sent as one if its kind of socket knows messages; only a stream
 * ever takes a part of it.  What goes with it goes with the first part. */
static ssize_t send_all(struct rdl__thread *self, const struct rdl__file *file,
                        const struct msghdr *message, int flags, uintptr_t pc)
{
    struct rdl__pieces rest = {.all = message->msg_iov, .count = message->msg_iovlen};
    size_t size = rdl__bytes_in(message->msg_iov, message->msg_iovlen), sent = 0;
    struct iovec here[RDL__PIECES];
    struct msghdr part = *message;

    for (;;) {
        ssize_t more = RDL__NEXT(sendmsg)(file->fd, &part, flags | MSG_DONTWAIT);
        size_t bytes;

        if (more < 0 && errno != EAGAIN)
            return sent > 0 ? (ssize_t)sent : -1;
        if (more >= 0) {
            sent += (size_t)more;
            rdl__file_changed(self, file);
            if (sent >= size)
                return (ssize_t)sent;
            rdl__pieces_skip(&rest, (size_t)more);
            part = (struct msghdr){.msg_iov = here,
                                   .msg_iovlen = rdl__pieces_next(&rest, here, SIZE_MAX, &bytes)};
        } else if (!await_room(self, file, pc)) {
            return sent > 0 ? (ssize_t)sent : -1;
        }
    }
}

ssize_t rdl__sendmsg(struct rdl__thread *self, int fd, const struct msghdr *message, int flags,
                     uintptr_t pc)
{
    struct rdl__file file;
    struct rdl__op op;
    ssize_t result;

    rdl__test_cancel(self);
    rdl__file_look(fd, &file);
    note_descriptors(message);
    op = rdl__file_op(&file, pc);
    rdl__point(self, &op);
    if (file.waits && !(flags & MSG_DONTWAIT))
        return send_all(self, &file, message, flags, pc);
    result = RDL__NEXT(sendmsg)(fd, message, flags);
    rdl__file_changed(self, &file);
    return result;
}

static ssize_t send_to(struct rdl__thread *self, int fd, const void *data, size_t size, int flags,
                       const struct sockaddr *address, socklen_t length, uintptr_t pc)
{
    struct iovec piece = {.iov_base = (void *)data, .iov_len = size};

    return rdl__sendmsg(self, fd,
                        &(struct msghdr){.msg_name = (void *)address,
                                         .msg_namelen = address ? length : 0,
                                         .msg_iov = &piece,
                                         .msg_iovlen = 1},
                        flags, pc);
}

RDL__INTERPOSE ssize_t send(int fd, const void *data, size_t size, int flags)
{
    struct rdl__thread *self = rdl__self();

    return self ? send_to(self, fd, data, size, flags, NULL, 0, RDL__CALLER)
                : RDL__NEXT(send)(fd, data, size, flags);
}

RDL__INTERPOSE ssize_t sendto(int fd, const void *data, size_t size, int flags,
                              const struct sockaddr *address, socklen_t length)
{
    struct rdl__thread *self = rdl__self();

    return self ? send_to(self, fd, data, size, flags, address, length, RDL__CALLER)
                : RDL__NEXT(sendto)(fd, data, size, flags, address, length);
}

RDL__INTERPOSE ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
    struct rdl__thread *self = rdl__self();

    return self ? rdl__sendmsg(self, fd, message, flags, RDL__CALLER)
                : RDL__NEXT(sendmsg)(fd, message, flags);
}

RDL__INTERPOSE int sendmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags)
{
    struct rdl__thread *self = rdl__self();
    uintptr_t pc = RDL__CALLER;
    unsigned sent = 0;

    if (!self)
        return RDL__NEXT(sendmmsg)(fd, messages, count, flags);
    while (sent < count) {
        ssize_t result = rdl__sendmsg(self, fd, &messages[sent].msg_hdr, flags, pc);

        if (result < 0)
            return sent > 0 ? (int)sent : -1;
        messages[sent++].msg_len = (unsigned)result;
    }
    return (int)sent;
}

/* ---- Connections -------------------------------------------------------------------------- */

int rdl__accept4(struct rdl__thread *self, int fd, struct sockaddr *address, socklen_t *length,
                 int flags, uintptr_t pc)
{
    struct rdl__file file;
    int result;

    if (!rdl__io_begin(self, fd, POLLIN, false, pc, &file))
        return -1;
    result = RDL__NEXT(accept4)(fd, address, length, flags);
    if (result >= 0)
        rdl__link_made(result);
    rdl__file_changed(self, &file);
    return result;
}

RDL__INTERPOSE int accept(int fd, struct sockaddr *restrict address, socklen_t *restrict length)
{
    struct rdl__thread *self = rdl__self();

    return self ? rdl__accept4(self, fd, address, length, 0, RDL__CALLER)
                : RDL__NEXT(accept)(fd, address, length);
}

RDL__INTERPOSE int accept4(int fd, struct sockaddr *restrict address, socklen_t *restrict length,
                           int flags)
{
    struct rdl__thread *self = rdl__self();

    return self ? rdl__accept4(self, fd, address, length, flags, RDL__CALLER)
                : RDL__NEXT(accept4)(fd, address, length, flags);
}

/* The real call, which may then say EINPROGRESS or EAGAIN. */
static int connect_at_once(const struct rdl__file *file, const struct sockaddr *address,
                           socklen_t length)
{
    long flags = rdl__kernel_fcntl(file->fd, F_GETFL, 0);
    int result;

    if (file->waits)
        rdl__kernel_fcntl(file->fd, F_SETFL, flags | O_NONBLOCK);
    result = RDL__NEXT(connect)(file->fd, address, length);
    if (file->waits)
        rdl__kernel_fcntl(file->fd, F_SETFL, flags);
    return result;
}

/* The connection is being made; it is, or failed, when one could write. */
static int await_connection(struct rdl__thread *self, const struct rdl__file *file, uintptr_t pc)
{
    socklen_t size = sizeof(int);
    int why = 0;

    if (!rdl__io_await(self, file, POLLOUT, pc)) {
        if (errno == EAGAIN)
            errno = EINPROGRESS;
        return -1;
    }
    rdl__kernel(SYS_getsockopt, file->fd, SOL_SOCKET, SO_ERROR, (long)&why, (long)&size, 0);
    if (why == 0)
        rdl__link_made(file->fd);
    return (int)rdl__in_errno(-why);
}

int rdl__connect(struct rdl__thread *self, int fd, const struct sockaddr *address, socklen_t length,
                 uintptr_t pc)
{
    struct rdl__file file;
    struct rdl__op op;
    int result;

    rdl__test_cancel(self);
    rdl__remains_socket(fd);
    rdl__file_look(fd, &file);
    op = rdl__file_op(&file, pc);
    rdl__point(self, &op);
    for (;;) {
        result = connect_at_once(&file, address, length);
        if (result == 0)
            rdl__link_made(fd);
        rdl__file_changed(self, &file);
        if (result == 0 || !file.waits || (errno != EINPROGRESS && errno != EAGAIN))
            return result;
        if (errno == EINPROGRESS)
            return await_connection(self, &file, pc);
        /* A local one: too many wait to be accepted. */
        if (!await_room(self, &file, pc))
            return -1;
    }
}

RDL__INTERPOSE int connect(int fd, const struct sockaddr *address, socklen_t length)
{
    struct rdl__thread *self = rdl__self();

    return self ? rdl__connect(self, fd, address, length, RDL__CALLER)
                : RDL__NEXT(connect)(fd, address, length);
}

RDL__INTERPOSE int shutdown(int fd, int how)
{
    struct rdl__thread *self = rdl__self();
    struct rdl__file file;
    struct rdl__op op;
    int result;

    if (!self)
        return RDL__NEXT(shutdown)(fd, how);
    rdl__remains_socket(fd);
    rdl__file_look(fd, &file);
    op = rdl__file_op(&file, RDL__CALLER);
    rdl__point(self, &op);
    result = RDL__NEXT(shutdown)(fd, how);
    rdl__file_changed(self, &file);
    return result;
}
