/* send.c -- bytes are written to a descriptor, by somebody who will not wait for ever.
 *
 * Sockets are told not to wait.  A pipe that is ready takes PIPE_BUF bytes without waiting:
 * whether it is is asked first.  In neither case does the descriptor change, which others may
 * have as well. */
#include "drive/send.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "port/write.h"

static int type_of_socket(int fd)
{
    socklen_t size = sizeof(int);
    int type = -1;

    return fd >= 0 && getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 ? type : -1;
}

bool rdl__is_socket(int fd)
{
    return type_of_socket(fd) != -1;
}

bool rdl__is_datagram(int fd)
{
    return type_of_socket(fd) == SOCK_DGRAM;
}

bool rdl__keeps_messages(int fd)
{
    int type = type_of_socket(fd);

    return type != -1 && type != SOCK_STREAM;
}

/* False: it is too late. */
static bool await_writable(int fd, uint64_t until)
{
    struct pollfd one = {.fd = fd, .events = POLLOUT};
    uint64_t now = rdl__ports_now();
    uint64_t ms = until > now ? (until - now) / 1000000 + 1 : 0;

    return poll(&one, 1, ms > INT_MAX ? INT_MAX : (int)ms) != 0;
}

/* -1 with EAGAIN: there is no room now. */
static ssize_t put_some(const struct rdl__end *end, const char *bytes, size_t count)
{
    struct pollfd one = {.fd = end->out, .events = POLLOUT};

    if (end->is_socket)
        return send(end->out, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (poll(&one, 1, 0) == 0) {
        errno = EAGAIN;
        return -1;
    }
    return rdl__write_quietly(end->out, bytes, count < PIPE_BUF ? count : PIPE_BUF);
}

static void wait_for_room(const struct rdl__end *end, const struct rdl_event *event, size_t done,
                          size_t count)
{
    struct rdl__stream *stream = end->wire->ports->stream;
    char why[160];

    if (await_writable(end->out, rdl__stream_until(stream)))
        return;
    snprintf(why, sizeof why,
             "%s does not read it: %zu of its %zu bytes are written, and there is no room for more",
             end->direction == RDL_OUT ? "the component" : "whom it is for", done, count);
    rdl__stream_stuck(stream, event, why);
}

bool rdl__send(struct rdl__end *end, const struct rdl_event *event, const char *bytes, size_t count)
{
    size_t done = 0;

    do {
        ssize_t put = put_some(end, bytes + done, count - done);

        if (put >= 0)
            done += (size_t)put;
        else if (errno == EAGAIN)
            wait_for_room(end, event, done, count);
        else if (errno != EINTR)
            return false;
    } while (done < count);
    return true;
}
