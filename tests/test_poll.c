/* test_poll.c -- threads that wait for any of several files: poll, select, epoll. */
#include <errno.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>

#include "world.h"

static int ends[2], more[2];

static void close_both(int fds[2])
{
    close(fds[0]);
    close(fds[1]);
}

static void *write_first(void *argument)
{
    write(ends[1], "x", 1);
    return argument;
}

static void *write_second(void *argument)
{
    write(more[1], "y", 1);
    return argument;
}

static void *poll_both(void *argument)
{
    struct pollfd fds[] = {{.fd = ends[0], .events = POLLIN}, {.fd = more[0], .events = POLLIN}};

    put(0, "%d", poll(fds, 2, -1));
    put(0, "%s%s", fds[0].revents & POLLIN ? "x" : "", fds[1].revents & POLLIN ? "y" : "");
    return argument;
}

static void open_both(void)
{
    CHECK_EQ(pipe(ends), 0);
    CHECK_EQ(pipe(more), 0);
}

static void poll_two(void)
{
    open_both();
    together(3, poll_both, write_first, write_second);
    close_both(ends);
    close_both(more);
}

TEST(poll_waits_for_any_of_its_files)
{
    EXPECT_STR(outcomes_of(poll_two), "1x | 1y | 2xy");
}

static void *select_both(void *argument)
{
    int highest = ends[0] > more[0] ? ends[0] : more[0];
    fd_set reading;

    FD_ZERO(&reading);
    FD_SET(ends[0], &reading);
    FD_SET(more[0], &reading);
    put(0, "%d", select(highest + 1, &reading, NULL, NULL, NULL));
    put(0, "%s%s", FD_ISSET(ends[0], &reading) ? "x" : "", FD_ISSET(more[0], &reading) ? "y" : "");
    return argument;
}

static void select_two(void)
{
    open_both();
    together(3, select_both, write_first, write_second);
    close_both(ends);
    close_both(more);
}

TEST(select_waits_for_any_of_its_files)
{
    EXPECT_STR(outcomes_of(select_two), "1x | 1y | 2xy");
}

static int epoll;

static void *epoll_both(void *argument)
{
    struct epoll_event events[4];
    int count = epoll_wait(epoll, events, 4, -1);

    put((int)(intptr_t)argument, "%d", count);
    for (int i = 0; i < count; i++)
        put((int)(intptr_t)argument, "%c", events[i].data.u32);
    return NULL;
}

static void watch(uint32_t flags)
{
    struct epoll_event x = {.events = EPOLLIN | flags, .data.u32 = 'x'};
    struct epoll_event y = {.events = EPOLLIN | flags, .data.u32 = 'y'};

    epoll = epoll_create1(0);
    CHECK_EQ(epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &x), 0);
    CHECK_EQ(epoll_ctl(epoll, EPOLL_CTL_ADD, more[0], &y), 0);
}

static void epoll_two(void)
{
    open_both();
    watch(0);
    together(3, epoll_both, write_first, write_second);
    close(epoll);
    close_both(ends);
    close_both(more);
}

TEST(epoll_waits_for_any_of_its_files)
{
    EXPECT_STR(outcomes_of(epoll_two), "1x | 1y | 2xy | 2yx");
}

static void epoll_once(void)
{
    open_both();
    watch(EPOLLET | EPOLLONESHOT);
    together(4, epoll_both, epoll_both, write_first, write_second);
    close(epoll);
    close_both(ends);
    close_both(more);
}

TEST(an_event_of_an_epoll_is_one_threads)
{
    EXPECT_STR(outcomes_by_chance(epoll_once, 300, 0),
               "1x 1y | 1y 1x | deadlock 2xy | deadlock 2yx");
}

static void nothing_in_time(void)
{
    struct timeval left = {.tv_sec = 3};
    struct timespec span = {.tv_sec = 4}, bad = {.tv_nsec = 1000000000};
    struct epoll_event seen;
    time_t before = time(NULL);

    open_both();
    watch(0);
    CHECK_EQ(poll(&(struct pollfd){.fd = ends[0], .events = POLLIN}, 1, 2000), 0);
    CHECK_EQ(select(0, NULL, NULL, NULL, &left), 0);
    CHECK(left.tv_sec == 0 && left.tv_usec == 0);
    CHECK_EQ(ppoll(NULL, 0, &span, NULL), 0);
    CHECK_EQ(pselect(0, NULL, NULL, NULL, &span, NULL), 0);
    CHECK_EQ(epoll_wait(epoll, &seen, 1, 5000), 0);
    CHECK_EQ(epoll_pwait(epoll, &seen, 1, 0, NULL), 0);
    CHECK_EQ(time(NULL) - before, 18);
    CHECK_EQ(ppoll(NULL, 0, &bad, NULL), -1);
    CHECK_EQ(errno, EINVAL);
    CHECK_EQ(epoll_wait(epoll, &seen, 0, -1), -1);
    CHECK_EQ(errno, EINVAL);
    CHECK_EQ(select(-1, NULL, NULL, NULL, &left), -1);
    CHECK_EQ(errno, EINVAL);
    close(epoll);
    close_both(ends);
    close_both(more);
}

TEST(waits_for_files_end_in_virtual_time)
{
    EXPECT_STR(outcomes_of(nothing_in_time), "done");
}

static void *poll_busily(void *argument)
{
    struct pollfd one = {.fd = ends[0], .events = POLLIN};

    while (poll(&one, 1, 0) == 0)
        continue;
    put(0, "seen");
    return argument;
}

static void busy_poll(void)
{
    CHECK_EQ(pipe(ends), 0);
    together(2, poll_busily, write_first);
    close_both(ends);
}

TEST(who_polls_busily_lets_others_run)
{
    EXPECT_STR(outcomes_by_chance(busy_poll, 100, 0), "seen");
}
