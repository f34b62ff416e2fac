/* test_notify.c -- timers of timer_create, and news of queues: by signal, and by thread. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mqueue.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>

#include <raddle/threads.h>

#include "control/sched/timer.h"
#include "world.h"

enum { SECOND = 1000000000 };

static sem_t told;
static timer_t timer;
static int64_t told_at;

static int64_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * (int64_t)SECOND + time.tv_nsec;
}

/* Within a few moments: each operation and each reading of a clock takes one. */
static bool is_about(int64_t time, int seconds)
{
    return time >= seconds * (int64_t)SECOND && time < seconds * (int64_t)SECOND + 100000;
}

static void arm(int seconds, int interval)
{
    struct itimerspec setting = {.it_value.tv_sec = seconds, .it_interval.tv_sec = interval};

    CHECK_EQ(timer_settime(timer, 0, &setting, NULL), 0);
}

static void make(int how, int signal, void (*function)(union sigval value), int value)
{
    struct sigevent event = {.sigev_notify = how, .sigev_signo = signal};

    event.sigev_value.sival_int = value;
    if (function)
        event.sigev_notify_function = function;
    CHECK_EQ(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
}

/* ---- By thread ------------------------------------------------------------------------------- */

static void note(union sigval value)
{
    told_at = now();
    put(0, "%d", value.sival_int);
    sem_post(&told);
}

static void thread_at_its_time(void)
{
    int64_t before = now();

    sem_init(&told, 0, 0);
    make(SIGEV_THREAD, 0, note, 7);
    arm(10, 0);
    sem_wait(&told);
    CHECK(is_about(told_at - before, 10));
    CHECK_EQ(timer_delete(timer), 0);
    CHECK_EQ(timer_delete(timer), -1);
    CHECK_EQ(errno, EINVAL);
}

TEST(a_timer_starts_a_thread_at_its_time)
{
    EXPECT_STR(outcomes_by_chance(thread_at_its_time, 100, 0), "7");
}

static void thread_of_a_time(void)
{
    struct itimerspec setting = {{0, 0}, *after(CLOCK_REALTIME, 20)};
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = note};
    int64_t before = now();

    sem_init(&told, 0, 0);
    CHECK_EQ(timer_create(CLOCK_REALTIME, &event, &timer), 0);
    CHECK_EQ(timer_settime(timer, TIMER_ABSTIME, &setting, NULL), 0);
    sem_wait(&told);
    CHECK(is_about(told_at - before, 20));
    setting.it_value.tv_sec = 1; /* long ago */
    CHECK_EQ(timer_settime(timer, TIMER_ABSTIME, &setting, NULL), 0);
    sem_wait(&told);
    timer_delete(timer);
}

TEST(a_timer_knows_times_of_its_clock)
{
    EXPECT_STR(outcomes_by_chance(thread_of_a_time, 50, 0), "00");
}

/* Each of five seconds, one thread; then no more. */
static void threads_again_and_again(void)
{
    int64_t before = now();
    struct itimerspec left, none = {0};

    sem_init(&told, 0, 0);
    make(SIGEV_THREAD, 0, note, 1);
    arm(2, 1);
    for (int i = 0; i < 5; i++)
        sem_wait(&told);
    CHECK(is_about(told_at - before, 6));
    CHECK_EQ(timer_getoverrun(timer), 0);
    CHECK_EQ(timer_settime(timer, 0, &none, &left), 0);
    CHECK_EQ(left.it_interval.tv_sec, 1);
    sleep(100);
    CHECK_EQ(timer_gettime(timer, &left), 0);
    CHECK_EQ(left.it_value.tv_sec | left.it_value.tv_nsec, 0);
    timer_delete(timer);
}

TEST(a_periodic_timer_starts_a_thread_each_time_until_it_is_stopped)
{
    EXPECT_STR(outcomes_by_chance(threads_again_and_again, 50, 0), "11111");
}

/* What has expired is told of even if the timer is set anew before anybody could. */
static void set_anew(void)
{
    sem_init(&told, 0, 0);
    make(SIGEV_THREAD, 0, note, 2);
    arm(1, 0);
    sleep(2);
    arm(3, 0);
    sem_wait(&told);
    sem_wait(&told);
    timer_delete(timer);
}

TEST(no_expiration_is_lost_by_setting_a_timer_anew)
{
    EXPECT_STR(outcomes_by_chance(set_anew, 100, RDL__FAULT_TIMEOUT), "22");
    EXPECT_STR(outcomes_by_chance(set_anew, 100, 0), "22");
}

static void wait_in_vain(union sigval unused)
{
    (void)unused;
    sem_wait(&told);
}

