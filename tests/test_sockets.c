/* test_sockets.c -- threads that talk to each other over sockets. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "port/kernel.h"
#include "world.h"

static int ends[2];

static void close_both(void)
{
    close(ends[0]);
    close(ends[1]);
}

/* ---- Pairs ---- */

static void *ask(void *argument)
{
    char answer[8] = "";

    CHECK_EQ(send(ends[0], "ping", 4, 0), 4);
    CHECK_EQ(recv(ends[0], answer, sizeof answer, 0), 4);
    put(0, "%s", answer);
    return argument;
}

static void *answer(void *argument)
{
    char question[8];

    CHECK_EQ(read(ends[1], question, sizeof question), 4);
    CHECK_EQ(write(ends[1], "pong", 4), 4);
    return argument;
}

static void ask_and_answer(void)
{
    CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    together(2, ask, answer);
    close_both();
}

TEST(both_ends_of_a_pair_can_wait_for_each_other)
{
    EXPECT_STR(outcomes_of(ask_and_answer), "pong");
}

enum { LARGE = 1000000 };

static void *send_much(void *argument)
{
    static char data[LARGE];

    for (int i = 0; i < LARGE; i++)
        data[i] = (char)(i % 251);
    CHECK_EQ(send(ends[0], data, sizeof data, 0), sizeof data);
    CHECK_EQ(shutdown(ends[0], SHUT_WR), 0);
    return argument;
}

static void *receive_much(void *argument)
{
    static char data[LARGE];

    memset(data, 0, sizeof data);
    CHECK_EQ(recv(ends[1], data, sizeof data, MSG_WAITALL), sizeof data);
    for (int i = 0; i < LARGE; i++)
        if (data[i] != (char)(i % 251)) {
            put(0, "differs at %d", i);
            break;
        }
    CHECK_EQ(recv(ends[1], data, 1, 0), 0);
    return argument;
}

static void much(void)
{
    CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    together(2, send_much, receive_much);
    close_both();
}

TEST(more_is_sent_than_a_socket_holds)
{
    EXPECT_STR(outcomes_by_chance(much, 10, 0), "done");
}

static void fill_socket(void)
{
    static char data[1000];
    size_t sent = 0;

    CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    while (send(ends[0], data, sizeof data, MSG_DONTWAIT) > 0)
        sent += sizeof data;
    CHECK_EQ(errno, EAGAIN);
    close_both();
    CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    for (size_t again = 0; again < sent; again += sizeof data)
        CHECK_EQ(send(ends[0], data, sizeof data, 0), sizeof data);
    close_both();
}

TEST(as_much_fits_if_one_would_wait_as_if_one_would_not)
{
    EXPECT_STR(outcomes_of(fill_socket), "done");
}

static void *send_datagrams(void *argument)
{
    for (int i = 0; i < 1000; i++)
        CHECK_EQ(send(ends[0], &i, sizeof i, 0), sizeof i);
    return argument;
}

static void *receive_datagrams(void *argument)
{
    char room[64];
    int seen;

    for (int i = 0; i < 1000; i++) {
        CHECK_EQ(recv(ends[1], room, sizeof room, 0), sizeof i);
        memcpy(&seen, room, sizeof seen);
        CHECK_EQ(seen, i);
    }
    return argument;
}

static void datagrams(void)
{
    CHECK_EQ(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends), 0);
    together(2, send_datagrams, receive_datagrams);
    close_both();
}

TEST(messages_stay_whole_and_wait_for_room)
{
    EXPECT_STR(outcomes_by_chance(datagrams, 10, 0), "done");
}

static void too_late(void)
{
    struct timeval limit = {.tv_sec = 7};
    time_t before = time(NULL);
    char byte;

    CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    CHECK_EQ(setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit), 0);
    CHECK_EQ(recv(ends[0], &byte, 1, MSG_DONTWAIT), -1);
    CHECK_EQ(errno, EAGAIN);
    CHECK_EQ(recv(ends[0], &byte, 1, 0), -1);
    CHECK_EQ(errno, EAGAIN);
    CHECK_EQ(read(ends[0], &byte, 1), -1);
    CHECK_EQ(errno, EAGAIN);
    CHECK_EQ(time(NULL) - before, 14);
    close_both();
}

