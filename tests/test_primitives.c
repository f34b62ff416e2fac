/* test_primitives.c -- conditions and rwlocks: what POSIX says of them, and
 * all that it leaves open. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

#include "explore.h"

static pthread_mutex_t mutex, other_mutex;
static pthread_cond_t cond;
static pthread_rwlock_t lock;
static int flag, readers, writers, readers_max;

static void reset(void)
{
    mutex = other_mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    cond = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    lock = (pthread_rwlock_t)PTHREAD_RWLOCK_INITIALIZER;
    flag = readers = writers = readers_max = 0;
}

/* ---- Conditions ---------------------------------------------------------------------- */

/* Waits once, without asking why: for the tests' purposes. */
static void *wait_once(void *argument)
{
    int i = (int)(intptr_t)argument;

    pthread_mutex_lock(&mutex);
    put(i, "w");
    pthread_cond_wait(&cond, &mutex);
    put(i, "k%d", flag);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void *wait_for_flag(void *argument)
{
    pthread_mutex_lock(&mutex);
    while (!flag)
        pthread_cond_wait(&cond, &mutex);
    flag--;
    pthread_mutex_unlock(&mutex);
    put((int)(intptr_t)argument, "got");
    return NULL;
}

static void *raise_flag(void *argument)
{
    pthread_mutex_lock(&mutex);
    flag++;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&mutex);
    return argument;
}

static void *raise_flag_for_all(void *argument)
{
    pthread_mutex_lock(&mutex);
    flag = 9;
    pthread_cond_broadcast(&cond);
    pthread_mutex_unlock(&mutex);
    return argument;
}

static void flags_and_one_signal(void)
{
    reset();
    together(3, wait_for_flag, wait_for_flag, raise_flag_for_all);
}

TEST(a_broadcast_wakes_all_who_wait_and_none_is_lost)
{
    EXPECT_STR(outcomes_of(flags_and_one_signal), "got got");
    EXPECT(exploration->runs > 20);
}

static void *signal_once(void *argument)
{
    pthread_mutex_lock(&mutex);
    flag = 1;
    pthread_mutex_unlock(&mutex);
    pthread_cond_signal(&cond);
    return argument;
}

static void two_waiters_one_signal(void)
{
    reset();
    together(3, wait_once, wait_once, signal_once);
}

TEST(a_signal_wakes_any_one_of_those_who_wait)
{
    EXPECT_STR(outcomes_of(two_waiters_one_signal),
               "deadlock w w | deadlock w wk1 | deadlock wk1 w");
}

static void one_waiter_one_signal(void)
{
    reset();
    together(2, wait_once, signal_once);
}

TEST(a_signal_nobody_heard_is_called_a_lost_wake_up)
{
    EXPECT_STR(outcomes_of(one_waiter_one_signal), "deadlock w | wk1");
    EXPECT_CONTAINS(exploration->failure, "lost wake-up: thread 1");
}

static void a_right_waiter(void)
{
    reset();
    together(2, wait_for_flag, raise_flag);
}

TEST(spurious_wake_ups_come_only_when_asked_for)
{
    EXPECT_STR(outcomes_by_chance(a_right_waiter, 2000, 0), "got");
    EXPECT_STR(outcomes_by_chance(a_right_waiter, 2000, RDL__FAULT_SPURIOUS), "got");
    EXPECT_STR(outcomes_by_chance(one_waiter_one_signal, 2000, 0), "deadlock w | wk1");
    EXPECT_STR(outcomes_by_chance(one_waiter_one_signal, 2000, RDL__FAULT_SPURIOUS),
               "deadlock w | wk0 | wk1");
}

static void *wait_until(void *argument)
{
    pthread_mutex_lock(&mutex);
    put(0, "%s", strerrorname_np(pthread_cond_timedwait(&cond, &mutex, after(CLOCK_REALTIME, 5))));
    put(0, "%s", pthread_mutex_trylock(&mutex) == EBUSY ? " held" : " not held");
    pthread_mutex_unlock(&mutex);
    return argument;
}

static void a_timed_waiter(void)
{
    reset();
    together(1, wait_until);
}

TEST(a_timed_wait_ends_with_the_mutex_and_without_waiting)
{
    time_t began = time(NULL);

    EXPECT_STR(outcomes_of(a_timed_waiter), "ETIMEDOUT held");
    EXPECT(time(NULL) - began < 3);
    EXPECT(exploration->now >= UINT64_C(4999999999));
}

static void a_timed_waiter_and_a_signal(void)
{
    reset();
    together(2, wait_until, signal_once);
}

