/* publish_kernel.c -- ways to tell another thread, through the kernel, that a message is there: see
 * test_publish_kernel.c. */
#include "publish_bodies.h"

#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* ---- Descriptors ---------------------------------------------------------------------------- */

static int in[2], out[2];

static void close_all(void)
{
    for (int i = 0; i < 2; i++) {
        close(in[i]);
        if (out[i] != in[i])
            close(out[i]);
    }
}

static void begin_pipes(void)
{
    for (int i = 0; i < 2; i++) {
        int ends[2];

        pipe(ends);
        in[i] = ends[0];
        out[i] = ends[1];
    }
}

static void begin_sockets(void)
{
    for (int i = 0; i < 2; i++) {
        int ends[2];

        socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
        in[i] = ends[0];
        out[i] = ends[1];
    }
}

static void begin_counters(void)
{
    for (int i = 0; i < 2; i++)
        in[i] = out[i] = eventfd(0, 0);
}

static void write_number(int of)
{
    uint64_t one = 1;

    write(out[of], &one, sizeof one);
}

static bool read_number(int of)
{
    uint64_t number;

    return read(in[of], &number, sizeof number) == sizeof number;
}

static void write_parts(int of)
{
    char bytes[] = "ab";
    struct iovec parts[] = {{bytes, 1}, {bytes + 1, 1}};

    writev(out[of], parts, 2);
}

static bool read_parts(int of)
{
    char bytes[2];
    struct iovec parts[] = {{bytes, 1}, {bytes + 1, 1}};

    return readv(in[of], parts, 2) == 2;
}

static void send_bytes(int of)
{
    send(out[of], "abc", 3, 0);
}

static bool receive_bytes(int of)
{
    char bytes[8];

    return recv(in[of], bytes, sizeof bytes, 0) == 3;
}

static void send_message(int of)
{
    char bytes[] = "abc";
    struct iovec part = {bytes, 3};

    sendmsg(out[of], &(struct msghdr){.msg_iov = &part, .msg_iovlen = 1}, 0);
}

static bool receive_message(int of)
{
    char bytes[8];
    struct iovec part = {bytes, 8};

    return recvmsg(in[of], &(struct msghdr){.msg_iov = &part, .msg_iovlen = 1}, MSG_DONTWAIT) == 3;
}

static bool poll_it(int of)
{
    return poll(&(struct pollfd){.fd = in[of], .events = POLLIN}, 1, 0) == 1;
}

static bool select_it(int of)
{
    fd_set set;

    FD_ZERO(&set);
    FD_SET(in[of], &set);
    return select(in[of] + 1, &set, NULL, NULL, NULL) == 1;
}

static bool epoll_it(int of)
{
    struct epoll_event event = {.events = EPOLLIN};
    int epoll = epoll_create1(0);
    bool heard;

    epoll_ctl(epoll, EPOLL_CTL_ADD, in[of], &event);
    heard = epoll_wait(epoll, &event, 1, -1) == 1;
    close(epoll);
    return heard;
}

static void close_end(int of)
{
    close(out[of]);
    out[of] = -1;
}

static bool see_end(int of)
{
    char byte;

    return read(in[of], &byte, 1) == 0;
}

static FILE *files[2];

static void begin_files(void)
{
    for (int i = 0; i < 2; i++)
        files[i] = tmpfile();
}

static void end_files(void)
{
    for (int i = 0; i < 2; i++)
        fclose(files[i]);
}

static void publish_under_stream(int of)
{
    flockfile(files[of]);
    atomic_store_explicit(&seen[of], true, memory_order_relaxed);
    funlockfile(files[of]);
}

static bool hear_under_stream(int of)
{
    bool heard;

    flockfile(files[of]);
    heard = atomic_load_explicit(&seen[of], memory_order_relaxed);
    funlockfile(files[of]);
    return heard;
}

static bool hear_if_stream_is_free(int of)
{
    bool heard;

    if (ftrylockfile(files[of]) != 0)
        return false;
    heard = atomic_load_explicit(&seen[of], memory_order_relaxed);
    funlockfile(files[of]);
    return heard;
}

static void publish_under_flock(int of)
{
    int fd = open("/proc/self/exe", O_RDONLY);

    (void)of;
    flock(fd, LOCK_EX);
    atomic_store_explicit(&seen[0], true, memory_order_relaxed);
    flock(fd, LOCK_UN);
    close(fd);
}

static void publish_under_numbered_lock(int of)
{
    int fd = open("/proc/self/exe", O_RDONLY);

    (void)of;
    syscall(SYS_flock, fd, LOCK_EX);
    atomic_store_explicit(&seen[0], true, memory_order_relaxed);
    syscall(SYS_flock, fd, LOCK_UN);
    close(fd);
}

static bool hear_under_flock(int of)
{
    int fd = open("/proc/self/exe", O_RDONLY);
    bool heard;

    (void)of;
    flock(fd, LOCK_EX);
    heard = atomic_load_explicit(&seen[0], memory_order_relaxed);
    close(fd);
    return heard;
}

/* ---- Queues --------------------------------------------------------------------------------- */

static int ids[2];
static mqd_t queues[2];

/* Executions that fail do not end: so objects have names, and the next one makes them anew. */
static key_t key_of(pid_t test, int of)
{
    return (key_t)(0x52440000 | (unsigned)(test & 0x7fff) << 1 | (unsigned)of);
}

static void remove_all(pid_t test)
{
    for (int i = 0; i < 2; i++) {
        semctl(semget(key_of(test, i), 1, 0600), 0, IPC_RMID);
        msgctl(msgget(key_of(test, i), 0600), IPC_RMID, NULL);
    }
}