TEST(time_outs_of_sockets_are_in_virtual_time)
{
    EXPECT_STR(outcomes_of(too_late), "done");
}

static void descriptor(void)
{
    char byte = 'x', room[CMSG_SPACE(sizeof(int))] = {0};
    struct iovec piece = {&byte, 1};
    struct msghdr message = {
        .msg_iov = &piece, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    int pipes[2], received;

    CHECK_EQ(pipe(pipes), 0);
    CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    *header = (struct cmsghdr){
        .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof(int))};
    memcpy(CMSG_DATA(header), &pipes[1], sizeof(int));
    CHECK_EQ(sendmsg(ends[0], &message, 0), 1);
    memset(room, 0, sizeof room);
    CHECK_EQ(recvmsg(ends[1], &message, 0), 1);
    memcpy(&received, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof received);
    CHECK_EQ(write(received, "y", 1), 1);
    CHECK_EQ(read(pipes[0], &byte, 1), 1);
    CHECK_EQ(byte, 'y');
    close(received);
    close(pipes[0]);
    close(pipes[1]);
    close_both();
}

TEST(descriptors_can_be_sent)
{
    EXPECT_STR(outcomes_of(descriptor), "done");
}

/* ---- Connections ---- */

static union {
    struct sockaddr any;
    struct sockaddr_in in;
    struct sockaddr_un un;
} address;
static socklen_t address_size;
static int listener;

static void *serve(void *argument)
{
    char name[8] = "";
    int client = accept(listener, NULL, NULL);

    CHECK(client >= 0);
    CHECK_EQ(recv(client, name, 1, MSG_WAITALL), 1);
    CHECK_EQ(send(client, name, 1, 0), 1);
    CHECK_EQ(recv(client, name, 1, 0), 0);
    CHECK_EQ(close(client), 0);
    return argument;
}

static void *visit(void *argument)
{
    int server = socket(address.any.sa_family, SOCK_STREAM, 0);
    char byte = (char)('0' + (intptr_t)argument), answer_byte = '?';

    CHECK_EQ(connect(server, &address.any, address_size), 0);
    CHECK_EQ(fcntl(server, F_GETFL) & O_NONBLOCK, 0);
    CHECK_EQ(send(server, &byte, 1, 0), 1);
    CHECK_EQ(recv(server, &answer_byte, 1, 0), 1);
    CHECK_EQ(answer_byte, byte);
    CHECK_EQ(close(server), 0);
    return NULL;
}

static void listen_at(int family, int waiting)
{
    listener = socket(family, SOCK_STREAM, 0);
    CHECK_EQ(bind(listener, &address.any, address_size), 0);
    CHECK_EQ(listen(listener, waiting), 0);
    if (family == AF_INET)
        CHECK_EQ(getsockname(listener, &address.any, &address_size), 0);
}

static void use_unix_name(void)
{
    static int number; /* what fails leaves its names behind */

    memset(&address, 0, sizeof address);
    address.un.sun_family = AF_UNIX; /* an abstract name: no file */
    snprintf(address.un.sun_path + 1, sizeof address.un.sun_path - 1, "raddle-test-%d-%d", getpid(),
             number++);
    address_size =
        (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(address.un.sun_path + 1));
}

static void connect_locally(void)
{
    use_unix_name();
    listen_at(AF_UNIX, 4);
    together(4, visit, serve, visit, serve);
    close(listener);
}

TEST(threads_connect_to_each_other_locally)
{
    EXPECT_STR(outcomes_by_chance(connect_locally, 100, 0), "done");
}

static void use_ip_address(void)
{
    memset(&address, 0, sizeof address);
    address.in.sin_family = AF_INET;
    address.in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address_size = sizeof address.in;
}

static void connect_over_ip(void)
{
    use_ip_address();
    listen_at(AF_INET, 4);
    together(4, visit, serve, visit, serve);
    close(listener);
}

TEST(threads_connect_to_each_other_over_ip)
{
    EXPECT_STR(outcomes_by_chance(connect_over_ip, 100, 0), "done");
}

