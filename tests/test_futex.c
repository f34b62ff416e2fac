/* test_futex.c -- futexes, and other system calls by number. */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "world.h"

static uint32_t word, other;

static long futex(uint32_t *at, int operation, uint32_t value, const struct timespec *timeout,
                  uint32_t *at_too, uint32_t value_3)
{
    return syscall(SYS_futex, at, operation, value, timeout, at_too, value_3);
}

/* For functions whose fourth argument is a number. */
static long futex_two(int operation, uint32_t wakings, long number, uint32_t value)
{
    return syscall(SYS_futex, &word, operation, wakings, number, &other, value);
}

/* ---- Waiting and waking ---- */

static void *wait_for_zero(void *argument)
{
    while (__atomic_load_n(&word, __ATOMIC_SEQ_CST) == 0)
        futex(&word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
    put(0, "woken");
    return argument;
}

static void *set_and_wake(void *argument)
{
    __atomic_store_n(&word, 1, __ATOMIC_SEQ_CST);
    futex(&word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    return argument;
}

static void wait_and_wake(void)
{
    word = 0;
    together(2, wait_for_zero, set_and_wake);
}

TEST(no_wake_up_is_lost)
{
    EXPECT_STR(outcomes_of(wait_and_wake), "woken");
}

static void *wait_blindly(void *argument)
{
    if (futex(&word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0) == 0)
        put(0, "woken");
    else
        put(0, "%s", errno == EAGAIN ? "too late" : "wrong");
    return argument;
}

static void *wake_only(void *argument)
{
    put(1, "%ld", futex(&word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0));
    return argument;
}

static void forget_to_set(void)
{
    word = 0;
    together(2, wait_blindly, wake_only);
}

TEST(waking_before_the_wait_wakes_nobody)
{
    EXPECT_STR(outcomes_of(forget_to_set), "deadlock 0 | woken 1");
}

static void set_before(void)
{
    word = 1;
    together(1, wait_blindly);
}

TEST(a_word_that_has_changed_is_not_waited_for)
{
    EXPECT_STR(outcomes_of(set_before), "too late");
}

/* ---- Which of several ---- */

static void *sleep_here(void *argument)
{
    if (futex(&word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0) == 0)
        put(0, "%d", (int)(intptr_t)argument);
    return NULL;
}

static void wake_one_of_three(void)
{
    pthread_t threads[3];

    word = 0;
    for (int i = 0; i < 3; i++)
        threads[i] = start(sleep_here, (void *)(intptr_t)i);
    let_others_wait();
    CHECK_EQ(futex(&word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0), 1);
    let_others_wait();
    put(0, ",");
    CHECK_EQ(futex(&word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0), 2);
    for (int i = 0; i < 3; i++)
        join(threads[i]);
}

TEST(any_of_several_waiters_may_be_woken)
{
    EXPECT_STR(outcomes_by_chance(wake_one_of_three, 200, 0),
               "0,12 | 0,21 | 1,02 | 1,20 | 2,01 | 2,10");
}

static void *sleep_for_bits(void *argument)
{
    uint32_t bits = (uint32_t)(uintptr_t)argument;

    CHECK_EQ(futex(&word, FUTEX_WAIT_BITSET_PRIVATE, 0, NULL, NULL, bits), 0);
    put(0, "%u", bits);
    return NULL;
}

static void wake_by_bits(void)
{
    pthread_t threads[3];

    word = 0;
    for (int i = 0; i < 3; i++)
        threads[i] = start(sleep_for_bits, (void *)(intptr_t)(1 << i));
    let_others_wait();
    CHECK_EQ(futex(&word, FUTEX_WAKE_BITSET_PRIVATE, INT_MAX, NULL, NULL, 8), 0);
    CHECK_EQ(futex(&word, FUTEX_WAKE_BITSET_PRIVATE, INT_MAX, NULL, NULL, 4), 1);
    let_others_wait();
    CHECK_EQ(futex(&word, FUTEX_WAKE_BITSET_PRIVATE, 1, NULL, NULL, 6), 1);
    let_others_wait();
    CHECK_EQ(futex(&word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0), 1);
    CHECK_EQ(futex(&word, FUTEX_WAKE_BITSET_PRIVATE, 1, NULL, NULL, 0), -1);
    CHECK_EQ(errno, EINVAL);
    CHECK_EQ(futex(&word, FUTEX_WAIT_BITSET_PRIVATE, 0, NULL, NULL, 0), -1);
    CHECK_EQ(errno, EINVAL);
    for (int i = 0; i < 3; i++)
        join(threads[i]);
}

TEST(bits_say_who_is_meant)
{
    EXPECT_STR(outcomes_by_chance(wake_by_bits, 50, 0), "421");
}

/* ---- Requeueing ---- */

static void requeue(void)
{
    pthread_t threads[3];

    word = other = 0;
    for (int i = 0; i < 3; i++)
        threads[i] = start(sleep_here, (void *)(intptr_t)i);
    let_others_wait();
    CHECK_EQ(futex_two(FUTEX_CMP_REQUEUE_PRIVATE, 1, 1, 7), -1);
    CHECK_EQ(errno, EAGAIN);
    CHECK_EQ(futex_two(FUTEX_CMP_REQUEUE_PRIVATE, 1, 1, 0), 2);
    let_others_wait();
    CHECK_EQ(strlen(slots[0]), 1);
    CHECK_EQ(futex(&other, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0), 1);
    CHECK_EQ(futex(&word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0), 1);
    CHECK_EQ(futex_two(FUTEX_REQUEUE_PRIVATE, 1, 1, 0), 0);
    for (int i = 0; i < 3; i++)
        join(threads[i]);
    slots[0][0] = '\0';
}

TEST(waiters_can_be_moved_to_another_word)
{
    EXPECT_STR(outcomes_by_chance(requeue, 100, 0), "done");
}

static void *sleep_at_other(void *argument)
{
    CHECK_EQ(futex(&other, FUTEX_WAIT_PRIVATE, 5, NULL, NULL, 0), 0);
    return argument;
}

static void wake_two_words(void)
{
    pthread_t a, b;
    int add_3_if_5 = FUTEX_OP(FUTEX_OP_ADD, 3, FUTEX_OP_CMP_EQ, 5);
    uint32_t clear_8_if_negative =
        (FUTEX_OP_ANDN | 8u) << 28 | FUTEX_OP_CMP_LT << 24 | 3 << 12; /* 8: shift */

    word = 0;
    other = 5;
    a = start(sleep_here, NULL);
    b = start(sleep_at_other, NULL);
    let_others_wait();
    CHECK_EQ(futex_two(FUTEX_WAKE_OP_PRIVATE, 1, 1, (uint32_t)add_3_if_5), 2);
    CHECK_EQ(other, 8);
    CHECK_EQ(futex_two(FUTEX_WAKE_OP_PRIVATE, 1, 1, clear_8_if_negative), 0);
    CHECK_EQ(other, 0);
    join(a);
    join(b);
}

TEST(one_call_can_change_a_word_and_wake_at_two)
{
    EXPECT_STR(outcomes_by_chance(wake_two_words, 50, 0), "0");
}

/* ---- Time ---- */

static int64_t now_on(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return now.tv_sec;
}

static void wait_too_long(void)
{
    struct timespec span = {.tv_sec = 5}, bad = {.tv_nsec = -1};
    int64_t before = now_on(CLOCK_MONOTONIC);

    word = 0;
    CHECK_EQ(futex(&word, FUTEX_WAIT_PRIVATE, 0, &span, NULL, 0), -1);
    CHECK_EQ(errno, ETIMEDOUT);
    CHECK_EQ(now_on(CLOCK_MONOTONIC) - before, 5);
    CHECK_EQ(futex(&word, FUTEX_WAIT_BITSET_PRIVATE, 0, after(CLOCK_MONOTONIC, 5), NULL, 1), -1);
    CHECK_EQ(errno, ETIMEDOUT);
    CHECK_EQ(now_on(CLOCK_MONOTONIC) - before, 10);
    CHECK_EQ(futex(&word, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, 0, after(CLOCK_REALTIME, 5),
                   NULL, 1),
             -1);
    CHECK_EQ(errno, ETIMEDOUT);
    CHECK_EQ(now_on(CLOCK_MONOTONIC) - before, 15);
    CHECK_EQ(futex(&word, FUTEX_WAIT_PRIVATE, 0, &bad, NULL, 0), -1);
    CHECK_EQ(errno, EINVAL);
    CHECK_EQ(futex((uint32_t *)((char *)&word + 1), FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0), -1);
    CHECK_EQ(errno, EINVAL);
}

TEST(waits_end_in_virtual_time)
{
    EXPECT_STR(outcomes_by_chance(wait_too_long, 3, 0), "done");
}

/* ---- A lock, as in Drepper's "Futexes Are Tricky" ---- */

static void lock(void)
{
    uint32_t free = 0;

    if (__atomic_compare_exchange_n(&word, &free, 1, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        return;
    while (__atomic_exchange_n(&word, 2, __ATOMIC_SEQ_CST) != 0)
        futex(&word, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
}

static void unlock(void)
{
    if (__atomic_exchange_n(&word, 0, __ATOMIC_SEQ_CST) == 2)
        futex(&word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static int inside;

static void *use_lock(void *argument)
{
    for (int i = 0; i < 2; i++) {
        lock();
        CHECK_EQ(++inside, 1);
        sched_yield();
        inside--;
        unlock();
    }
    return argument;
}

static void three_users(void)
{
    word = 0;
    inside = 0;
    together(3, use_lock, use_lock, use_lock);
}

TEST(a_lock_made_of_a_futex_excludes)
{
    EXPECT_STR(outcomes_by_chance(three_users, 500, 0), "done");
}

static void *use_kernel_lock(void *argument)
{
    for (int i = 0; i < 2; i++) {
        uint32_t free = 0, me = (uint32_t)syscall(SYS_gettid);

        if (!__atomic_compare_exchange_n(&word, &free, me, false, __ATOMIC_SEQ_CST,
                                         __ATOMIC_SEQ_CST))
            CHECK_EQ(futex(&word, FUTEX_LOCK_PI_PRIVATE, 0, NULL, NULL, 0), 0);
        CHECK_EQ(++inside, 1);
        CHECK_EQ(futex(&word, FUTEX_LOCK_PI_PRIVATE, 0, NULL, NULL, 0), -1);
        CHECK_EQ(errno, EDEADLK);
        sched_yield();
        inside--;
        if (!__atomic_compare_exchange_n(&word, &me, 0, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
            CHECK_EQ(futex(&word, FUTEX_UNLOCK_PI_PRIVATE, 0, NULL, NULL, 0), 0);
    }
    return argument;
}

static void three_kernel_users(void)
{
    word = 0;
    inside = 0;
    together(3, use_kernel_lock, use_kernel_lock, use_kernel_lock);
    CHECK_EQ(word, 0);
    CHECK_EQ(futex(&word, FUTEX_UNLOCK_PI_PRIVATE, 0, NULL, NULL, 0), -1);
    CHECK_EQ(errno, EPERM);
}

TEST(locks_of_the_kernel_exclude)
{
    EXPECT_STR(outcomes_by_chance(three_kernel_users, 500, 0), "done");
}

/* ---- Other calls by number ---- */

enum { LARGEST_OF_KERNEL = 1 << 22 };

static void *tell_number(void *argument)
{
    CHECK_EQ(gettid(), syscall(SYS_gettid));
    CHECK_EQ(gettid() == *(pid_t *)argument, false);
    return (void *)(intptr_t)gettid();
}

/* What the kernel knows by another number it is asked by that. */
static void *ask_about_oneself(void *unused)
{
    char attributes[256];
    struct sched_param parameters;
    struct timespec interval;
    cpu_set_t cpus;

    CHECK_EQ(syscall(SYS_sched_getattr, gettid(), attributes, sizeof attributes, 0), 0);
    CHECK_EQ(syscall(SYS_sched_setattr, gettid(), attributes, 0), 0);
    CHECK_EQ(sched_getscheduler(gettid()), sched_getscheduler(0));
    CHECK_EQ(sched_getparam(gettid(), &parameters), 0);
    CHECK_EQ(sched_setscheduler(gettid(), sched_getscheduler(0), &parameters), 0);
    CHECK_EQ(sched_setparam(gettid(), &parameters), 0);
    CHECK_EQ(sched_rr_get_interval(gettid(), &interval), 0);
    CHECK_EQ(sched_getaffinity(gettid(), sizeof cpus, &cpus), 0);
    CHECK_EQ(sched_setaffinity(gettid(), sizeof cpus, &cpus), 0);
    CHECK_EQ(getpriority(PRIO_PROCESS, (id_t)gettid()), getpriority(PRIO_PROCESS, 0));
    CHECK_EQ(syscall(SYS_getpriority, PRIO_PROCESS, gettid()), syscall(SYS_getpriority, 0, 0));
    CHECK_EQ(setpriority(PRIO_PROCESS, (id_t)gettid(), getpriority(PRIO_PROCESS, 0)), 0);
    return unused;
}

static void asking(void)
{
    join(start(ask_about_oneself, NULL));
    ask_about_oneself(NULL);
    CHECK_EQ(sched_getscheduler(LARGEST_OF_KERNEL + 1000), -1);
    CHECK_EQ(errno, ESRCH);
}

TEST(a_thread_may_be_asked_for_by_its_number)
{
    EXPECT_STR(outcomes_by_chance(asking, 5, 0), "done");
}

static void by_number(void)
{
    struct timespec span = {.tv_sec = 1000}, now;
    struct timeval day;
    pid_t first = gettid();
    int ends[2];
    char byte;

    CHECK_EQ(first, getpid());
    CHECK_EQ((intptr_t)join(start(tell_number, &first)) > LARGEST_OF_KERNEL, true);
    CHECK_EQ(syscall(SYS_nanosleep, &span, NULL), 0);
    CHECK_EQ(syscall(SYS_clock_gettime, CLOCK_REALTIME, &now), 0);
    CHECK_EQ(now.tv_sec, 1735690600);
    CHECK_EQ(syscall(SYS_gettimeofday, &day, NULL), 0);
    CHECK_EQ(day.tv_sec, 1735690600);
    CHECK_EQ(syscall(SYS_sched_yield), 0);
    CHECK_EQ(pipe(ends), 0);
    CHECK_EQ(syscall(SYS_write, ends[1], "x", 1), 1);
    CHECK_EQ(syscall(SYS_read, ends[0], &byte, 1), 1);
    CHECK_EQ(byte, 'x');
    CHECK_EQ(syscall(SYS_close, ends[0]), 0);
    CHECK_EQ(syscall(SYS_close, ends[1]), 0);
    CHECK_EQ(syscall(SYS_close, ends[1]), -1);
    CHECK_EQ(errno, EBADF);
    CHECK_EQ(syscall(SYS_getppid), getppid());
}

TEST(calls_by_number_are_like_those_by_name)
{
    EXPECT_STR(outcomes_by_chance(by_number, 5, 0), "done");
}