TEST(a_signalled_wait_does_not_time_out)
{
    EXPECT_STR(outcomes_of(a_timed_waiter_and_a_signal), "0 held | ETIMEDOUT held");
}

static void *signal_and_unlock(void *argument)
{
    pthread_mutex_lock(&mutex);
    flag = 1;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&mutex);
    return argument;
}

static void *wait_until_flag(void *argument)
{
    int why = 0;

    pthread_mutex_lock(&mutex);
    while (!flag && why == 0)
        why = pthread_cond_timedwait(&cond, &mutex, after(CLOCK_REALTIME, 5));
    put(0, "%s%d", strerrorname_np(why), flag);
    pthread_mutex_unlock(&mutex);
    return argument;
}

static void a_timed_waiter_for_a_flag(void)
{
    reset();
    together(2, wait_until_flag, signal_and_unlock);
}

TEST(waits_time_out_early_only_when_asked_for)
{
    EXPECT_STR(outcomes_by_chance(a_timed_waiter_for_a_flag, 2000, 0), "01");
    EXPECT_STR(outcomes_by_chance(a_timed_waiter_for_a_flag, 2000, RDL__FAULT_TIMEOUT),
               "01 | ETIMEDOUT0 | ETIMEDOUT1");
}

static void waits_with_odd_arguments(void)
{
    struct timespec odd = {.tv_nsec = 1000000000}, past = {.tv_sec = 1};
    pthread_mutexattr_t checked;

    reset();
    pthread_mutex_lock(&mutex);
    put(0, "%d", pthread_cond_timedwait(&cond, &mutex, &odd) == EINVAL);
    odd.tv_nsec = -1;
    put(0, "%d", pthread_cond_timedwait(&cond, &mutex, &odd) == EINVAL);
    put(0, "%d", pthread_cond_clockwait(&cond, &mutex, CLOCK_TAI, &past) == EINVAL);
    put(0, "%d", pthread_cond_timedwait(&cond, &mutex, &past) == ETIMEDOUT);
    put(0, "%d",
        pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, after(CLOCK_MONOTONIC, 1)) ==
            ETIMEDOUT);
    pthread_mutex_unlock(&mutex);
    pthread_mutexattr_init(&checked);
    pthread_mutexattr_settype(&checked, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&mutex, &checked);
    put(0, "%d", pthread_cond_wait(&cond, &mutex) == EPERM);
}

TEST(waits_refuse_bad_times_and_mutexes_that_are_not_held)
{
    EXPECT_STR(outcomes_of(waits_with_odd_arguments), "111111");
}

static void a_condition_on_the_monotonic_clock(void)
{
    pthread_condattr_t monotonic;

    reset();
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&cond, &monotonic);
    pthread_mutex_lock(&mutex);
    put(0, "%d", pthread_cond_timedwait(&cond, &mutex, after(CLOCK_MONOTONIC, 7)) == ETIMEDOUT);
    pthread_mutex_unlock(&mutex);
    pthread_cond_destroy(&cond);
    pthread_cond_init(&cond, NULL);
    pthread_cond_signal(&cond);
}

TEST(a_condition_keeps_to_its_clock_and_may_be_made_anew)
{
    EXPECT_STR(outcomes_of(a_condition_on_the_monotonic_clock), "1");
    EXPECT(exploration->now >= UINT64_C(6999999999) && exploration->now < UINT64_C(8000000000));
}

/* POSIX lets a condition go as soon as nobody is blocked on it. */
static void destroy_after_broadcast(void)
{
    pthread_t thread;

    reset();
    pthread_create(&thread, NULL, wait_for_flag, (void *)0);
    pthread_mutex_lock(&mutex);
    flag = 1;
    pthread_cond_broadcast(&cond);
    pthread_mutex_unlock(&mutex);
    pthread_mutex_lock(&mutex);
    if (flag == 0 || rdl__waiters((uintptr_t)&cond, RDL__OP_WAIT, (uint32_t[1]){0}, 1)) {
        pthread_cond_destroy(&cond);
        memset(&cond, 0x5a, sizeof cond);
        put(1, "destroyed");
    }
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
}

TEST(a_condition_may_be_destroyed_when_its_waiters_have_been_woken)
{
    EXPECT_STR(outcomes_of(destroy_after_broadcast), "got | got destroyed");
}

static void *wait_with_the_other_mutex(void *argument)
{
    pthread_mutex_lock(&other_mutex);
    pthread_cond_wait(&cond, &other_mutex);
    return argument;
}

