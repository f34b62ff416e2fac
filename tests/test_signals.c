/* test_signals.c -- signals between controlled threads. */
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/time.h>

#include "world.h"

static pthread_t handled_by;
static volatile int handled;
static int ends[2];
static sem_t ready;

static void note(int number)
{
    CHECK_EQ(number, SIGUSR1);
    handled_by = pthread_self();
    handled++;
}

static void handle_with(void (*handler)(int), int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};

    handled = 0;
    CHECK_EQ(sigaction(SIGUSR1, &action, NULL), 0);
}

static sigset_t just(int number)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, number);
    return set;
}

/* ---- To a thread ---- */

static void *sleep_long(void *argument)
{
    struct timespec left = {0};

    sem_post(&ready);
    if (nanosleep(&(struct timespec){.tv_sec = 10}, &left) == 0)
        put(0, "slept");
    else
        put(0, "%s", errno == EINTR && left.tv_sec > 0 ? "interrupted" : "wrong");
    if (handled)
        CHECK(pthread_equal(handled_by, pthread_self()));
    return argument;
}

static void kill_sleeper(void)
{
    pthread_t thread;

    handle_with(note, 0);
    sem_init(&ready, 0, 0);
    thread = start(sleep_long, NULL);
    sem_wait(&ready);
    CHECK_EQ(pthread_kill(thread, 0), 0);
    CHECK_EQ(pthread_kill(thread, 1000), EINVAL);
    CHECK_EQ(pthread_kill(thread, SIGUSR1), 0);
    join(thread);
}

/* Before it sleeps, while it does, or after. */
TEST(a_signal_interrupts_the_thread_it_is_for)
{
    EXPECT_STR(outcomes_by_chance(kill_sleeper, 300, RDL__FAULT_TIMEOUT), "interrupted | slept");
}

static void *read_long(void *argument)
{
    char byte;

    sem_post(&ready);
    if (read(ends[0], &byte, 1) == 1)
        put(0, "read");
    else
        put(0, "%s", errno == EINTR ? "interrupted" : "wrong");
    return argument;
}

static void kill_reader(void)
{
    pthread_t thread;

    CHECK_EQ(pipe(ends), 0);
    sem_init(&ready, 0, 0);
    thread = start(read_long, NULL);
    sem_wait(&ready);
    let_others_wait();
    pthread_kill(thread, SIGUSR1);
    let_others_wait();
    CHECK_EQ(write(ends[1], "x", 1), 1);
    join(thread);
    CHECK_EQ(handled, 1);
    close(ends[0]);
    close(ends[1]);
}

static void kill_reader_for_good(void)
{
    handle_with(note, 0);
    kill_reader();
}

static void kill_reader_who_goes_on(void)
{
    handle_with(note, SA_RESTART);
    kill_reader();
}

TEST(a_read_goes_on_after_the_handler_only_if_asked_to)
{
    EXPECT_STR(outcomes_by_chance(kill_reader_for_good, 50, 0), "interrupted");
    EXPECT_STR(outcomes_by_chance(kill_reader_who_goes_on, 50, 0), "read");
}

static pthread_mutex_t mutex;

static void acknowledge(int number)
{
    (void)number;
    handled_by = pthread_self();
    sem_post(&ready);
}

static void *lock_long(void *argument)
{
    pthread_mutex_lock(&mutex);
    put(0, "locked");
    pthread_mutex_unlock(&mutex);
    return argument;
}

/* As collectors of garbage stop the world. */
static void kill_locker(void)
{
    pthread_t thread;

    handle_with(acknowledge, SA_RESTART);
    sem_init(&ready, 0, 0);
    pthread_mutex_init(&mutex, NULL);
    pthread_mutex_lock(&mutex);
    thread = start(lock_long, NULL);
    pthread_kill(thread, SIGUSR1);
    sem_wait(&ready);
    CHECK(pthread_equal(handled_by, thread));
    put(0, "answered ");
    pthread_mutex_unlock(&mutex);
    join(thread);
}

TEST(a_handler_runs_while_its_thread_waits_for_a_lock)
{
    EXPECT_STR(outcomes_by_chance(kill_locker, 200, 0), "answered locked");
}

static pthread_t joined;

static void *join_long(void *argument)
{
    pthread_join(joined, NULL);
    put(0, "joined");
    return argument;
}

static void *wait_for_post(void *argument)
{
    sem_wait(argument);
    return NULL;
}

