/* test_by_number.c -- files, pipes and sockets by number: see by_number.h. */
#include "by_number.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>

/* ---- Pipes ----------------------------------------------------------------------------------- */

static int ends[2], other_ends[2];

static void *write_twice(void *it)
{
    char bytes[] = "bcd";
    struct iovec parts[] = {{bytes, 2}, {bytes + 2, 1}};

    tell(0, CALL(write, ends[1], "a", 1));
    tell(0, CALL(writev, ends[1], parts, 2));
    tell(0, CALL(write, -1, "a", 1));
    tell(0, CALL(writev, ends[1], parts, negative));
    return it;
}

static void *read_twice(void *it)
{
    char bytes[8] = "", more[4] = "";
    struct iovec parts[] = {{bytes, 1}, {more, 3}};
    struct pollfd polled = {.fd = ends[0], .events = POLLIN};

    tell(1, CALL(poll, &polled, 1, 0));
    tell(1, CALL(poll, &polled, 1, -1));
    tell(1, CALL(readv, ends[0], parts, 2));
    tell(1, polled.revents);
    tell(1, CALL(poll, &polled, 1, 1500));
    tell(1, CALL(fcntl, ends[0], F_SETFL, O_NONBLOCK));
    tell(1, CALL(read, ends[0], bytes + 1, 2));
    put(1, "%s%s", bytes, more);
    return it;
}

static void pipes(void)
{
    tell(slot_of_main, CALL(pipe, ends));
    together(2, write_twice, read_twice);
    tell(slot_of_main, CALL(close, ends[1]));
    tell(slot_of_main, CALL(close, ends[1]));
    tell(slot_of_main, CALL(close, ends[0]));
}

TEST(pipes_by_number)
{
    expect_alike(pipes);
}

static void *move_bytes(void *it)
{
    tell(0, CALL(splice, ends[0], NULL, other_ends[1], NULL, 2, 0));
    tell(0, CALL(splice, ends[0], NULL, other_ends[1], NULL, 7, SPLICE_F_NONBLOCK));
    tell(0, CALL(dup3, other_ends[1], ends[0], O_CLOEXEC) >= 0);
    tell(0, CALL(fcntl, ends[0], F_GETFD));
    tell(0, CALL(dup2, other_ends[1], ends[0]) == ends[0]);
    tell(0, CALL(fcntl, ends[0], F_GETFD));
    tell(0, CALL(dup3, ends[0], ends[0], 0));
    return it;
}

static void *feed(void *it)
{
    char bytes[8] = "";

    tell(1, CALL(write, ends[1], "xyz", 3));
    tell(1, CALL(read, other_ends[0], bytes, 7));
    put(1, "%s", bytes);
    return it;
}

static void moving(void)
{
    tell(slot_of_main, CALL(pipe2, ends, O_CLOEXEC));
    tell(slot_of_main, CALL(fcntl, ends[0], F_GETFD));
    tell(slot_of_main, CALL(pipe2, other_ends, 0));
    tell(slot_of_main, CALL(pipe2, other_ends, -1));
    together(2, move_bytes, feed);
    for (int i = 0; i < 2; i++)
        close(ends[i]), close(other_ends[i]);
}

TEST(bytes_moved_by_number)
{
    expect_alike(moving);
}

/* ---- Files ----------------------------------------------------------------------------------- */

static char path[60];

static void *send_file(void *it)
{
    off_t from = 1;
    int file = (int)CALL(open, path, O_RDWR, 0);

    tell(0, file >= 0);
    tell(0, CALL(flock, file, LOCK_EX));
    tell(0, CALL(sendfile, ends[1], file, &from, 3));
    tell(0, from);
    tell(0, CALL(flock, file, LOCK_UN));
    tell(0, CALL(close, file));
    return it;
}

static void *try_lock(void *it)
{
    int file = (int)CALL(openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);

    tell(1, CALL(fcntl, file, F_GETFD));
    if (CALL(flock, file, LOCK_EX | LOCK_NB) == 0)
        tell(1, CALL(write, file, "Z", 1));
    tell(1, CALL(close, file));
    return it;
}