/* The threads that it starts do not get on: it starts four, and counts. */
static void too_many_threads(void)
{
    sem_init(&told, 0, 0);
    make(SIGEV_THREAD, 0, wait_in_vain, 0);
    arm(1, 1);
    usleep(20500000);
    put(0, "%u threads ", rdl__sched.alive - 2);
    for (int i = 0; i < 4; i++)
        sem_post(&told);
    sleep(1);
    put(1, "%d missed", timer_getoverrun(timer));
    timer_delete(timer);
    sem_post(&told);
    sem_post(&told);
}

TEST(threads_of_a_periodic_timer_that_do_not_end_become_no_more_than_four)
{
    EXPECT_STR(outcomes_by_chance(too_many_threads, 20, 0), "4 threads  16 missed");
}

static void tell_of_mask(union sigval unused)
{
    sigset_t mask;

    (void)unused;
    pthread_sigmask(SIG_BLOCK, NULL, &mask);
    put(0, "%d", sigismember(&mask, SIGUSR1));
    CHECK_EQ(pthread_join(pthread_self(), NULL), EINVAL); /* it is detached */
    sem_post(&told);
}

static void mask_of_a_thread(void)
{
    sigset_t all;

    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    sem_init(&told, 0, 0);
    make(SIGEV_THREAD, 0, tell_of_mask, 0);
    arm(1, 0);
    sem_wait(&told);
    timer_delete(timer);
    pthread_sigmask(SIG_UNBLOCK, &all, NULL);
}

TEST(a_thread_that_a_timer_starts_is_detached_and_lets_all_signals_through)
{
    EXPECT_STR(outcomes_by_chance(mask_of_a_thread, 20, 0), "0");
}

static void a_timer_that_is_stopped(void)
{
    sem_init(&told, 0, 0);
    make(SIGEV_THREAD, 0, note, 3);
    arm(1, 0);
    arm(0, 0);
    sem_wait(&told);
}

/* The service that waits for it is none of the threads that wait. */
TEST(who_waits_for_a_timer_that_is_stopped_waits_for_ever)
{
    EXPECT_STR(outcomes_by_chance(a_timer_that_is_stopped, 5, 0), "deadlock");
    EXPECT(!strstr(exploration->details, "service"));
}

static void an_armed_timer_is_left(void)
{
    sem_init(&told, 0, 0);
    make(SIGEV_THREAD, 0, note, 4);
    arm(1, 1);
    sem_wait(&told);
}

TEST(an_execution_ends_though_a_timer_is_set)
{
    EXPECT_STR(outcomes_by_chance(an_armed_timer_is_left, 50, 0), "4");
}

/* ---- By signal ------------------------------------------------------------------------------- */

static volatile int overruns, handled;

static void on_signal(int signal, siginfo_t *info, void *unused)
{
    (void)unused;
    CHECK_EQ(signal, info->si_signo);
    CHECK_EQ(info->si_code, SI_TIMER);
    CHECK_EQ(info->si_overrun, timer_getoverrun(timer));
    overruns = info->si_overrun;
    handled += info->si_value.sival_int;
}

static void handle(void)
{
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};

    handled = overruns = 0;
    CHECK_EQ(sigaction(SIGRTMIN, &action, NULL), 0);
}

static void block(int how, int signal)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, signal);
    CHECK_EQ(pthread_sigmask(how, &set, NULL), 0);
}

static void interrupted_sleep(void)
{
    int64_t before = now();

    handle();
    make(SIGEV_SIGNAL, SIGRTMIN, NULL, 1);
    arm(5, 0);
    CHECK_EQ(sleep(20), 15);
    CHECK(is_about(now() - before, 5));
    CHECK_EQ(handled, 1);
    block(SIG_BLOCK, SIGRTMIN);
    arm(1, 1);
    CHECK_EQ(sleep(3), 0);
    usleep(500000);
    block(SIG_UNBLOCK, SIGRTMIN);
    CHECK_EQ(handled, 2);
    CHECK_EQ(overruns, 2);
    timer_delete(timer);
}

TEST(a_timer_sends_a_signal_at_its_time_and_counts_what_it_could_not_send)
{
    EXPECT_STR(outcomes_by_chance(interrupted_sleep, 20, 0), "done");
}

static void waited_for(void)
{
    siginfo_t info;
    sigset_t set;

    block(SIG_BLOCK, SIGRTMIN);
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    make(SIGEV_SIGNAL, SIGRTMIN, NULL, 9);
    arm(1, 1);
    for (int i = 0; i < 2; i++) {
        sleep(i ? 4 : 0);
        CHECK_EQ(sigwaitinfo(&set, &info), SIGRTMIN);
        put(0, "%d %d ", info.si_value.sival_int, info.si_overrun);
        CHECK_EQ(timer_getoverrun(timer), info.si_overrun);
    }
    timer_delete(timer);
    block(SIG_UNBLOCK, SIGRTMIN);
}

