/* handover.c -- a message in memory, and ways to say that it is there: see
 * test_handover.c. */
#include "handover.h"

#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

int got; /* not static: or the compiler would see that nobody looks at it */
static int message, ends[2], others[2], event, word;
static char page[65536];
static pthread_t receiver;

static void hand_over(void *(*give)(void *), void *(*take)(void *))
{
    pthread_t giver;

    message = 0;
    pthread_create(&receiver, NULL, take, NULL);
    pthread_create(&giver, NULL, give, NULL);
    pthread_join(receiver, NULL);
    pthread_join(giver, NULL);
}

static void close_ends(void)
{
    close(ends[0]);
    close(ends[1]);
}

/* ---- Files ---- */

static void *give_by_write(void *unused)
{
    message = 1;
    write(ends[1], "x", 1);
    return unused;
}

static void *take_by_read(void *unused)
{
    char byte;

    read(ends[0], &byte, 1);
    got = message;
    return unused;
}

static void *take_by_poll(void *unused)
{
    struct pollfd fds[] = {{.fd = ends[0], .events = POLLIN}, {.fd = -1}};

    poll(fds, 2, -1);
    got = message;
    return unused;
}

static void *take_by_epoll(void *unused)
{
    struct epoll_event wanted = {.events = EPOLLIN};
    int epoll = epoll_create1(0);

    epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &wanted);
    epoll_wait(epoll, &wanted, 1, -1);
    got = message;
    close(epoll);
    return unused;
}

static void *take_by_fgetc(void *unused)
{
    FILE *file = fdopen(dup(ends[0]), "r");

    fgetc(file);
    got = message;
    fclose(file);
    return unused;
}

static void *give_by_close(void *unused)
{
    message = 1;
    close(ends[1]);
    ends[1] = -1;
    return unused;
}

static void *give_by_making_room(void *unused)
{
    message = 1;
    read(ends[0], page, sizeof page);
    return unused;
}

static void *take_by_filling(void *unused)
{
    write(ends[1], "x", 1);
    got = message;
    return unused;
}

void by_pipe(void)
{
    pipe(ends);
    hand_over(give_by_write, take_by_read);
    close_ends();
}

void by_end_of_pipe(void)
{
    pipe(ends);
    hand_over(give_by_close, take_by_read);
    close_ends();
}

void by_room_in_pipe(void)
{
    pipe(ends);
    write(ends[1], page, sizeof page);
    hand_over(give_by_making_room, take_by_filling);
    close_ends();
}

void by_poll(void)
{
    pipe(ends);
    hand_over(give_by_write, take_by_poll);
    close_ends();
}

void by_epoll(void)
{
    pipe(ends);
    hand_over(give_by_write, take_by_epoll);
    close_ends();
}

void by_stream(void)
{
    pipe(ends);
    hand_over(give_by_write, take_by_fgetc);
    close_ends();
}

void by_socket(void)
{
    socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
    hand_over(give_by_write, take_by_read);
    close_ends();
}

static void *give_by_event(void *unused)
{
    message = 1;
    eventfd_write(event, 1);
    return unused;
}

static void *take_by_event(void *unused)
{
    eventfd_t value;

    eventfd_read(event, &value);
    got = message;
    return unused;
}

void by_event(void)
{
    event = eventfd(0, 0);
    hand_over(give_by_event, take_by_event);
    close(event);
}

/* ---- Futexes and signals ---- */

static void *give_by_futex(void *unused)
{
    message = 1;
    while (syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0) != 1)
        usleep(1);
    return unused;
}

static void *take_by_futex(void *unused)
{
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
    got = message;
    return unused;
}

void by_futex(void)
{
    hand_over(give_by_futex, take_by_futex);
}

static void on_signal(int unused)
{
    (void)unused;
    got = message;
}

static void *give_by_kill(void *unused)
{
    message = 1;
    pthread_kill(receiver, SIGUSR1);
    return unused;
}

static void *take_by_handler(void *unused)
{
    usleep(1000);
    return unused;
}

void by_handler(void)
{
    struct sigaction action = {.sa_handler = on_signal};

    sigaction(SIGUSR1, &action, NULL);
    hand_over(give_by_kill, take_by_handler);
}

static void *take_by_sigwait(void *unused)
{
    sigset_t set;
    int number;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigwait(&set, &number);
    got = message;
    return unused;
}

void by_sigwait(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    hand_over(give_by_kill, take_by_sigwait);
}

/* ---- What says nothing ---- */

static void *take_by_other(void *unused)
{
    char byte;

    read(others[0], &byte, 1);
    got = message;
    return unused;
}

void by_other_pipe(void)
{
    pipe(ends);
    pipe(others);
    write(others[1], "x", 1);
    hand_over(give_by_write, take_by_other);
    close_ends();
    close(others[0]);
    close(others[1]);
}

static void *give_at_once(void *unused)
{
    message = 1;
    return unused;
}

static void *take_by_sleeping(void *unused)
{
    sleep(1);
    got = message;
    return unused;
}

void by_sleeping(void)
{
    hand_over(give_at_once, take_by_sleeping);
}