static void kill_joiner(void)
{
    pthread_t thread;
    sem_t end;

    handle_with(acknowledge, 0);
    sem_init(&ready, 0, 0);
    sem_init(&end, 0, 0);
    joined = start(wait_for_post, &end);
    thread = start(join_long, NULL);
    pthread_kill(thread, SIGUSR1);
    sem_wait(&ready);
    put(0, "answered ");
    sem_post(&end);
    join(thread);
}

TEST(a_handler_runs_while_its_thread_joins_another)
{
    EXPECT_STR(outcomes_by_chance(kill_joiner, 200, 0), "answered joined");
}

static void *pause_once(void *argument)
{
    sem_post(&ready);
    if (!handled) {
        sched_yield();
        pause();
    }
    put(0, "on");
    return argument;
}

static void kill_pausing(void)
{
    pthread_t thread;

    handle_with(note, 0);
    sem_init(&ready, 0, 0);
    thread = start(pause_once, NULL);
    sem_wait(&ready);
    pthread_kill(thread, SIGUSR1);
    join(thread);
}

TEST(a_signal_may_come_just_before_the_pause)
{
    EXPECT_STR(outcomes_by_chance(kill_pausing, 500, 0), "deadlock | on");
}

static void *suspend_once(void *argument)
{
    sigset_t set = just(SIGUSR1), old;

    pthread_sigmask(SIG_BLOCK, &set, &old);
    sem_post(&ready);
    while (!handled) {
        CHECK_EQ(sigsuspend(&old), -1);
        CHECK_EQ(errno, EINTR);
    }
    pthread_sigmask(SIG_SETMASK, &old, &set);
    CHECK(sigismember(&set, SIGUSR1));
    put(0, "on");
    return argument;
}

static void kill_suspended(void)
{
    pthread_t thread;

    handle_with(note, 0);
    sem_init(&ready, 0, 0);
    thread = start(suspend_once, NULL);
    sem_wait(&ready);
    pthread_kill(thread, SIGUSR1);
    join(thread);
}

TEST(with_sigsuspend_no_signal_is_missed)
{
    EXPECT_STR(outcomes_by_chance(kill_suspended, 500, 0), "on");
}

static sigjmp_buf back;

static void jump_back(int number)
{
    (void)number;
    siglongjmp(back, 1);
}

static void *read_until_jump(void *argument)
{
    char byte;

    if (sigsetjmp(back, 1) == 0) {
        sem_post(&ready);
        read(ends[0], &byte, 1);
        put(0, "read");
    } else {
        put(0, "jumped");
    }
    return argument;
}

static void kill_jumper(void)
{
    pthread_t thread;

    CHECK_EQ(pipe(ends), 0);
    handle_with(jump_back, 0);
    sem_init(&ready, 0, 0);
    thread = start(read_until_jump, NULL);
    sem_wait(&ready);
    let_others_wait();
    pthread_kill(thread, SIGUSR1);
    join(thread);
    close(ends[0]);
    close(ends[1]);
}

TEST(a_handler_may_jump_out_of_a_wait)
{
    EXPECT_STR(outcomes_by_chance(kill_jumper, 100, 0), "jumped");
}

/* ---- Masks ---- */

static void *block_and_raise(void *argument)
{
    sigset_t set = just(SIGUSR1), pending;

    CHECK_EQ(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);
    CHECK_EQ(raise(SIGUSR1), 0);
    sched_yield();
    CHECK_EQ(handled, 0);
    CHECK_EQ(sigpending(&pending), 0);
    CHECK(sigismember(&pending, SIGUSR1));
    CHECK_EQ(pthread_sigmask(SIG_UNBLOCK, &set, NULL), 0);
    CHECK_EQ(handled, 1);
    CHECK(pthread_equal(handled_by, pthread_self()));
    return argument;
}

static void *let_through(void *argument)
{
    sigset_t mask;

    for (int i = 0; i < 3; i++) {
        sched_yield();
        pthread_sigmask(SIG_BLOCK, NULL, &mask);
        CHECK(!sigismember(&mask, SIGUSR1));
    }
    return argument;
}

static void masks(void)
{
    handle_with(note, 0);
    together(2, block_and_raise, let_through);
}

TEST(each_thread_has_a_mask_of_its_own)
{
    EXPECT_STR(outcomes_by_chance(masks, 200, 0), "done");
}

static void *tell_mask(void *argument)
{
    sigset_t mask;

    sigprocmask(SIG_BLOCK, NULL, &mask);
    return sigismember(&mask, SIGUSR2) ? argument : NULL;
}

static void inherit(void)
{
    sigset_t set = just(SIGUSR2);
    char mark;

    CHECK(join(start(tell_mask, &mark)) == NULL);
    sigprocmask(SIG_BLOCK, &set, NULL);
    CHECK(join(start(tell_mask, &mark)) == &mark);
}

