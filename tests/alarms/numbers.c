/* numbers.c -- a thread waits for what another one does, all by syscall(2): numbers WAY [wrong].
 * Wrong: nobody does it. */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static const char *way;
static bool wrong;
static int ends[2], epoll;
static struct {
    long type;
    uint64_t value;
} message = {1, 7};

static bool is(const char *name)
{
    return strcmp(way, name) == 0;
}

static void make(void)
{
    char name[64];
    struct mq_attr attributes = {.mq_maxmsg = 2, .mq_msgsize = sizeof message};
    struct epoll_event event = {.events = EPOLLIN};

    if (is("socketpair") || is("select"))
        assert(syscall(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    else if (is("eventfd") || is("epoll") || is("poll"))
        ends[0] = ends[1] = (int)syscall(is("epoll") ? SYS_eventfd2 : SYS_eventfd, 0, 0);
    else if (is("timer"))
        ends[0] = (int)syscall(SYS_timerfd_create, CLOCK_MONOTONIC, 0);
    else if (is("semaphore"))
        ends[0] = ends[1] = (int)syscall(SYS_semget, IPC_PRIVATE, 1, 0600);
    else if (is("messages"))
        ends[0] = ends[1] = (int)syscall(SYS_msgget, IPC_PRIVATE, 0600);
    else if (is("letters")) {
        snprintf(name, sizeof name, "raddle-numbers-%d", (int)getpid());
        ends[0] = ends[1] =
            (int)syscall(SYS_mq_open, name, O_RDWR | O_CREAT | O_EXCL, 0600, &attributes);
        syscall(SYS_mq_unlink, name);
    } else
        assert(syscall(SYS_pipe2, ends, 0) == 0);
    if (is("epoll")) {
        epoll = (int)syscall(SYS_epoll_create1, 0);
        assert(syscall(SYS_epoll_ctl, epoll, EPOLL_CTL_ADD, ends[0], &event) == 0);
    }
    assert(ends[0] >= 0);
}

static void *give(void *unused)
{
    struct itimerspec in_an_hour = {.it_value = {.tv_sec = 3600}};
    struct sembuf up = {.sem_op = 1};

    if (wrong)
        return unused;
    if (is("timer"))
        assert(syscall(SYS_timerfd_settime, ends[0], 0, &in_an_hour, NULL) == 0);
    else if (is("semaphore"))
        assert(syscall(SYS_semop, ends[1], &up, 1) == 0);
    else if (is("messages"))
        assert(syscall(SYS_msgsnd, ends[1], &message, sizeof message.value, 0) == 0);
    else if (is("letters"))
        assert(syscall(SYS_mq_timedsend, ends[1], &message, sizeof message, 0, NULL) == 0);
    else
        assert(syscall(SYS_write, ends[1], &message.value, sizeof message.value) == 8);
    return unused;
}

static void *take(void *unused)
{
    struct pollfd one = {.fd = ends[0], .events = POLLIN};
    struct epoll_event event;
    struct sembuf down = {.sem_op = -1};
    uint64_t buffer[sizeof message / sizeof(uint64_t)];
    unsigned long set[16] = {0};

    if (is("select"))
        set[ends[0] / 64] |= 1ul << (ends[0] % 64);
    if (is("epoll"))
        assert(syscall(SYS_epoll_wait, epoll, &event, 1, -1) == 1);
    else if (is("poll"))
        assert(syscall(SYS_ppoll, &one, 1, NULL, NULL, 8) == 1);
    else if (is("select"))
        assert(syscall(SYS_pselect6, ends[0] + 1, set, NULL, NULL, NULL, NULL) == 1);
    if (is("semaphore"))
        assert(syscall(SYS_semop, ends[0], &down, 1) == 0);
    else if (is("messages"))
        assert(syscall(SYS_msgrcv, ends[0], buffer, sizeof(uint64_t), 0, 0) == 8);
    else if (is("letters"))
        assert(syscall(SYS_mq_timedreceive, ends[0], buffer, sizeof buffer, NULL, NULL) > 0);
    else
        assert(syscall(SYS_read, ends[0], buffer, sizeof(uint64_t)) == 8);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t threads[2];

    way = argc > 1 ? argv[1] : "";
    wrong = argc > 2;
    make();
    pthread_create(&threads[0], NULL, take, NULL);
    pthread_create(&threads[1], NULL, give, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    if (is("semaphore"))
        syscall(SYS_semctl, ends[0], 0, IPC_RMID);
    if (is("messages"))
        syscall(SYS_msgctl, ends[0], IPC_RMID, NULL);
    return 0;
}
