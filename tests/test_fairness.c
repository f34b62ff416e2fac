/* test_fairness.c -- the scheduler's own rules: who asks in vain, who waits until all is quiet,
 * how time passes while others work, and that threads that were used are used again. */
#include <dirent.h>
#include <sched.h>
#include <semaphore.h>

#include "control/sched/world.h"
#include "explore.h"

enum { POINTS_MAX = 100000, CALLS = 256 }; /* of run_one, and after which a thread is polite */

#define SECOND (UINT64_C(1000000000))

static pthread_mutex_t a;
static volatile int flag, times;

static bool is_flag(void *unused)
{
    (void)unused;
    return flag != 0;
}

/* ---- In vain ---------------------------------------------------------------------------- */

static int yields;

static void yield_alone(void)
{
    for (int i = 0; i < yields; i++)
        sched_yield();
}

static void try_alone(void)
{
    pthread_mutex_init(&a, NULL);
    pthread_mutex_lock(&a);
    for (int i = 0; i < yields; i++)
        pthread_mutex_trylock(&a);
}

static void lock_alone(void)
{
    pthread_mutex_init(&a, NULL);
    for (int i = 0; i < yields; i++) {
        pthread_mutex_lock(&a);
        pthread_mutex_unlock(&a);
    }
}

TEST(who_asks_in_vain_and_alone_is_endless_who_works_is_not)
{
    yields = POINTS_MAX;
    EXPECT_STR(outcomes_of(yield_alone), "done");
    EXPECT_STR(outcomes_of(lock_alone), "done");
    yields++;
    EXPECT_STR(outcomes_of(yield_alone), "livelock");
    EXPECT_STR(outcomes_of(lock_alone), "done");
    yields *= 2;
    EXPECT_STR(outcomes_of(try_alone), "livelock");
}

static enum rdl__op_kind kind;

/* How many operations of one kind come before one that is polite? */
static void repeat_operation(void)
{
    static int object;
    const struct rdl__op op = {
        .kind = (uint8_t)kind, .touch = RDL__WRITES, .size = 4, .object = (uintptr_t)&object};
    int count = 0;

    for (; count < 4 * CALLS; count++) {
        rdl__point(rdl__running, &op);
        if (rdl__sched.view.ops[0].flags & RDL__OP_POLITE)
            break;
    }
    put(0, "%d", count);
}

TEST(calls_in_one_turn_become_polite_and_accesses_do_not)
{
    static const enum rdl__op_kind calls[] = {RDL__OP_LOCK, RDL__OP_UP, RDL__OP_IO};

    for (kind = RDL__OP_READ; kind <= RDL__OP_ATOMIC; kind++)
        EXPECT_STR(outcomes_of(repeat_operation), "1024");
    for (int i = 0; i < 3; i++) {
        kind = calls[i];
        EXPECT_STR(outcomes_of(repeat_operation), "256");
    }
}

/* ---- Quiet ------------------------------------------------------------------------------ */

static bool patient;

static void *quiet_one(void *unused)
{
    rdl__await_quiet(rdl__running, patient, 0);
    put(0, "q%d ", times);
    flag = 1;
    return unused;
}

static void *locker(void *number)
{
    pthread_mutex_lock(&a);
    put(0, "%d ", (int)(intptr_t)number);
    pthread_mutex_unlock(&a);
    return number;
}

static void two_lock_and_one_is_quiet(void)
{
    flag = times = 0;
    pthread_mutex_init(&a, NULL);
    together(3, locker, locker, quiet_one);
}

static int times_max;

static void *poller(void *unused)
{
    for (times = 0; !flag && times < times_max; times++)
        sched_yield();
    put(0, "p");
    return unused;
}

static void one_polls_and_one_is_quiet(void)
{
    flag = times = 0;
    together(2, poller, quiet_one);
}