/* And executions begin with the mask that the process had. */
TEST(a_thread_inherits_the_mask)
{
    EXPECT_STR(outcomes_by_chance(inherit, 20, 0), "done");
}

/* ---- To the process ---- */

static void *wait_here(void *argument)
{
    sem_wait(argument);
    return NULL;
}

static void kill_process(void)
{
    sem_t end;
    pthread_t other;

    handle_with(note, SA_RESTART);
    sem_init(&end, 0, 0);
    other = start(wait_here, &end);
    CHECK_EQ(kill(getpid(), SIGUSR1), 0);
    let_others_wait();
    sched_yield();
    CHECK_EQ(handled, 1);
    put(0, "%s", pthread_equal(handled_by, other) ? "other" : "self");
    sem_post(&end);
    join(other);
}

TEST(any_thread_may_get_a_signal_for_the_process)
{
    EXPECT_STR(outcomes_by_chance(kill_process, 100, 0), "other | self");
}

static void *wait_for_signals(void *argument)
{
    sigset_t set = just(SIGUSR1);
    int number = 0;

    sigaddset(&set, SIGTERM);
    do {
        CHECK_EQ(sigwait(&set, &number), 0);
        put(0, "%s ", number == SIGUSR1 ? "usr1" : "term");
    } while (number != SIGTERM);
    return argument;
}