static void two_mutexes(void)
{
    reset();
    together(2, wait_once, wait_with_the_other_mutex);
}

static void wait_without_mutex(void)
{
    reset();
    pthread_cond_wait(&cond, &mutex);
}

static void *wait_with_others_mutex(void *argument)
{
    pthread_cond_wait(&cond, &mutex);
    return argument;
}

static void wait_with_a_mutex_of_another(void)
{
    reset();
    pthread_mutex_lock(&mutex);
    together(1, wait_with_others_mutex);
}

static void *destroy_cond(void *argument)
{
    pthread_cond_destroy(&cond);
    return argument;
}

static void destroy_under_a_waiter(void)
{
    reset();
    together(2, wait_until, destroy_cond);
}

static void signal_after_destroy(void)
{
    reset();
    pthread_cond_destroy(&cond);
    pthread_cond_signal(&cond);
}

TEST(conditions_that_are_used_wrongly_are_found)
{
    EXPECT_STR(outcomes_of(two_mutexes), "misuse w");
    EXPECT_STR(exploration->failure,
               "thread 1 waits on condition 1 with mutex 2 while thread 2 does with mutex 1");
    EXPECT_STR(outcomes_of(wait_without_mutex), "misuse");
    EXPECT_STR(exploration->failure, "main waits on condition 1 with mutex 1, which is not locked");
    EXPECT_STR(outcomes_of(wait_with_a_mutex_of_another), "misuse");
    EXPECT_CONTAINS(exploration->failure, "which main holds");
    EXPECT_STR(outcomes_of(destroy_under_a_waiter), "misuse");
    EXPECT_STR(outcomes_of(signal_after_destroy), "misuse");
    EXPECT_STR(exploration->failure, "main signals condition 1, which has been destroyed");
}

static void is_the_mutex_held(void *unused)
{
    (void)unused;
    put(0, "%s", pthread_mutex_trylock(&mutex) == EBUSY ? " cleaned, held" : " cleaned, free");
    pthread_mutex_unlock(&mutex);
}

static void *wait_until_cancelled(void *argument)
{
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(is_the_mutex_held, NULL);
    pthread_cond_wait(&cond, &mutex);
    pthread_cleanup_pop(0);
    put(0, " woken");
    pthread_mutex_unlock(&mutex);
    return argument;
}

static void cancel_a_waiter(void)
{
    pthread_t thread;
    void *result;

    reset();
    pthread_create(&thread, NULL, wait_until_cancelled, NULL);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    put(0, "%s", result == PTHREAD_CANCELED ? " cancelled" : " returned");
}

TEST(a_cancelled_waiter_has_the_mutex_when_it_cleans_up)
{
    EXPECT_STR(outcomes_of(cancel_a_waiter), " cleaned, held cancelled");
}

/* Who is cancelled must not have taken the signal from who is not. */
static void cancel_one_signal_one(void)
{
    pthread_t one, two;

    reset();
    pthread_create(&one, NULL, wait_until_cancelled, NULL);
    pthread_create(&two, NULL, wait_for_flag, (void *)1);
    pthread_cancel(one);
    raise_flag(NULL);
    pthread_join(two, NULL);
    pthread_join(one, NULL);
}

TEST(a_cancelled_waiter_takes_no_signal_from_others)
{
    EXPECT_STR(outcomes_of(cancel_one_signal_one), " cleaned, held got");
}

/* ---- Read-write locks ----------------------------------------------------------------- */

static void *read_it(void *argument)
{
    pthread_rwlock_rdlock(&lock);
    readers++;
    if (readers_max < readers)
        readers_max = readers;
    if (writers)
        put(6, "!");
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    readers--;
    pthread_rwlock_unlock(&lock);
    return argument;
}

static void *write_it(void *argument)
{
    pthread_rwlock_wrlock(&lock);
    writers++;
    if (readers || writers > 1)
        put(6, "!");
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    writers--;
    pthread_rwlock_unlock(&lock);
    return argument;
}

static void readers_and_a_writer(void)
{
    reset();
    together(3, read_it, read_it, write_it);
    put(0, "%d", readers_max);
}

TEST(writers_are_alone_and_readers_need_not_be)
{
    EXPECT_STR(outcomes_of(readers_and_a_writer), "1 | 2");
}

static void kind_of_lock(int kind)
{
    pthread_rwlockattr_t attributes;

    pthread_rwlockattr_init(&attributes);
    pthread_rwlockattr_setkind_np(&attributes, kind);
    pthread_rwlock_init(&lock, &attributes);
}