/* Each execution is one of a child of the test. */
__attribute__((destructor)) static void remove_own(void)
{
    remove_all(getpid());
}

static void begin_messages(void)
{
    remove_all(getppid());
    for (int i = 0; i < 2; i++)
        ids[i] = msgget(key_of(getppid(), i), IPC_CREAT | 0600);
}

static void post_message(int of)
{
    long sent[2] = {1, 1};

    msgsnd(ids[of], sent, sizeof(long), 0);
}

static bool fetch_message(int of)
{
    long got[2];

    return msgrcv(ids[of], got, sizeof(long), 0, 0) == sizeof(long);
}

static void begin_sets(void)
{
    remove_all(getppid());
    for (int i = 0; i < 2; i++)
        ids[i] = semget(key_of(getppid(), i), 1, IPC_CREAT | 0600);
}

static void raise_set(int of)
{
    semop(ids[of], &(struct sembuf){.sem_op = 1}, 1);
}

static bool lower_set(int of)
{
    return semop(ids[of], &(struct sembuf){.sem_op = -1}, 1) == 0;
}

static void assign_set(int of)
{
    semctl(ids[of], 0, SETVAL, 1);
}

static void assign_all_of_set(int of)
{
    unsigned short one = 1;

    semctl(ids[of], 0, SETALL, &one);
}

static bool ask_set(int of)
{
    return semctl(ids[of], 0, GETVAL) == 1;
}

static bool ask_all_of_set(int of)
{
    unsigned short value = 0;

    return semctl(ids[of], 0, GETALL, &value) == 0 && value == 1;
}

static void begin_queues(void)
{
    struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = 8};

    for (int i = 0; i < 2; i++) {
        queues[i] = mq_open("/raddle_publish", O_CREAT | O_RDWR, 0600, &attributes);
        mq_unlink("/raddle_publish");
    }
}

static void end_queues(void)
{
    for (int i = 0; i < 2; i++)
        mq_close(queues[i]);
}

static void send_to_queue(int of)
{
    mq_send(queues[of], "a", 1, 0);
}

static bool receive_from_queue(int of)
{
    char bytes[8];

    return mq_receive(queues[of], bytes, 8, NULL) == 1;
}

static bool receive_in_time(int of)
{
    char bytes[8];

    return mq_timedreceive(queues[of], bytes, 8, NULL, soon()) == 1;
}

/* ---- Signals and threads -------------------------------------------------------------------- */

static sigset_t blocked;

static void begin_signals(void)
{
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR1);
    sigaddset(&blocked, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &blocked, NULL);
}

static void send_signal(int of)
{
    kill(getpid(), of ? SIGUSR2 : SIGUSR1);
}

static bool await_signal(int of)
{
    sigset_t set;
    int got;

    sigemptyset(&set);
    sigaddset(&set, of ? SIGUSR2 : SIGUSR1);
    return sigwait(&set, &got) == 0;
}

/* ---- All of them ---------------------------------------------------------------------------- */

const struct channel channels[] = {
    BY("pipe", write_number, read_number, .begin = begin_pipes, .end = close_all),
    BY("pipe, in parts", write_parts, read_parts, .begin = begin_pipes, .end = close_all),
    BY("pipe, its end", close_end, see_end, .begin = begin_pipes, .end = close_all, .is_one = true),
    BY("event", write_number, read_number, .begin = begin_counters, .end = close_all,
       .is_one = true),
    BY("socket", send_bytes, receive_bytes, .begin = begin_sockets, .end = close_all,
       .is_one = true),
    BY("socket, messages", send_message, receive_message, .begin = begin_sockets, .end = close_all,
       .is_one = true),
    BY("poll", write_number, poll_it, .begin = begin_pipes, .end = close_all, .is_one = true),
    BY("select", write_number, select_it, .begin = begin_pipes, .end = close_all, .is_one = true),
    BY("epoll", write_number, epoll_it, .begin = begin_pipes, .end = close_all, .is_one = true),
    BY("stream", publish_under_stream, hear_under_stream, .begin = begin_files, .end = end_files),
    BY("stream, tried", publish_under_stream, hear_if_stream_is_free, .begin = begin_files,
       .end = end_files),
    BY("lock on a file, by number", publish_under_numbered_lock, hear_under_flock, .is_one = true),
    BY("lock on a file", publish_under_flock, hear_under_flock, .is_one = true),
    BY("messages", post_message, fetch_message, .begin = begin_messages),
    BY("set of semaphores", raise_set, lower_set, .begin = begin_sets),
    BY("set, assigned", assign_set, lower_set, .begin = begin_sets),
    BY("set, all assigned", assign_all_of_set, lower_set, .begin = begin_sets),
    BY("set, asked", raise_set, ask_set, .begin = begin_sets),
    BY("set, all asked", raise_set, ask_all_of_set, .begin = begin_sets),
    BY("queue", send_to_queue, receive_from_queue, .begin = begin_queues, .end = end_queues),
    BY("queue, for some time", send_to_queue, receive_in_time, .begin = begin_queues,
       .end = end_queues),
    BY("signal", send_signal, await_signal, .begin = begin_signals, .is_one = true),
};

const int channel_count = sizeof channels / sizeof *channels;

/* Both write: neither has heard of the other. */
static bool write_too(int of)
{
    write_number(of);
    return true;
}

const struct channel no_channels[] = {
    BY("both write", write_number, write_too, .begin = begin_pipes, .end = close_all),
};

const int no_channel_count = sizeof no_channels / sizeof *no_channels;
