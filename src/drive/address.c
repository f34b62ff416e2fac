/* address.c -- where servers are: Unix sockets, and TCP ports of this machine. */
#include "drive/address.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "raddle/case.h"

union any {
    struct sockaddr any;
    struct sockaddr_un path;
    struct sockaddr_in tcp;
};

const char *rdl__address_words(struct rdl_case *t, const struct rdl_address *address)
{
    return address->path ? address->path : rdl_format(t, "port %d", address->tcp);
}

/* The length; 0: the path is too long. */
static socklen_t fill_in(union any *out, const struct rdl_address *address)
{
    *out = (union any){.any.sa_family = AF_UNSPEC};
    if (!address->path) {
        out->tcp = (struct sockaddr_in){.sin_family = AF_INET,
                                        .sin_port = htons((uint16_t)address->tcp),
                                        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        return sizeof out->tcp;
    }
    if (strlen(address->path) >= sizeof out->path.sun_path)
        return 0;
    out->path.sun_family = AF_UNIX;
    strcpy(out->path.sun_path, address->path);
    return sizeof out->path;
}

/* Frames are to arrive when they are sent, and not when more have come together. */
static int new_socket(const struct rdl_address *address)
{
    int fd = socket(address->path ? AF_UNIX : AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
                    0),
        yes = 1;

    if (fd >= 0 && !address->path)
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    return fd;
}

static bool await_connection(int fd, int stop)
{
    struct pollfd two[] = {{.fd = fd, .events = POLLOUT}, {.fd = stop, .events = POLLIN}};
    socklen_t size = sizeof(int);
    int why = EINPROGRESS;

    while (poll(two, 2, -1) < 0 && errno == EINTR)
        ;
    if (two[0].revents)
        getsockopt(fd, SOL_SOCKET, SO_ERROR, &why, &size);
    return why == 0;
}

int rdl__address_connect(const struct rdl_address *address, int stop)
{
    union any any;
    socklen_t size = fill_in(&any, address);
    int fd = new_socket(address);

    if (fd >= 0 && size && connect(fd, &any.any, size) == 0)
        return fd;
    if (fd >= 0 && size && errno == EINPROGRESS && await_connection(fd, stop))
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

static bool listen_at(int fd, struct rdl_address *address)
{
    union any any;
    socklen_t size = fill_in(&any, address);

    errno = ENAMETOOLONG;
    if (!size || bind(fd, &any.any, size) != 0 || listen(fd, SOMAXCONN) != 0)
        return false;
    if (!address->path && getsockname(fd, &any.any, &size) == 0)
        address->tcp = ntohs(any.tcp.sin_port);
    return true;
}

int rdl__address_listen(struct rdl_address *address, struct rdl__error *error)
{
    int fd = new_socket(address);

    if (fd >= 0 && listen_at(fd, address))
        return fd;
    rdl__fail(error, "cannot listen at %s: %s", address->path ? address->path : "a TCP port",
              strerror(errno));
    if (fd >= 0)
        close(fd);
    return -1;
}
