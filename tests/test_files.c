/* test_files.c -- threads that wait for files: pipes, events, poll and its kin. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "world.h"

static int ends[2], more[2], event;

static void close_both(int fds[2])
{
    close(fds[0]);
    close(fds[1]);
}

/* ---- Pipes ---- */

static void *produce(void *argument)
{
    for (int i = 1; i <= 3; i++)
        CHECK_EQ(write(ends[1], &i, sizeof i), sizeof i);
    CHECK_EQ(close(ends[1]), 0);
    return argument;
}

static void *consume(void *argument)
{
    int number;

    while (read(ends[0], &number, sizeof number) == (ssize_t)sizeof number)
        put(0, "%d", number);
    put(0, ".");
    return argument;
}

static void through_a_pipe(void)
{
    CHECK_EQ(pipe(ends), 0);
    together(2, consume, produce);
    CHECK_EQ(close(ends[0]), 0);
}

TEST(what_is_written_to_a_pipe_is_read_from_it)
{
    EXPECT_STR(outcomes_of(through_a_pipe), "123.");
}

/* The pipe that does not wait is closed, and another one, which does, gets its numbers. */
static void *replace(void *argument)
{
    close_both(ends);
    CHECK_EQ(pipe(more), 0);
    CHECK_EQ(more[0], ends[0]);
    CHECK_EQ(write(more[1], "x", 1), 1);
    return argument;
}

static void *read_once(void *argument)
{
    char byte = '?';

    put(0, read(ends[0], &byte, 1) == 1 ? "read" : errno == EAGAIN ? "empty" : "closed");
    return argument;
}

static void read_from_another(void)
{
    CHECK_EQ(pipe2(ends, O_NONBLOCK), 0);
    together(2, read_once, replace);
    close_both(more);
}

TEST(a_number_may_stand_for_another_file_when_it_is_read)
{
    EXPECT_STR(outcomes_of(read_from_another), "closed | empty | read");
}

/* The pipe that somebody waits for is closed, so there is nothing to wait for, and then the
 * number stands for a pipe that is empty, so there is again. */
static void wait_for_another(void)
{
    CHECK_EQ(pipe(ends), 0);
    together(2, read_once, replace);
    close_both(more);
}

TEST(who_waits_for_a_number_waits_for_the_file_that_gets_it)
{
    EXPECT_STR(outcomes_of(wait_for_another), "closed | read");
}

static void *read_byte(void *argument)
{
    char byte = '?';

    CHECK_EQ(read(ends[0], &byte, 1), 1);
    put((int)(intptr_t)argument, "%c", byte);
    return NULL;
}

static void *write_bytes(void *argument)
{
    CHECK_EQ(write(ends[1], "a", 1), 1);
    CHECK_EQ(write(ends[1], "b", 1), 1);
    return argument;
}

static void two_readers(void)
{
    CHECK_EQ(pipe(ends), 0);
    together(3, read_byte, read_byte, write_bytes);
    close_both(ends);
}

TEST(any_of_several_readers_may_get_a_byte)
{
    EXPECT_STR(outcomes_of(two_readers), "a b | b a");
}

enum { LARGE = 300000 };

static void *write_much(void *argument)
{
    static char data[LARGE];

    for (int i = 0; i < LARGE; i++)
        data[i] = (char)(i % 251);
    put(0, "[");
    CHECK_EQ(write(ends[1], data, sizeof data), sizeof data);
    put(0, "]");
    close(ends[1]);
    return argument;
}

static void *read_much(void *argument)
{
    char data[5000];
    ssize_t size;
    int at = 0;

    while ((size = read(ends[0], data, sizeof data)) > 0)
        for (int i = 0; i < size; i++, at++)
            CHECK_EQ(data[i], (char)(at % 251));
    CHECK_EQ(size, 0);
    CHECK_EQ(at, LARGE);
    return argument;
}

static void more_than_fits(void)
{
    CHECK_EQ(pipe(ends), 0);
    together(2, write_much, read_much);
    close(ends[0]);
}

TEST(more_is_written_than_a_pipe_holds)
{
    EXPECT_STR(outcomes_by_chance(more_than_fits, 30, 0), "[]");
}