static void *receive_at_server(void *argument)
{
    int client = accept(listener, NULL, NULL);
    char byte;

    recv(client, &byte, 1, 0);
    return argument;
}

static void *receive_at_client(void *argument)
{
    int server = socket(address.any.sa_family, SOCK_STREAM, 0);
    char byte;

    CHECK_EQ(connect(server, &address.any, address_size), 0);
    recv(server, &byte, 1, 0);
    return argument;
}

static void both_listen_locally(void)
{
    use_unix_name();
    listen_at(AF_UNIX, 4);
    together(2, receive_at_server, receive_at_client);
}

static void both_listen_over_ip(void)
{
    use_ip_address();
    listen_at(AF_INET, 4);
    together(2, receive_at_server, receive_at_client);
}

TEST(threads_that_wait_at_both_ends_of_a_connection_are_deadlocked)
{
    EXPECT_STR(outcomes_by_chance(both_listen_locally, 20, 0), "deadlock");
    EXPECT_STR(outcomes_by_chance(both_listen_over_ip, 20, 0), "deadlock");
}

static void *be_silent(void *argument)
{
    int client = accept(listener, NULL, NULL);
    char byte;

    CHECK_EQ(recv(client, &byte, 1, 0), 0);
    close(client);
    return argument;
}

static void *lose_patience(void *argument)
{
    struct timeval limit = {.tv_sec = 3600};
    int server = socket(address.any.sa_family, SOCK_STREAM, 0);
    char byte;

    CHECK_EQ(connect(server, &address.any, address_size), 0);
    CHECK_EQ(setsockopt(server, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit), 0);
    CHECK_EQ(recv(server, &byte, 1, 0), -1);
    CHECK_EQ(errno, EAGAIN);
    close(server);
    return argument;
}

static void silent_server(void)
{
    use_ip_address();
    listen_at(AF_INET, 4);
    together(2, be_silent, lose_patience);
    close(listener);
}

TEST(time_is_virtual_between_threads_that_are_connected)
{
    uint64_t before = rdl__kernel_now_ns();

    EXPECT_STR(outcomes_by_chance(silent_server, 50, 0), "done");
    EXPECT(rdl__kernel_now_ns() - before < UINT64_C(5000000000));
}

static void queue_is_short(void)
{
    use_unix_name();
    listen_at(AF_UNIX, 0);
    together(6, visit, visit, visit, serve, serve, serve);
    close(listener);
}

TEST(connecting_waits_for_a_place_in_the_queue)
{
    EXPECT_STR(outcomes_by_chance(queue_is_short, 100, 0), "done");
}

static void nobody_listens(void)
{
    int server = socket(AF_UNIX, SOCK_STREAM, 0);

    use_unix_name();
    CHECK_EQ(connect(server, &address.any, address_size), -1);
    CHECK_EQ(errno, ECONNREFUSED);
    close(server);
}

TEST(connecting_to_nobody_fails)
{
    EXPECT_STR(outcomes_of(nobody_listens), "done");
}

/* ---- Datagrams to a name ---- */

static void *send_to_name(void *argument)
{
    int sender = socket(AF_UNIX, SOCK_DGRAM, 0);

    for (int i = 0; i < 100; i++)
        CHECK_EQ(sendto(sender, &i, sizeof i, 0, &address.any, address_size), sizeof i);
    close(sender);
    return argument;
}

static void *receive_at_name(void *argument)
{
    int seen = -1;

    for (int i = 0; i < 100; i++) {
        CHECK_EQ(recvfrom(listener, &seen, sizeof seen, 0, NULL, NULL), sizeof seen);
        CHECK_EQ(seen, i);
    }
    return argument;
}

/* The sender's socket never says that the receiver's is full. */
static void to_a_name(void)
{
    use_unix_name();
    listener = socket(AF_UNIX, SOCK_DGRAM, 0);
    CHECK_EQ(bind(listener, &address.any, address_size), 0);
    together(2, send_to_name, receive_at_name);
    close(listener);
}

TEST(sending_waits_for_room_at_the_receiver)
{
    EXPECT_STR(outcomes_by_chance(to_a_name, 50, 0), "done");
}