static void signal_thread(void)
{
    sigset_t set = just(SIGUSR1);
    pthread_t thread;

    sigaddset(&set, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    thread = start(wait_for_signals, NULL);
    kill(getpid(), SIGUSR1);
    let_others_wait();
    pthread_kill(thread, SIGUSR1);
    let_others_wait();
    kill(getpid(), SIGTERM);
    join(thread);
}

TEST(a_thread_can_wait_for_the_signals_of_the_process)
{
    EXPECT_STR(outcomes_by_chance(signal_thread, 200, 0), "usr1 usr1 term ");
}

static void wait_for_values(void)
{
    int number = SIGRTMIN + 1;
    sigset_t set = just(number);
    siginfo_t info;
    struct timespec span = {.tv_sec = 9};
    time_t before = time(NULL);

    pthread_sigmask(SIG_BLOCK, &set, NULL);
    CHECK_EQ(sigtimedwait(&set, &info, &span), -1);
    CHECK_EQ(errno, EAGAIN);
    CHECK_EQ(time(NULL) - before, 9);
    CHECK_EQ(pthread_sigqueue(pthread_self(), number, (union sigval){.sival_int = 1}), 0);
    CHECK_EQ(pthread_sigqueue(pthread_self(), number, (union sigval){.sival_int = 2}), 0);
    CHECK_EQ(sigqueue(getpid(), number, (union sigval){.sival_int = 3}), 0);
    for (int i = 1; i <= 3; i++) {
        CHECK_EQ(sigwaitinfo(&set, &info), number);
        CHECK_EQ(info.si_value.sival_int, i);
        CHECK_EQ(info.si_pid, getpid());
    }
}

TEST(signals_with_values_come_in_order)
{
    EXPECT_STR(outcomes_of(wait_for_values), "done");
}

static void *send_usr1(void *argument)
{
    kill(getpid(), SIGUSR1);
    return argument;
}

static void signals_as_file(void)
{
    sigset_t set = just(SIGUSR1);
    struct signalfd_siginfo info;
    pthread_t other;
    int fd;

    pthread_sigmask(SIG_BLOCK, &set, NULL);
    fd = signalfd(-1, &set, SFD_CLOEXEC);
    raise(SIGUSR1);
    CHECK_EQ(read(fd, &info, sizeof info), sizeof info);
    CHECK_EQ(info.ssi_signo, SIGUSR1);
    other = start(send_usr1, NULL);
    CHECK_EQ(read(fd, &info, sizeof info), sizeof info);
    CHECK_EQ(info.ssi_signo, SIGUSR1);
    join(other);
    close(fd);
}

TEST(signals_can_be_read_from_a_file)
{
    EXPECT_STR(outcomes_by_chance(signals_as_file, 50, 0), "done");
}

static void wait_in_vain(void)
{
    sigset_t set = just(SIGUSR1);
    int number;

    pthread_sigmask(SIG_BLOCK, &set, NULL);
    sigwait(&set, &number);
}

TEST(waiting_for_a_signal_that_nobody_sends_is_a_deadlock)
{
    EXPECT_STR(outcomes_of(wait_in_vain), "deadlock");
}

/* ---- From outside ---- */

static void from_child(void)
{
    sigset_t set = just(SIGUSR1), old;
    pid_t child;

    handle_with(note, 0);
    pthread_sigmask(SIG_BLOCK, &set, &old);
    child = fork();
    if (child == 0) {
        kill(getppid(), SIGUSR1);
        _exit(0);
    }
    while (!handled)
        sigsuspend(&old);
    CHECK_EQ(waitpid(child, NULL, 0), child);
}

TEST(a_signal_comes_from_another_process)
{
    EXPECT_STR(outcomes_by_chance(from_child, 20, 0), "done");
}

static void write_to_pipe(int number)
{
    char byte = (char)number;

    write(ends[1], &byte, 1);
}

/* The handler writes to a pipe that another thread reads from. */
static void self_pipe(void)
{
    pid_t child;
    pthread_t reader;

    CHECK_EQ(pipe(ends), 0);
    handle_with(write_to_pipe, SA_RESTART);
    sem_init(&ready, 0, 0);
    reader = start(read_long, NULL);
    child = fork();
    if (child == 0) {
        kill(getppid(), SIGUSR1);
        _exit(0);
    }
    join(reader);
    CHECK_EQ(waitpid(child, NULL, 0), child);
    close(ends[0]);
    close(ends[1]);
}

TEST(a_handler_may_write_to_a_pipe)
{
    EXPECT_STR(outcomes_by_chance(self_pipe, 30, 0), "read");
}

static void on_broken(int number)
{
    put(0, number == SIGPIPE ? "broken" : "wrong");
}

static void handle_broken_pipe(void)
{
    struct sigaction action = {.sa_handler = on_broken}, old;

    CHECK_EQ(sigaction(SIGPIPE, &action, &old), 0);
    CHECK_EQ(pipe(ends), 0);
    close(ends[0]);
    CHECK_EQ(write(ends[1], "x", 1), -1);
    put(0, ".");
    CHECK_EQ(errno, EPIPE);
    close(ends[1]);
    CHECK_EQ(sigaction(SIGPIPE, &old, &action), 0);
    CHECK(action.sa_handler == on_broken);
}

TEST(a_broken_pipe_is_handled_before_the_write_returns)
{
    EXPECT_STR(outcomes_of(handle_broken_pipe), "broken.");
}

/* ---- Cancellation ---- */

static void wait_in_read(void)
{
    char byte;

    read(ends[0], &byte, 1);
}

static void wait_in_poll(void)
{
    poll(NULL, 0, -1);
}

static void wait_in_sleep(void)
{
    for (;;)
        sleep(1000);
}

static void wait_in_sigwait(void)
{
    sigset_t set = just(SIGUSR2);
    int number;

    sigwait(&set, &number);
}

static void wait_in_pause(void)
{
    pause();
}

static void wait_in_fgetc(void)
{
    FILE *file = fdopen(dup(ends[0]), "r");

    fgetc(file);
}

static void (*const waits[])(void) = {wait_in_read,    wait_in_poll,  wait_in_sleep,
                                      wait_in_sigwait, wait_in_pause, wait_in_fgetc};

static void clean_up(void *argument)
{
    (void)argument;
    put(0, "c");
}

static void *wait_somehow(void *argument)
{
    pthread_cleanup_push(clean_up, NULL);
    (*(void (*const *)(void))argument)();
    pthread_cleanup_pop(0);
    return NULL;
}

static void cancel_waiters(void)
{
    CHECK_EQ(pipe(ends), 0);
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
        pthread_t thread = start(wait_somehow, &waits[i]);

        CHECK_EQ(pthread_cancel(thread), 0);
        CHECK(join(thread) == PTHREAD_CANCELED);
    }
    close(ends[0]);
    close(ends[1]);
}

TEST(threads_that_wait_can_be_cancelled)
{
    EXPECT_STR(outcomes_by_chance(cancel_waiters, 100, 0), "cccccc");
}

static uint32_t word;

static void *wait_at_word(void *argument)
{
    while (__atomic_load_n(&word, __ATOMIC_SEQ_CST) == 0)
        syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
    put(0, "woken");
    pthread_testcancel();
    return argument;
}

static void cancel_at_word(void)
{
    pthread_t thread;

    word = 0;
    thread = start(wait_at_word, NULL);
    CHECK_EQ(pthread_cancel(thread), 0);
    let_others_wait();
    __atomic_store_n(&word, 1, __ATOMIC_SEQ_CST);
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    CHECK(join(thread) == PTHREAD_CANCELED);
}

TEST(calls_by_number_are_no_cancellation_points)
{
    EXPECT_STR(outcomes_by_chance(cancel_at_word, 100, 0), "woken");
}