static void files(void)
{
    char bytes[8] = "";
    int file = (int)CALL(open, path, O_CREAT | O_TRUNC | O_RDWR, 0600);

    tell(slot_of_main, CALL(openat, -1, "nowhere", O_RDWR, 0));
    tell(slot_of_main, write(file, "abcd", 4));
    close(file);
    tell(slot_of_main, pipe(ends));
    together(2, send_file, try_lock);
    tell(slot_of_main, read(ends[0], bytes, 7));
    put(slot_of_main, "%s", bytes);
    close(ends[0]), close(ends[1]);
    unlink(path);
}

TEST(files_by_number)
{
    snprintf(path, sizeof path, "/tmp/raddle_by_number.%d", (int)getpid());
    expect_alike(files);
}

static void *map_and_remap(void *it)
{
    const size_t page = 4096;
    char *at =
        (char *)CALL(mmap, NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0L);
    char *moved;

    at[1] = 'm';
    tell(2, CALL(mmap, NULL, 0, 0, 0, -1, 0L));
    moved = (char *)CALL(mremap, at, page, 2 * page, MREMAP_MAYMOVE, NULL);
    tell(2, moved[1] == 'm');
    tell(2, CALL(munmap, moved, 2 * page));
    tell(2, CALL(munmap, moved + 1, page));
    return it;
}

static void mappings(void)
{
    together(1, map_and_remap);
}

TEST(mappings_by_number)
{
    expect_alike(mappings);
}

/* ---- Sockets --------------------------------------------------------------------------------- */

static void *say(void *it)
{
    char bytes[8] = "", words[] = "ef";
    struct iovec part = {words, 2}, room = {bytes, 7};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    struct mmsghdr messages[2] = {{.msg_hdr = message}, {.msg_hdr = message}};

    tell(0, CALL(sendto, ends[0], "abc", 3, 0, NULL, 0));
    tell(0, CALL(sendmsg, ends[0], &message, 0));
    tell(0, CALL(sendmmsg, ends[0], messages, 2, 0));
    message.msg_iov = &room;
    tell(0, CALL(recvmsg, ends[0], &message, MSG_DONTWAIT));
    tell(0, CALL(shutdown, ends[0], SHUT_WR));
    tell(0, CALL(sendto, ends[0], "abc", 3, MSG_NOSIGNAL, NULL, 0));
    return it;
}

static void *hear(void *it)
{
    char bytes[4][8] = {"", "", "", ""};
    struct iovec parts[4] = {{bytes[0], 7}, {bytes[1], 7}, {bytes[2], 7}, {bytes[3], 7}};
    struct msghdr message = {.msg_iov = &parts[0], .msg_iovlen = 1};
    struct mmsghdr messages[2] = {{.msg_hdr = {.msg_iov = &parts[1], .msg_iovlen = 1}},
                                  {.msg_hdr = {.msg_iov = &parts[2], .msg_iovlen = 1}}};
    struct timespec none = {0};

    tell(1, CALL(recvmsg, ends[1], &message, 0));
    tell(1, CALL(recvmmsg, ends[1], messages, 2, MSG_WAITFORONE, &none));
    tell(1, CALL(recvfrom, ends[1], bytes[3], 7, MSG_DONTWAIT, NULL, NULL));
    put(1, "%s%s%s%s", bytes[0], bytes[1], bytes[2], bytes[3]);
    return it;
}

static void sockets(void)
{
    tell(slot_of_main, CALL(socketpair, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends));
    tell(slot_of_main, CALL(fcntl, ends[1], F_GETFD));
    tell(slot_of_main, CALL(socketpair, AF_UNIX, 99, 0, ends));
    together(2, say, hear);
    close(ends[0]), close(ends[1]);
}

TEST(sockets_by_number)
{
    expect_alike(sockets);
}

static struct sockaddr_un address = {.sun_family = AF_UNIX};
static int listener;

static void *connect_twice(void *it)
{
    for (int i = 0; i < 2; i++) {
        int fd = socket(AF_UNIX, SOCK_STREAM, 0);

        tell(0, CALL(connect, fd, (struct sockaddr *)&address, sizeof address));
        tell(0, CALL(sendto, fd, &"pq"[i], 1, MSG_NOSIGNAL, NULL, 0));
        close(fd);
    }
    tell(0, CALL(connect, -1, (struct sockaddr *)&address, sizeof address));
    return it;
}