static void *holder(void *unused)
{
    pthread_mutex_lock(&a);
    poller(NULL);
    pthread_mutex_unlock(&a);
    return unused;
}

static void one_holds_and_one_is_quiet(void)
{
    flag = times = 0;
    pthread_mutex_init(&a, NULL);
    together(2, holder, quiet_one);
}

static void *sleeper(void *unused)
{
    struct timespec second = {.tv_sec = 1};

    for (times = 0; !flag && times < times_max; times++)
        nanosleep(&second, NULL);
    put(0, "s");
    return unused;
}

static void one_sleeps_and_one_is_quiet(void)
{
    flag = times = 0;
    together(2, sleeper, quiet_one);
}

TEST(quiet_comes_when_all_others_have_ended_or_wait)
{
    patient = false;
    EXPECT_STR(outcomes_of(two_lock_and_one_is_quiet), "0 1 q0  | 1 0 q0 ");
}

/* Five times until it is known that somebody polls, and then four times for each of three threads
 * and once more. */
TEST(quiet_comes_while_others_poll_but_not_before_they_have_polled_for_long)
{
    patient = false;
    times_max = 3;
    EXPECT_STR(outcomes_by_chance(one_polls_and_one_is_quiet, 100, 0), "pq3 ");
    times_max = 1000;
    EXPECT_STR(outcomes_by_chance(one_polls_and_one_is_quiet, 100, 0), "q21 p");
}

TEST(quiet_does_not_come_while_who_polls_holds_a_lock)
{
    patient = false;
    times_max = 1000;
    EXPECT_STR(outcomes_by_chance(one_holds_and_one_is_quiet, 50, 0), "pq1000 ");
}

TEST(quiet_comes_while_others_sleep_and_if_patient_when_they_have_woken_for_long)
{
    times_max = 100;
    patient = false;
    EXPECT_STR(outcomes_by_chance(one_sleeps_and_one_is_quiet, 50, 0), "q0 s");
    EXPECT_EQ(exploration->now, 1 * SECOND);
    patient = true;
    EXPECT_STR(outcomes_by_chance(one_sleeps_and_one_is_quiet, 50, 0), "q5 s");
    EXPECT_EQ(exploration->now, 6 * SECOND);
}

/* What happens when all is quiet: once. */
static bool raise_flag(void)
{
    if (flag)
        return false;
    flag = 1;
    rdl__changed((uintptr_t)&flag);
    return true;
}

static void *awaits_flag(void *unused)
{
    rdl__await(rdl__running, &(struct rdl__op){.kind = RDL__OP_EVENT, .object = (uintptr_t)&flag},
               is_flag, NULL, RDL__FOREVER);
    put(0, "woken%d", times);
    return unused;
}

static void something_happens_when_quiet(void)
{
    flag = times = 0;
    rdl__when_quiet = raise_flag;
    together(1, awaits_flag);
    rdl__when_quiet = NULL;
}

static void something_happens_while_one_polls(void)
{
    flag = times = 0;
    rdl__when_quiet = raise_flag;
    rdl__sched.quiet_waiters++;
    together(2, poller, awaits_flag);
    rdl__sched.quiet_waiters--;
    rdl__when_quiet = NULL;
}

static void nothing_happens_when_quiet(void)
{
    bool is_there;

    flag = 0;
    rdl__when_quiet = NULL;
    is_there = rdl__await_or_quiet(rdl__running, (uintptr_t)&flag, is_flag, NULL, 0);
    put(0, "%d", is_there);
    rdl__when_quiet = raise_flag;
    is_there = rdl__await_or_quiet(rdl__running, (uintptr_t)&flag, is_flag, NULL, 0);
    put(0, "%d", is_there);
    flag = 2;
    is_there = rdl__await_or_quiet(rdl__running, (uintptr_t)&flag, is_flag, NULL, 0);
    put(0, "%d", is_there);
    rdl__when_quiet = NULL;
}