static void fill_exactly(void)
{
    static char data[65536];
    int size = 0;

    CHECK_EQ(pipe(ends), 0);
    CHECK_EQ(write(ends[1], data, sizeof data - 10), sizeof data - 10);
    CHECK_EQ(write(ends[1], data, 10), 10); /* fits, though poll says that it is full */
    CHECK_EQ(poll(&(struct pollfd){.fd = ends[1], .events = POLLOUT}, 1, 0), 0);
    while (poll(&(struct pollfd){.fd = ends[0], .events = POLLIN}, 1, 0) == 1)
        size += (int)read(ends[0], data, sizeof data);
    CHECK_EQ(size, sizeof data);
    close_both(ends);
}

TEST(a_pipe_can_be_filled_to_the_last_byte)
{
    EXPECT_STR(outcomes_of(fill_exactly), "done");
}

static void *write_to_full(void *argument)
{
    static char data[65536];

    CHECK_EQ(write(ends[1], data, sizeof data), sizeof data);
    CHECK_EQ(write(ends[1], "x", 1), 1);
    put(0, "written ");
    return argument;
}

static void *read_later(void *argument)
{
    static char data[65536];

    let_others_wait();
    put(0, "read ");
    CHECK_EQ(read(ends[0], data, 4096), 4096);
    return argument;
}

static void full_pipe(void)
{
    CHECK_EQ(pipe(ends), 0);
    together(2, write_to_full, read_later);
    close_both(ends);
}

TEST(writing_to_a_full_pipe_waits_for_room)
{
    EXPECT_STR(outcomes_by_chance(full_pipe, 100, 0), "read written ");
}

static void *break_pipe(void *argument)
{
    CHECK_EQ(close(ends[0]), 0);
    return argument;
}

static void *write_until_broken(void *argument)
{
    static char data[65536];
    int writes = 0;

    while (write(ends[1], data, sizeof data) > 0)
        writes++;
    put(0, "%s", errno == EPIPE ? "broken" : "wrong");
    put(1, "%d", writes);
    return argument;
}

static void broken_pipe(void)
{
    signal(SIGPIPE, SIG_IGN);
    CHECK_EQ(pipe(ends), 0);
    together(2, write_until_broken, break_pipe);
    close(ends[1]);
}

TEST(a_writer_learns_that_nobody_reads)
{
    EXPECT_STR(outcomes_of(broken_pipe), "broken 0 | broken 1");
}

static void *try_to_read(void *argument)
{
    char byte;

    if (read(ends[0], &byte, 1) == 1)
        put(0, "got");
    else
        put(0, "%s", errno == EAGAIN ? "nothing" : "wrong");
    return argument;
}

static void without_waiting(void)
{
    CHECK_EQ(pipe2(ends, O_NONBLOCK), 0);
    together(2, try_to_read, write_bytes);
    close_both(ends);
}

TEST(a_file_that_does_not_wait_says_so)
{
    EXPECT_STR(outcomes_of(without_waiting), "got | nothing");
}

static void in_pieces(void)
{
    char a[3] = "", b[8] = "";
    struct iovec out[] = {{(char *)"ab", 2}, {NULL, 0}, {(char *)"cdef", 4}};
    struct iovec in[] = {{a, 2}, {b, 7}};

    CHECK_EQ(pipe(ends), 0);
    CHECK_EQ(writev(ends[1], out, 3), 6);
    CHECK_EQ(readv(ends[0], in, 2), 6);
    put(0, "%s %s", a, b);
    CHECK_EQ(read(ends[0], a, 0), 0);
    CHECK_EQ(write(ends[1], a, 0), 0);
    close_both(ends);
    CHECK_EQ(read(ends[0], a, 1), -1);
    CHECK_EQ(errno, EBADF);
    CHECK_EQ(write(ends[1], a, 1), -1);
    CHECK_EQ(errno, EBADF);
}

TEST(reading_and_writing_in_pieces)
{
    EXPECT_STR(outcomes_of(in_pieces), "ab cdef");
}

/* ---- What nobody will ever write ---- */

static void read_in_vain(void)
{
    char byte;

    CHECK_EQ(pipe(ends), 0);
    read(ends[0], &byte, 1);
}

TEST(waiting_for_ones_own_pipe_is_a_deadlock)
{
    EXPECT_STR(outcomes_of(read_in_vain), "deadlock");
}

