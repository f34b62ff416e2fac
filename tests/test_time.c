/* test_time.c -- virtual time: clocks, sleeping, timers. */
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include <raddle/threads.h>

#include "port/kernel.h"
#include "world.h"

enum { MS = 1000000 };

static int64_t now_on(clockid_t clock)
{
    struct timespec now;

    CHECK_EQ(clock_gettime(clock, &now), 0);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static int64_t now(void)
{
    return now_on(CLOCK_MONOTONIC);
}

/* Within a few moments: each reading takes one, and so does each operation. */
static bool is_about(int64_t time, int64_t wanted)
{
    return time >= wanted && time < wanted + 100000;
}

static void hours(void)
{
    int64_t before = now();

    for (int i = 0; i < 1000; i++)
        sleep(3600);
    CHECK(is_about(now() - before, INT64_C(3600) * 1000 * 1000 * MS));
}

TEST(hours_of_sleep_take_no_time)
{
    uint64_t before = rdl__kernel_now_ns();

    EXPECT_STR(outcomes_by_chance(hours, 20, 0), "done");
    EXPECT(rdl__kernel_now_ns() - before < UINT64_C(2000) * MS);
}

static void *sleeper(void *argument)
{
    int number = (int)(intptr_t)argument;
    int64_t before = now();

    usleep((useconds_t)(1000 * (10 - number)));
    CHECK(is_about(now() - before, (10 - number) * MS) || rdl__sched.eager_sleepers);
    put(0, "%d", number);
    return NULL;
}

static void three_sleepers(void)
{
    pthread_t threads[3];

    for (int i = 0; i < 3; i++)
        threads[i] = start(sleeper, (void *)(intptr_t)i);
    for (int i = 0; i < 3; i++)
        join(threads[i]);
    put(0, "%s", rdl__sched.eager_sleepers ? " late" : "");
}

/* A sleep may end late, when the machine is busy: then any order is possible.  In a test
 * that has to be asked for. */
TEST(sleepers_wake_in_the_order_of_their_deadlines_unless_they_are_late)
{
    const char *seen;

    EXPECT_STR(outcomes_by_chance(three_sleepers, 100, 0), "210");
    seen = outcomes_by_chance(three_sleepers, 100, RDL__FAULT_TIMEOUT);
    EXPECT_CONTAINS(seen, "012 late");
    for (const char *at = seen; (at = strpbrk(at, "012")); at += 3)
        EXPECT(strncmp(at, "210", 3) == 0 || strncmp(at + 3, " late", 5) == 0);
}

static void *sleep_for_an_hour(void *argument)
{
    sleep(3600);
    return argument;
}

static void wait_until_quiet(void)
{
    uint64_t before = now();
    pthread_t thread;

    pthread_create(&thread, NULL, sleep_for_an_hour, NULL);
    put(0, "%d", rdl_until_quiet(rdl__sched.t));
    CHECK(now() - before < MS);
    pthread_join(thread, NULL);
}

TEST(who_sleeps_is_blocked_and_it_stays_that_way)
{
    EXPECT_STR(outcomes_by_chance(wait_until_quiet, 200, 0), "1");
}

static void clocks(void)
{
    struct timeval day;
    struct timespec utc, resolution;
    int64_t real = now_on(CLOCK_REALTIME), monotonic = now();
    time_t seconds;

    CHECK_EQ(real / INT64_C(1000000000), 1735689600);
    sleep(10);
    CHECK(is_about(now_on(CLOCK_REALTIME) - real, INT64_C(10000) * MS));
    CHECK(is_about(now() - monotonic, INT64_C(10000) * MS));
    CHECK(is_about(now_on(CLOCK_BOOTTIME), now_on(CLOCK_MONOTONIC_RAW) - 50000));
    CHECK(now_on(CLOCK_PROCESS_CPUTIME_ID) < MS);
    CHECK(now_on(CLOCK_THREAD_CPUTIME_ID) < MS);
    CHECK(clock() < CLOCKS_PER_SEC / 100);
    CHECK_EQ(gettimeofday(&day, NULL), 0);
    CHECK_EQ(day.tv_sec, 1735689610);
    CHECK_EQ(time(&seconds), 1735689610);
    CHECK_EQ(seconds, 1735689610);
    CHECK_EQ(timespec_get(&utc, TIME_UTC), TIME_UTC);
    CHECK_EQ(utc.tv_sec, 1735689610);
    CHECK_EQ(clock_getres(CLOCK_MONOTONIC, &resolution), 0);
    CHECK_EQ(clock_gettime(12345, &utc), -1);
    CHECK_EQ(errno, EINVAL);
}

TEST(all_clocks_tell_the_one_time_and_it_begins_anew_in_each_execution)
{
    EXPECT_STR(outcomes_by_chance(clocks, 3, 0), "done");
}

static void sleeps(void)
{
    struct timespec when, bad = {.tv_nsec = 1000000000};
    int64_t before = now();

    clock_gettime(CLOCK_MONOTONIC, &when);
    when.tv_sec += 5;
    CHECK_EQ(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL), 0);
    CHECK(is_about(now() - before, INT64_C(5000) * MS));
    CHECK_EQ(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL), 0);
    CHECK(is_about(now() - before, INT64_C(5000) * MS)); /* that was past */
    clock_gettime(CLOCK_REALTIME, &when);
    when.tv_sec += 5;
    CHECK_EQ(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &when, NULL), 0);
    CHECK(is_about(now() - before, INT64_C(10000) * MS));
    CHECK_EQ(clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){.tv_sec = 1}, NULL), 0);
    CHECK(is_about(now() - before, INT64_C(11000) * MS));
    CHECK_EQ(clock_nanosleep(CLOCK_MONOTONIC, 0, &bad, NULL), EINVAL);
    CHECK_EQ(clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &when, NULL), EINVAL);
    CHECK_EQ(nanosleep(&bad, NULL), -1);
    CHECK_EQ(errno, EINVAL);
    CHECK_EQ(nanosleep(&(struct timespec){.tv_sec = -1}, NULL), -1);
    CHECK_EQ(errno, EINVAL);
}