TEST(who_waits_for_the_signal_of_a_timer_learns_how_many_it_missed)
{
    EXPECT_STR(outcomes_by_chance(waited_for, 20, 0), "9 0 9 3 ");
}

static void *await_own(void *argument)
{
    struct itimerspec setting = {.it_value.tv_sec = 1};
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID,
                             .sigev_signo = SIGRTMIN,
                             .sigev_value.sival_ptr = argument};
    siginfo_t info;
    sigset_t set;
    timer_t own;

    event._sigev_un._tid = gettid();
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    CHECK_EQ(timer_create(CLOCK_MONOTONIC, &event, &own), 0);
    CHECK_EQ(timer_settime(own, 0, &setting, NULL), 0);
    CHECK_EQ(sigwaitinfo(&set, &info), SIGRTMIN);
    CHECK(info.si_value.sival_ptr == argument);
    CHECK_EQ(timer_delete(own), 0);
    return NULL;
}

static void each_its_own(void)
{
    pthread_t threads[3];

    CHECK_EQ(gettid(), getpid());
    block(SIG_BLOCK, SIGRTMIN);
    for (int i = 0; i < 3; i++)
        threads[i] = start(await_own, &threads[i]);
    for (int i = 0; i < 3; i++)
        join(threads[i]);
    block(SIG_UNBLOCK, SIGRTMIN);
}

TEST(the_signal_of_a_timer_goes_to_the_thread_of_that_number)
{
    EXPECT_STR(outcomes_by_chance(each_its_own, 200, 0), "done");
}

static void by_number(void)
{
    struct itimerspec setting = {.it_value.tv_sec = 1}, left;
    int id;

    handle();
    CHECK_EQ(syscall(SYS_timer_create, CLOCK_MONOTONIC,
                     &(struct sigevent){.sigev_signo = SIGRTMIN, .sigev_value.sival_int = 5}, &id),
             0);
    CHECK_EQ(syscall(SYS_timer_settime, id, 0, &setting, NULL), 0);
    CHECK_EQ(syscall(SYS_timer_gettime, id, &left), 0);
    CHECK_EQ(left.it_value.tv_sec, 1);
    timer = (timer_t)(intptr_t)id;
    sleep(2);
    CHECK_EQ(handled, 5);
    CHECK_EQ(syscall(SYS_timer_getoverrun, id), 0);
    CHECK_EQ(syscall(SYS_timer_delete, id), 0);
}

TEST(timers_made_by_number_are_the_same)
{
    EXPECT_STR(outcomes_by_chance(by_number, 5, 0), "done");
}

/* ---- What is refused ------------------------------------------------------------------------- */

static void expect_refusal(int line, clockid_t clock, int how, int signal, int wanted)
{
    struct sigevent event = {.sigev_notify = how, .sigev_signo = signal};

    event._sigev_un._tid = 1; /* no thread of this process */
    errno = 0;
    if (timer_create(clock, &event, &timer) != -1 || errno != wanted)
        put(SLOTS - 1, "line %d: %d ", line, errno);
}

static void refused(void)
{
    struct itimerspec wrong = {.it_value.tv_nsec = SECOND}, left;

    expect_refusal(__LINE__, CLOCK_MONOTONIC, SIGEV_SIGNAL, 0, EINVAL);
    expect_refusal(__LINE__, CLOCK_MONOTONIC, SIGEV_SIGNAL, 65, EINVAL);
    expect_refusal(__LINE__, CLOCK_MONOTONIC, SIGEV_THREAD_ID, SIGRTMIN, EINVAL);
    expect_refusal(__LINE__, CLOCK_MONOTONIC, 77, SIGRTMIN, EINVAL);
    expect_refusal(__LINE__, 12345, SIGEV_NONE, 0, EINVAL);
    CHECK_EQ(timer_settime((timer_t)(intptr_t)123456, 0, &wrong, NULL), -1);
    CHECK_EQ(errno, EINVAL);
    make(SIGEV_NONE, 0, NULL, 0);
    CHECK_EQ(timer_settime(timer, 0, &wrong, NULL), -1);
    CHECK_EQ(errno, EINVAL);
    arm(5, 0);
    sleep(2);
    CHECK_EQ(timer_gettime(timer, &left), 0);
    CHECK_EQ(left.it_value.tv_sec, 3);
    sleep(4);
    CHECK_EQ(timer_gettime(timer, &left), 0);
    CHECK_EQ(left.it_value.tv_sec | left.it_value.tv_nsec, 0);
    CHECK_EQ(timer_delete(timer), 0);
}