static void readers_and_a_preferred_writer(void)
{
    reset();
    kind_of_lock(PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    together(2, read_it, write_it);
    put(0, "%d", readers_max);
}

TEST(reading_again_while_a_preferred_writer_waits_is_a_deadlock)
{
    EXPECT_STR(outcomes_of(readers_and_a_preferred_writer), "1 | deadlock");
}

static sem_t about_to_write;

static void *write_after_saying_so(void *argument)
{
    sem_post(&about_to_write);
    pthread_rwlock_wrlock(&lock);
    put(1, "w");
    pthread_rwlock_unlock(&lock);
    return argument;
}

static void *try_to_read(void *argument)
{
    sem_wait(&about_to_write);
    if (pthread_rwlock_tryrdlock(&lock) == 0) {
        put(2, "r");
        put(2, "%s", pthread_rwlock_trywrlock(&lock) == EBUSY ? "" : "!");
        pthread_rwlock_unlock(&lock);
    } else {
        put(2, "-");
    }
    return argument;
}

/* A reader has the lock all the time, until the other one has tried. */
static void new_reader_and_writer(int kind)
{
    pthread_t writer, reader;

    reset();
    kind_of_lock(kind);
    sem_init(&about_to_write, 0, 0);
    pthread_rwlock_rdlock(&lock);
    pthread_create(&writer, NULL, write_after_saying_so, NULL);
    pthread_create(&reader, NULL, try_to_read, NULL);
    pthread_join(reader, NULL);
    pthread_rwlock_unlock(&lock);
    pthread_join(writer, NULL);
}

static void reader_preferred(void)
{
    new_reader_and_writer(PTHREAD_RWLOCK_PREFER_READER_NP);
}

static void writer_preferred(void)
{
    new_reader_and_writer(PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
}

TEST(a_new_reader_waits_for_a_writer_only_if_writers_are_preferred)
{
    EXPECT_STR(outcomes_of(reader_preferred), "w r");
    EXPECT_STR(outcomes_of(writer_preferred), "w - | w r");
}

static void *write_until(void *argument)
{
    put(1, "%s", strerrorname_np(pthread_rwlock_timedwrlock(&lock, after(CLOCK_REALTIME, 3))));
    return argument;
}

static void *read_until(void *argument)
{
    int why = pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, after(CLOCK_MONOTONIC, 60));

    put(2, "%s", strerrorname_np(why));
    if (why == 0)
        pthread_rwlock_unlock(&lock);
    return argument;
}

/* When the writer gives up, readers need not wait for it any more. */
static void an_impatient_preferred_writer(void)
{
    reset();
    kind_of_lock(PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_rdlock(&lock);
    together(2, write_until, read_until);
    pthread_rwlock_unlock(&lock);
}

TEST(a_writer_that_gives_up_lets_readers_in)
{
    EXPECT_STR(outcomes_of(an_impatient_preferred_writer), "ETIMEDOUT 0");
}

static void *odd_calls_while_written(void *argument)
{
    struct timespec odd = {.tv_nsec = 1000000000}, past = {.tv_sec = 1};

    put(0, "%d", pthread_rwlock_tryrdlock(&lock) == EBUSY);
    put(0, "%d", pthread_rwlock_trywrlock(&lock) == EBUSY);
    put(0, "%d", pthread_rwlock_timedrdlock(&lock, &odd) == EINVAL);
    put(0, "%d", pthread_rwlock_timedwrlock(&lock, &odd) == EINVAL);
    put(0, "%d", pthread_rwlock_clockrdlock(&lock, CLOCK_TAI, &past) == EINVAL);
    put(0, "%d", pthread_rwlock_clockwrlock(&lock, CLOCK_TAI, &past) == EINVAL);
    put(0, "%d", pthread_rwlock_timedrdlock(&lock, &past) == ETIMEDOUT);
    put(0, "%d", pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &past) == ETIMEDOUT);
    return argument;
}

static void error_numbers_of_rwlocks(void)
{
    struct timespec past = {.tv_sec = 1};

    reset();
    put(0, "%d", pthread_rwlock_timedwrlock(&lock, &past) == 0); /* it need not wait */
    put(0, "%d", pthread_rwlock_wrlock(&lock) == EDEADLK);
    put(0, "%d", pthread_rwlock_rdlock(&lock) == EDEADLK);
    together(1, odd_calls_while_written);
    put(0, "%d", pthread_rwlock_unlock(&lock) == 0);
    put(0, "%d", pthread_rwlock_destroy(&lock) == 0);
}

TEST(rwlocks_return_what_posix_says)
{
    EXPECT_STR(outcomes_of(error_numbers_of_rwlocks), "1111111111111");
}

static void *unlock_it(void *argument)
{
    pthread_rwlock_unlock(&lock);
    return argument;
}

static void unlock_for_a_reader(void)
{
    reset();
    pthread_rwlock_rdlock(&lock);
    together(1, unlock_it);
}

static void unlock_for_a_writer(void)
{
    reset();
    pthread_rwlock_wrlock(&lock);
    together(1, unlock_it);
}

static void unlock_what_is_free(void)
{
    reset();
    pthread_rwlock_unlock(&lock);
}

static void destroy_what_is_held(void)
{
    reset();
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_destroy(&lock);
}

static void lock_what_is_destroyed(void)
{
    reset();
    pthread_rwlock_destroy(&lock);
    pthread_rwlock_rdlock(&lock);
}

static void *destroy_it(void *argument)
{
    pthread_rwlock_destroy(&lock);
    return argument;
}

static void destroy_while_others_come(void)
{
    reset();
    together(2, write_it, destroy_it);
}

static void write_what_one_reads(void)
{
    reset();
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_wrlock(&lock);
}

TEST(rwlocks_that_are_used_wrongly_are_found)
{
    EXPECT_STR(outcomes_of(unlock_for_a_reader), "misuse");
    EXPECT_STR(exploration->failure, "thread 1 unlocks rwlock 1, which main holds for reading");
    EXPECT_STR(outcomes_of(unlock_for_a_writer), "misuse");
    EXPECT_STR(exploration->failure, "thread 1 unlocks rwlock 1, which main holds for writing");
    EXPECT_STR(outcomes_of(unlock_what_is_free), "misuse");
    EXPECT_STR(exploration->failure, "main unlocks rwlock 1, which is not locked");
    EXPECT_STR(outcomes_of(destroy_what_is_held), "misuse");
    EXPECT_STR(exploration->failure, "main destroys rwlock 1, which main holds");
    EXPECT_STR(outcomes_of(lock_what_is_destroyed), "misuse");
    EXPECT_STR(exploration->failure, "main locks rwlock 1, which has been destroyed");
    EXPECT_STR(outcomes_of(destroy_while_others_come), "done | misuse");
    EXPECT_STR(outcomes_of(write_what_one_reads), "deadlock");
    EXPECT_CONTAINS(exploration->failure, "main waits for itself");
}

/* ---- Before and after control ----------------------------------------------------------- */

static void unlock_what_was_locked_before(void)
{
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_wrlock(&lock);
}

/* In the process of the test, whose threads all come to their ends. */
TEST(rwlocks_outlive_control)
{
    struct rdl__error error;
    struct rdl__board *board = rdl__board_new(1 << 10, &error);
    struct rdl__summary *summary = rdl__allocate(sizeof *summary);
    void (*body)(void) = unlock_what_was_locked_before;
    struct rdl_case t;

    rdl__case_init(&t, board, NULL);
    board->tape.limit = 1 << 10;
    for (int kind = 0; kind <= 2; kind++)
        for (int for_writing = 0; for_writing <= 1; for_writing++) {
            kind_of_lock(kind);
            if (for_writing)
                EXPECT_EQ(pthread_rwlock_wrlock(&lock), 0);
            else
                EXPECT_EQ(pthread_rwlock_rdlock(&lock), 0);
            rdl__tape_from_random(t.tape, 1);
            t.outcome->verdict = RDL__PASSED;
            rdl__execution_run(
                &(struct rdl__execution){.t = &t, .summary = summary, .points_max = 100}, call_body,
                &body);
            EXPECT_EQ(t.outcome->verdict, RDL__PASSED);
            EXPECT_EQ(pthread_rwlock_rdlock(&lock), EDEADLK); /* the C library knows its owner */
            EXPECT_EQ(pthread_rwlock_tryrdlock(&lock), EBUSY);
            EXPECT_EQ(pthread_rwlock_unlock(&lock), 0);
            EXPECT_EQ(pthread_rwlock_rdlock(&lock), 0);
            EXPECT_EQ(pthread_rwlock_trywrlock(&lock), EBUSY);
            EXPECT_EQ(pthread_rwlock_unlock(&lock), 0);
            EXPECT_EQ(pthread_rwlock_wrlock(&lock), 0);
            EXPECT_EQ(pthread_rwlock_unlock(&lock), 0);
        }
}