TEST(what_is_to_happen_when_all_is_quiet_happens_then)
{
    times_max = 1000;
    EXPECT_STR(outcomes_of(something_happens_when_quiet), "woken0");
    EXPECT_STR(outcomes_by_chance(something_happens_while_one_polls, 50, 0), "woken20p");
    EXPECT_STR(outcomes_of(nothing_happens_when_quiet), "011");
}

/* ---- Time ------------------------------------------------------------------------------- */

static void *long_sleeper(void *unused)
{
    struct timespec day = {.tv_sec = 24 * 3600};

    nanosleep(&day, NULL);
    return unused;
}

/* The first thousand operations take no time, the next a microsecond each, and so on. */
static uint64_t time_of(uint64_t from, uint64_t to)
{
    uint64_t sum = 0;

    for (uint64_t i = from + 1; i <= to; i++)
        sum += i < 1024 ? 0 : UINT64_C(500) << i / 1024;
    return sum;
}

static void work_while_one_sleeps(void)
{
    pthread_t thread;
    uint64_t now, busy, steps;

    pthread_mutex_init(&a, NULL);
    pthread_create(&thread, NULL, long_sleeper, NULL);
    while (rdl__sched.deadlines == 0)
        sched_yield();
    now = rdl__sched.now;
    busy = rdl__sched.busy;
    steps = rdl__sched.summary->steps;
    for (int i = 0; i < 5000; i++) {
        pthread_mutex_lock(&a);
        pthread_mutex_unlock(&a);
    }
    put(0, "%d", rdl__sched.now - now == time_of(busy, busy + rdl__sched.summary->steps - steps));
    pthread_join(thread, NULL);
}

TEST(time_passes_for_those_who_wait_while_others_work)
{
    EXPECT_STR(outcomes_by_chance(work_while_one_sleeps, 20, 0), "1");
    EXPECT_EQ(exploration->now, 24 * 3600 * SECOND);
}

static sem_t sem;

static void *impatient(void *unused)
{
    const struct timespec *deadline = after(CLOCK_REALTIME, 5);
    uint64_t until = (uint64_t)deadline->tv_sec * SECOND + (uint64_t)deadline->tv_nsec;
    int late = sem_timedwait(&sem, deadline);

    put(0, "%s", !late ? "taken" : rdl__sched.now >= until ? "late" : "late before its time");
    return unused;
}

static void *poster(void *unused)
{
    sem_post(&sem);
    return unused;
}

static void one_is_impatient(void)
{
    sem_init(&sem, 0, 0);
    together(2, impatient, poster);
}

TEST(who_gives_up_early_has_waited_for_all_of_its_time)
{
    EXPECT_STR(outcomes_by_chance(one_is_impatient, 100, 0), "taken");
    EXPECT_STR(outcomes_by_chance(one_is_impatient, 100, RDL__FAULT_TIMEOUT), "late | taken");
}

/* ---- Threads that were used --------------------------------------------------------------- */

static int tasks(void)
{
    DIR *folder = opendir("/proc/self/task");
    int count = 0;

    while (readdir(folder))
        count++;
    closedir(folder);
    return count - 2; /* . and .. */
}

static void *nothing(void *unused)
{
    return unused;
}

static void *detach_one(void *unused)
{
    pthread_t thread;

    pthread_create(&thread, NULL, nothing, NULL);
    pthread_detach(thread);
    return unused;
}

static void create_many(void)
{
    pthread_attr_t attributes;
    pthread_t thread;

    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    for (int i = 0; i < 20; i++) {
        together(1, detach_one);
        pthread_create(&thread, &attributes, nothing, NULL);
    }
}

static void create_many_and_count(void)
{
    create_many();
    put(0, "%s", tasks() < 10 ? "few" : "many");
}

TEST(threads_that_have_ended_lend_their_stacks_to_others)
{
    EXPECT_STR(outcomes_by_chance(create_many_and_count, 50, 0), "few");
}