TEST(a_timer_is_refused_for_what_the_kernel_would_refuse_it_for)
{
    EXPECT_STR(outcomes_by_chance(refused, 1, 0), "done");
}

static void many(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = note};
    timer_t timers[RDL__TIMERS_MAX];
    int count = 0;

    while (count < RDL__TIMERS_MAX && timer_create(CLOCK_MONOTONIC, &event, &timers[count]) == 0)
        count++;
    CHECK_EQ(errno, EAGAIN);
    CHECK_EQ(count, RDL__TIMERS_MAX - 1);
    for (int i = 0; i < count; i++)
        CHECK_EQ(timer_delete(timers[i]), 0);
    for (int i = 0; i < 300; i++) {
        make(SIGEV_THREAD, 0, note, 0);
        CHECK_EQ(timer_delete(timer), 0);
    }
}

TEST(there_is_room_for_many_timers_and_for_others_when_they_are_deleted)
{
    EXPECT_STR(outcomes_by_chance(many, 3, 0), "done");
}

/* ---- Queues ---------------------------------------------------------------------------------- */

static mqd_t queue;

static bool open_queue(int flags)
{
    struct mq_attr size = {.mq_maxmsg = 4, .mq_msgsize = 1};
    char name[40];

    snprintf(name, sizeof name, "/raddle_test_notify_%d", (int)getpid());
    queue = mq_open(name, O_RDWR | O_CREAT | flags, 0600, &size);
    mq_unlink(name);
    return queue != (mqd_t)-1;
}

static int ask_for_news(void (*function)(union sigval value), int value)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_value.sival_int = value};

    event.sigev_notify_function = function;
    return mq_notify(queue, &event);
}

static void receive_one(union sigval value)
{
    char letter;

    CHECK_EQ(mq_receive(queue, &letter, 1, NULL), 1);
    put(0, "%d%c", value.sival_int, letter);
    sem_post(&told);
}

static void *send_a(void *argument)
{
    CHECK_EQ(mq_send(queue, "a", 1, 0), 0);
    return argument;
}

static void news_of_one(void)
{
    pthread_t sender;

    open_queue(0);
    sem_init(&told, 0, 0);
    CHECK_EQ(ask_for_news(receive_one, 8), 0);
    CHECK_EQ(ask_for_news(receive_one, 9), -1);
    CHECK_EQ(errno, EBUSY);
    sender = start(send_a, NULL);
    sem_wait(&told);
    join(sender);
    CHECK_EQ(mq_send(queue, "b", 1, 0), 0); /* nobody has asked for that one */
    mq_close(queue);
}

static void *receive(void *argument)
{
    char letter;

    CHECK_EQ(mq_receive(queue, &letter, 1, NULL), 1);
    put(1, "%c", letter);
    return argument;
}

/* The first message is the waiting thread's, the second is news. */
static void news_of_the_second(void)
{
    pthread_t receiver;

    open_queue(0);
    sem_init(&told, 0, 0);
    CHECK_EQ(ask_for_news(receive_one, 8), 0);
    receiver = start(receive, NULL);
    let_others_wait();
    CHECK_EQ(mq_send(queue, "a", 1, 0), 0);
    CHECK_EQ(mq_send(queue, "b", 1, 0), 0);
    sem_wait(&told);
    join(receiver);
    mq_close(queue);
}

static void news_of_none(void)
{
    pthread_t receiver;

    open_queue(0);
    CHECK_EQ(ask_for_news(receive_one, 8), 0);
    receiver = start(receive, NULL);
    let_others_wait();
    CHECK_EQ(mq_send(queue, "a", 1, 0), 0);
    join(receiver);
    sleep(10);
    CHECK_EQ(mq_notify(queue, NULL), 0);
    CHECK_EQ(mq_send(queue, "b", 1, 0), 0);
    sleep(10);
    mq_close(queue);
}

static void news_that_never_come(void)
{
    open_queue(0);
    sem_init(&told, 0, 0);
    CHECK_EQ(ask_for_news(receive_one, 8), 0);
    sem_wait(&told);
}

TEST(the_first_message_of_a_queue_that_nobody_waits_for_starts_a_thread)
{
    if (!open_queue(0))
        return;
    mq_close(queue);
    EXPECT_STR(outcomes_by_chance(news_of_one, 100, 0), "8a");
    EXPECT_STR(outcomes_by_chance(news_of_the_second, 100, 0), "8a b | 8b a");
    EXPECT_STR(outcomes_by_chance(news_of_none, 100, 0), "a");
    EXPECT_STR(outcomes_by_chance(news_that_never_come, 5, 0), "deadlock");
}