static void *accept_twice(void *it)
{
    struct sockaddr_un peer;
    socklen_t size = sizeof peer;
    char bytes[4] = "";
    int one, two;

    one = (int)CALL(accept, listener, (struct sockaddr *)&peer, &size);
    tell(1, CALL(fcntl, one, F_GETFD));
    tell(1, size);
    two = (int)CALL(accept4, listener, NULL, NULL, SOCK_CLOEXEC);
    tell(1, CALL(fcntl, two, F_GETFD));
    tell(1, CALL(recvfrom, one, bytes, 1, 0, NULL, NULL));
    tell(1, CALL(recvfrom, two, bytes + 1, 1, MSG_DONTWAIT, NULL, NULL));
    put(1, "%s", bytes);
    close(one), close(two);
    return it;
}

static void connections(void)
{
    snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "by_number.%d", (int)getpid());
    listener = socket(AF_UNIX, SOCK_STREAM, 0);
    tell(slot_of_main, bind(listener, (struct sockaddr *)&address, sizeof address));
    tell(slot_of_main, listen(listener, 2));
    together(2, connect_twice, accept_twice);
    close(listener);
}

TEST(connections_by_number)
{
    expect_alike(connections);
}

/* ---- Waiting for several --------------------------------------------------------------------- */

static void *write_late(void *it)
{
    tell(0, write(ends[1], "a", 1));
    return it;
}

static void *wait_for_several(void *it)
{
    struct pollfd polled = {.fd = ends[0], .events = POLLIN};
    struct timespec none = {0}, later = {.tv_sec = 2};
    struct timeval span = {.tv_usec = 10};
    fd_set set;
    sigset_t mask;
    struct {
        const sigset_t *set;
        size_t size;
    } with = {&mask, KERNEL_SET};

    sigemptyset(&mask);
    FD_ZERO(&set);
    FD_SET(ends[0], &set);
    tell(1, CALL(select, ends[0] + 1, &set, NULL, NULL, &span));
    FD_SET(ends[0], &set);
    tell(1, EITHER(syscall(SYS_pselect6, ends[0] + 1, &set, NULL, NULL, &none, &with),
                   pselect(ends[0] + 1, &set, NULL, NULL, &none, &mask)));
    tell(1, EITHER(syscall(SYS_ppoll, &polled, 1, &none, NULL, KERNEL_SET),
                   ppoll(&polled, 1, &none, NULL)));
    tell(1, EITHER(syscall(SYS_ppoll, &polled, 1, &later, &mask, KERNEL_SET),
                   ppoll(&polled, 1, &later, &mask)));
    FD_SET(ends[0], &set);
    tell(1, EITHER(syscall(SYS_pselect6, ends[0] + 1, &set, NULL, NULL, NULL, NULL),
                   pselect(ends[0] + 1, &set, NULL, NULL, NULL, NULL)));
    return it;
}

static void several(void)
{
    tell(slot_of_main, pipe(ends));
    together(2, write_late, wait_for_several);
    close(ends[0]), close(ends[1]);
}

TEST(select_and_ppoll_by_number)
{
    expect_alike(several);
}

static void *wait_by_epoll(void *it)
{
    struct epoll_event wanted = {.events = EPOLLIN, .data = {.u32 = 5}}, seen[3] = {{0}};
    struct timespec later = {.tv_sec = 3};
    sigset_t mask;
    int epoll = epoll_create1(0);

    sigemptyset(&mask);
    tell(1, CALL(epoll_ctl, epoll, EPOLL_CTL_ADD, ends[0], &wanted));
    tell(1, CALL(epoll_ctl, epoll, EPOLL_CTL_ADD, ends[0], &wanted));
    tell(1, CALL(epoll_wait, epoll, seen, 2, 0));
    tell(1, EITHER(syscall(SYS_epoll_pwait, epoll, seen, 2, 1500, &mask, KERNEL_SET),
                   epoll_pwait(epoll, seen, 2, 1500, &mask)));
    tell(1, EITHER(syscall(SYS_epoll_pwait2, epoll, seen, 2, &later, NULL, KERNEL_SET),
                   epoll_pwait2(epoll, seen, 2, &later, NULL)));
    tell(1, CALL(epoll_wait, epoll, seen, 3, -1));
    tell(1, seen[0].data.u32);
    tell(1, CALL(epoll_wait, epoll, seen, negative, 0));
    close(epoll);
    return it;
}

static void by_epoll(void)
{
    tell(slot_of_main, pipe(ends));
    together(2, write_late, wait_by_epoll);
    close(ends[0]), close(ends[1]);
}

TEST(epoll_by_number)
{
    expect_alike(by_epoll);
}