TEST(sleeping_knows_spans_and_times_and_refuses_what_is_neither)
{
    EXPECT_STR(outcomes_by_chance(sleeps, 3, 0), "done");
}

static void wait_busily(void)
{
    int64_t end = now() + 1000 * MS;
    int readings;

    for (readings = 0; now() < end; readings++)
        continue;
    CHECK(readings > 10 && readings < 60);
}

TEST(waiting_busily_for_a_second_takes_a_few_dozen_readings)
{
    EXPECT_STR(outcomes_by_chance(wait_busily, 1, 0), "done");
}

static int flag;

static void *set_flag_later(void *argument)
{
    usleep(500000);
    __atomic_store_n(&flag, 1, __ATOMIC_SEQ_CST);
    return argument;
}

static void wait_for_flag(void)
{
    int64_t end = now() + INT64_C(100000) * MS;
    pthread_t other;
    int readings;

    flag = 0;
    other = start(set_flag_later, NULL);
    for (readings = 0; !__atomic_load_n(&flag, __ATOMIC_SEQ_CST) && now() < end; readings++)
        continue;
    CHECK_EQ(flag, 1);
    CHECK(readings < 200);
    join(other);
}

TEST(who_waits_busily_lets_others_run_and_wake)
{
    EXPECT_STR(outcomes_by_chance(wait_for_flag, 200, 0), "done");
}

static void measure_work(void)
{
    int64_t total = 0;

    for (int i = 0; i < 6; i++) {
        int64_t before = now();

        usleep(1000);
        total += now() - before;
    }
    CHECK(is_about(total, 6 * MS));
}

TEST(reading_the_clock_around_a_sleep_shows_the_sleep)
{
    EXPECT_STR(outcomes_by_chance(measure_work, 3, 0), "done");
}

static void *yield_often(void *argument)
{
    for (int i = 0; i < 3; i++) {
        put(0, "%s", (const char *)argument);
        sched_yield();
    }
    return NULL;
}

static void two_yielders(void)
{
    pthread_t a, b;

    a = start(yield_often, "a");
    b = start(yield_often, "b");
    join(a);
    join(b);
}

TEST(yielding_is_a_place_to_switch)
{
    const char *seen = outcomes_by_chance(two_yielders, 200, 0);

    EXPECT_CONTAINS(seen, "ababab");
    EXPECT_CONTAINS(seen, "abbbaa");
}

static pthread_mutex_t mutex;

static void *hold(void *argument)
{
    pthread_mutex_lock(&mutex);
    sleep(10);
    pthread_mutex_unlock(&mutex);
    return argument;
}

static void lock_in_time(void)
{
    pthread_t holder;
    struct timespec when;
    int64_t before;
    int why;

    pthread_mutex_init(&mutex, NULL);
    holder = start(hold, NULL);
    clock_gettime(CLOCK_REALTIME, &when);
    before = now();
    when.tv_sec += 2;
    why = pthread_mutex_timedlock(&mutex, &when);
    if (why == 0)
        pthread_mutex_unlock(&mutex);
    else
        CHECK(now() - before >= INT64_C(2000) * MS);
    put(0, "%s", why == 0 ? "got" : why == ETIMEDOUT ? "late" : "wrong");
    join(holder);
}

TEST(a_timed_wait_ends_in_virtual_time)
{
    EXPECT_STR(outcomes_by_chance(lock_in_time, 300, 0), "got | late");
}