static void *read_one_write_other(void *argument)
{
    char byte;

    read(ends[0], &byte, 1);
    write(more[1], &byte, 1);
    return argument;
}

static void *read_other_write_one(void *argument)
{
    char byte;

    read(more[0], &byte, 1);
    write(ends[1], &byte, 1);
    return argument;
}

static void wait_for_each_other(void)
{
    CHECK_EQ(pipe(ends), 0);
    CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, more), 0);
    together(2, read_one_write_other, read_other_write_one);
}

TEST(threads_that_wait_for_each_others_messages_are_deadlocked)
{
    EXPECT_STR(outcomes_of(wait_for_each_other), "deadlock");
    EXPECT_CONTAINS(exploration->details, "thread 1 waits for input from pipe 1 (descriptor ");
    EXPECT_CONTAINS(exploration->details, "thread 2 waits for input from socket (descriptor ");
}

static void wait_for_many_in_vain(void)
{
    int epoll = epoll_create1(0), no_event = eventfd(0, 0);
    struct epoll_event wanted = {.events = EPOLLIN};
    struct pollfd fds[] = {{.fd = epoll, .events = POLLIN}, {.fd = -1}};

    CHECK_EQ(pipe(ends), 0);
    CHECK_EQ(epoll_ctl(epoll, EPOLL_CTL_ADD, no_event, &wanted), 0);
    CHECK_EQ(epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &wanted), 0);
    poll(fds, 2, -1);
}

TEST(waiting_for_many_files_that_nobody_else_has_is_a_deadlock)
{
    EXPECT_STR(outcomes_of(wait_for_many_in_vain), "deadlock");
}

static void *write_too_much(void *argument)
{
    static char data[LARGE];

    write(ends[1], data, sizeof data);
    return argument;
}

static void fill_in_vain(void)
{
    CHECK_EQ(pipe(ends), 0);
    together(1, write_too_much);
}

TEST(waiting_for_room_that_nobody_makes_is_a_deadlock)
{
    EXPECT_STR(outcomes_of(fill_in_vain), "deadlock");
}

/* ---- Events ---- */

static void *await_event(void *argument)
{
    eventfd_t value = 0;

    CHECK_EQ(eventfd_read(event, &value), 0);
    put(0, "%d", (int)value);
    return argument;
}

static void *send_event(void *argument)
{
    CHECK_EQ(eventfd_write(event, 2), 0);
    CHECK_EQ(eventfd_write(event, 3), 0);
    return argument;
}

static void one_event(void)
{
    event = eventfd(0, 0);
    together(2, await_event, send_event);
    close(event);
}

TEST(an_event_wakes_who_waits_for_it)
{
    EXPECT_STR(outcomes_of(one_event), "2 | 5");
}

static void semaphore(void)
{
    event = eventfd(0, EFD_SEMAPHORE);
    together(3, await_event, await_event, send_event);
    close(event);
}

TEST(an_event_can_count)
{
    EXPECT_STR(outcomes_of(semaphore), "11");
}

/* ---- Streams ---- */

static void *write_lines(void *argument)
{
    write(ends[1], "first li", 8);
    write(ends[1], "ne\nsecond\nx", 11);
    write(ends[1], "yz", 2);
    close(ends[1]);
    return argument;
}

static void *read_lines(void *argument)
{
    FILE *file = fdopen(ends[0], "r");
    char line[64], *text = NULL;
    size_t room = 0;

    CHECK(fgets(line, sizeof line, file) == line);
    put(0, "%.10s|", line);
    CHECK_EQ(getline(&text, &room, file), 7);
    put(0, "%.6s|", text);
    put(0, "%c|", fgetc(file));
    CHECK_EQ(fread(line, 1, sizeof line, file), 2);
    put(0, "%.2s|", line);
    CHECK_EQ(fgetc(file), EOF);
    CHECK_EQ(getline(&text, &room, file), -1);
    CHECK(fgets(line, sizeof line, file) == NULL);
    CHECK(feof(file) && !ferror(file));
    free(text);
    fclose(file);
    return argument;
}

static void stream(void)
{
    CHECK_EQ(pipe(ends), 0);
    together(2, read_lines, write_lines);
}

TEST(a_stream_is_read_as_it_comes)
{
    EXPECT_STR(outcomes_by_chance(stream, 300, 0), "first line|second|x|yz|");
}

/* ---- A name ---- */

static char name[64];

static void *read_from_name(void *argument)
{
    char byte = '?';
    int fd = open(name, O_RDONLY);

    CHECK(fd >= 0);
    CHECK_EQ(read(fd, &byte, 1), 1);
    put(0, "%c", byte);
    CHECK_EQ(read(fd, &byte, 1), 0);
    close(fd);
    return argument;
}

static void *write_to_name(void *argument)
{
    int fd = open(name, O_WRONLY);

    CHECK(fd >= 0);
    CHECK_EQ(fcntl(fd, F_GETFL) & O_NONBLOCK, 0);
    CHECK_EQ(write(fd, "x", 1), 1);
    close(fd);
    return argument;
}

static void fifo(void)
{
    snprintf(name, sizeof name, "/tmp/raddle-fifo-%d", getpid());
    CHECK_EQ(mkfifo(name, 0600), 0);
    together(2, read_from_name, write_to_name);
    CHECK_EQ(unlink(name), 0);
}

TEST(who_opens_a_fifo_waits_for_the_other_end)
{
    EXPECT_STR(outcomes_of(fifo), "x");
}

static void *splice_all(void *argument)
{
    ssize_t moved;

    while ((moved = splice(ends[0], NULL, more[1], NULL, 65536, 0)) > 0)
        continue;
    CHECK_EQ(moved, 0);
    close(more[1]);
    return argument;
}

static void *read_other_end(void *argument)
{
    static char data[8192];
    ssize_t size, all = 0;

    while ((size = read(more[0], data, sizeof data)) > 0)
        all += size;
    CHECK_EQ(all, LARGE);
    return argument;
}

static void through_two_pipes(void)
{
    CHECK_EQ(pipe(ends), 0);
    CHECK_EQ(pipe(more), 0);
    together(3, write_much, splice_all, read_other_end);
    close(ends[0]);
    close(more[0]);
}

TEST(what_is_spliced_waits_at_both_ends)
{
    EXPECT_STR(outcomes_by_chance(through_two_pipes, 20, 0), "[]");
}

/* ---- From outside ---- */

/* Another process answers each byte with the next letter. */
static pid_t start_echo(void)
{
    pid_t child;
    char byte;

    CHECK_EQ(pipe(ends), 0);
    CHECK_EQ(pipe(more), 0);
    child = fork();
    if (child != 0)
        return child;
    close(ends[1]);
    while (read(ends[0], &byte, 1) == 1) {
        byte++;
        if (write(more[1], &byte, 1) != 1)
            _exit(1);
    }
    _exit(7);
}

static void *talk_to_echo(void *argument)
{
    char byte = 'a';

    for (int i = 0; i < 3; i++) {
        CHECK_EQ(write(ends[1], &byte, 1), 1);
        CHECK_EQ(read(more[0], &byte, 1), 1);
    }
    put(0, "%c", byte);
    return argument;
}

static void *spin_meanwhile(void *argument)
{
    while (slots[0][0] == '\0')
        sched_yield();
    return argument;
}

static void from_outside(void)
{
    pid_t echo = start_echo();
    int status = 0;

    close(ends[0]);
    close(more[1]);
    together(2, talk_to_echo, spin_meanwhile);
    close(ends[1]);
    CHECK_EQ(waitpid(echo, &status, 0), echo);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    close(more[0]);
}

TEST(what_comes_from_another_process_is_waited_for)
{
    EXPECT_STR(outcomes_by_chance(from_outside, 20, 0), "d");
}

static void outside_in_time(void)
{
    pid_t echo = start_echo();
    struct pollfd one = {.fd = more[0], .events = POLLIN};

    close(ends[0]);
    close(more[1]);
    CHECK_EQ(write(ends[1], "x", 1), 1);
    CHECK_EQ(poll(&one, 1, 10000), 1); /* virtual: but there is a child to wait for */
    close(ends[1]);
    CHECK_EQ(waitpid(echo, NULL, 0), echo);
    close(more[0]);
}

TEST(time_does_not_run_away_from_other_processes)
{
    EXPECT_STR(outcomes_by_chance(outside_in_time, 20, 0), "done");
}