/* ---- Timers ---- */

static void read_timer(void)
{
    int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    struct itimerspec setting = {.it_value.tv_sec = 3600, .it_interval.tv_sec = 60}, left;
    int64_t before = now();
    uint64_t times;

    CHECK_EQ(timerfd_settime(fd, 0, &setting, NULL), 0);
    sleep(600);
    CHECK_EQ(timerfd_gettime(fd, &left), 0);
    CHECK(left.it_value.tv_sec == 3000 && left.it_interval.tv_sec == 60);
    CHECK_EQ(read(fd, &times, sizeof times), sizeof times);
    CHECK_EQ(times, 1);
    CHECK(is_about(now() - before, INT64_C(3600000) * MS));
    CHECK_EQ(read(fd, &times, sizeof times), sizeof times);
    CHECK(is_about(now() - before, INT64_C(3660000) * MS));
    sleep(301);
    CHECK_EQ(read(fd, &times, sizeof times), sizeof times);
    CHECK_EQ(times, 5);
    setting = (struct itimerspec){0};
    CHECK_EQ(timerfd_settime(fd, 0, &setting, &left), 0);
    CHECK_EQ(poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, 1000000), 0);
    CHECK_EQ(close(fd), 0);
}

/* There is room for some dozens at a time, and for any number one after the other. */
static void many_timers(void)
{
    uint64_t times;

    for (int i = 0; i < 200; i++) {
        int64_t before = now();
        int late = timerfd_create(CLOCK_MONOTONIC, 0), early = timerfd_create(CLOCK_MONOTONIC, 0);
        struct itimerspec two = {.it_value.tv_sec = 2}, one = {.it_value.tv_sec = 1};

        CHECK_EQ(timerfd_settime(late, 0, &two, NULL), 0);
        CHECK_EQ(timerfd_settime(early, 0, &one, NULL), 0);
        CHECK_EQ(read(early, &times, sizeof times), sizeof times);
        CHECK(is_about(now() - before, INT64_C(1000) * MS));
        CHECK_EQ(read(late, &times, sizeof times), sizeof times);
        CHECK(is_about(now() - before, INT64_C(2000) * MS));
        CHECK_EQ(close(late) | close(early), 0);
    }
}

TEST(timers_that_were_closed_make_room_for_others)
{
    EXPECT_STR(outcomes_by_chance(many_timers, 2, 0), "done");
}

TEST(a_timerfd_keeps_virtual_time)
{
    EXPECT_STR(outcomes_by_chance(read_timer, 10, 0), "done");
}

static void *set_timer_later(void *argument)
{
    struct itimerspec setting = {.it_value.tv_nsec = 5};

    CHECK_EQ(timerfd_settime(*(int *)argument, 0, &setting, NULL), 0);
    return NULL;
}

static void epoll_timer(void)
{
    int fd = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK), epoll = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
    uint64_t times;
    pthread_t other;

    CHECK_EQ(read(fd, &times, sizeof times), -1);
    CHECK_EQ(errno, EAGAIN);
    CHECK_EQ(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event), 0);
    other = start(set_timer_later, &fd);
    CHECK_EQ(epoll_wait(epoll, &event, 1, -1), 1);
    CHECK_EQ(event.data.fd, fd);
    join(other);
    close(epoll);
    close(fd);
}

TEST(a_timerfd_wakes_who_waits_for_it_among_others)
{
    EXPECT_STR(outcomes_by_chance(epoll_timer, 100, 0), "done");
}

static volatile int alarms;

static void on_alarm(int signal)
{
    CHECK_EQ(signal, SIGALRM);
    alarms++;
}

static void interrupted_sleep(void)
{
    struct sigaction action = {.sa_handler = on_alarm}, old;
    struct timespec left;
    int64_t before;

    alarms = 0;
    CHECK_EQ(sigaction(SIGALRM, &action, &old), 0);
    before = now();
    CHECK_EQ(alarm(10), 0);
    CHECK_EQ(alarm(5), 10);
    CHECK_EQ(nanosleep(&(struct timespec){.tv_sec = 20}, &left), -1);
    CHECK_EQ(errno, EINTR);
    CHECK_EQ(alarms, 1);
    CHECK(is_about(now() - before, INT64_C(5000) * MS));
    CHECK(left.tv_sec == 15 && left.tv_nsec == 0);
    alarm(2);
    CHECK_EQ(sleep(10), 8);
    CHECK_EQ(alarms, 2);
    CHECK_EQ(sigaction(SIGALRM, &old, NULL), 0);
}

TEST(an_alarm_interrupts_a_sleep)
{
    EXPECT_STR(outcomes_by_chance(interrupted_sleep, 100, 0), "done");
}
