/* test_threads.c -- the lives of controlled threads: from creation to destructors. */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <sys/resource.h>
#include <unistd.h>

#include "control/sched/donor.h"
#include "explore.h"

/* ---- Created, joined, detached ----------------------------------------------------- */

static void *say_argument(void *argument)
{
    put(1, "%d", (int)(intptr_t)argument);
    return (void *)((intptr_t)argument + 1);
}

static void joining(void)
{
    pthread_t thread;
    void *result;

    pthread_create(&thread, NULL, say_argument, (void *)7);
    put(2, "%d", pthread_join(thread, &result));
    put(3, "%d", (int)(intptr_t)result);
    put(4, "%d", pthread_join(thread, NULL) == ESRCH);
    put(5, "%d", pthread_join(pthread_self(), NULL) == EDEADLK);
}

TEST(a_thread_gets_its_argument_and_gives_its_result)
{
    EXPECT_STR(outcomes_of(joining), "7 0 8 1 1");
}

static void detaching(void)
{
    pthread_attr_t attributes;
    pthread_t one, two;

    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_create(&one, &attributes, say_argument, (void *)1);
    pthread_attr_destroy(&attributes);
    pthread_create(&two, NULL, say_argument, (void *)2);
    put(2, "%d", pthread_detach(two));
    put(2, "%d", pthread_detach(two) == EINVAL);
}

TEST(detached_threads_run_to_their_end_as_well)
{
    EXPECT_STR(outcomes_of(detaching), "12 01");
}

static void *create_another(void *argument)
{
    pthread_t thread;
    int left = (int)(intptr_t)argument;

    put(1, "%d", left);
    if (left > 0) {
        pthread_create(&thread, NULL, create_another, (void *)(intptr_t)(left - 1));
        pthread_join(thread, NULL);
    }
    return NULL;
}

static void nesting(void)
{
    create_another((void *)5);
}

TEST(threads_create_threads)
{
    EXPECT_STR(outcomes_of(nesting), "543210");
}

static void *spin_stack(void *argument)
{
    volatile char large[12 << 20];

    large[0] = 1;
    large[sizeof large - 1] = 2;
    put(1, "%d", large[0] + large[sizeof large - 1]);
    return argument;
}

static void large_stack(void)
{
    pthread_attr_t attributes;
    pthread_t thread;

    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 16 << 20);
    put(0, "%d", pthread_create(&thread, &attributes, spin_stack, NULL));
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
}

TEST(a_thread_has_the_stack_it_was_created_with)
{
    EXPECT_STR(outcomes_of(large_stack), "0 3");
}

static void *name_oneself(void *argument)
{
    char name[16];

    pthread_setname_np(pthread_self(), "worker");
    pthread_getname_np(pthread_self(), name, sizeof name);
    put(1, "%s", name);
    return argument;
}

static void naming(void)
{
    together(1, name_oneself);
    put(2, "%d", pthread_setname_np(pthread_self(), "longer than is allowed") == ERANGE);
}

TEST(threads_have_names)
{
    EXPECT_STR(outcomes_of(naming), "worker 1");
}

static void *self_is_equal(void *argument)
{
    static pthread_t seen[2];

    seen[(intptr_t)argument] = pthread_self();
    sched_yield();
    put(1, "%d", pthread_equal(seen[(intptr_t)argument], pthread_self()));
    return argument;
}

static void selves(void)
{
    together(2, self_is_equal, self_is_equal);
}

TEST(pthread_self_is_the_threads_own)
{
    EXPECT_STR(outcomes_of(selves), "11");
}

/* ---- Thread-local variables ----------------------------------------------------------- */

static __thread int counter = 40;
static __thread char zeroes[64];

static void *count_up(void *argument)
{
    put(1, "%d%d,", counter, zeroes[63]);
    counter++;
    zeroes[63] = 9;
    errno = EDOM;
    sched_yield();
    put(1, "%d%d%d,", counter, zeroes[63], errno == EDOM);
    return argument;
}

static void local_variables(void)
{
    pthread_t thread;

    counter = 1;
    for (int i = 0; i < 2; i++) { /* the second gets what the first had borrowed */
        pthread_create(&thread, NULL, count_up, NULL);
        errno = ERANGE;
        pthread_join(thread, NULL);
        put(2, "%d%d", errno == ERANGE, counter);
    }
    counter = 40;
}

TEST(thread_local_variables_begin_anew_with_each_thread)
{
    EXPECT_STR(outcomes_of(local_variables), "400,4191,400,4191, 1111");
}

static pthread_key_t key, late_key;

static void forget(void *value)
{
    put(2, "%d", (int)(intptr_t)value);
    if ((intptr_t)value == 5)
        pthread_setspecific(late_key, (void *)6); /* destructors may set values */
}

static void *keep(void *argument)
{
    put(1, "%d", pthread_getspecific(key) == NULL);
    pthread_setspecific(key, (void *)5);
    return argument;
}

static void keys(void)
{
    pthread_key_create(&key, forget);
    pthread_key_create(&late_key, forget);
    together(2, keep, keep);
    pthread_key_delete(key);
    pthread_key_delete(late_key);
}

TEST(destructors_of_keys_are_called_until_none_is_left)
{
    EXPECT_STR(outcomes_of(keys), "11 5566 | 11 5656");
}

/* ---- Ends -------------------------------------------------------------------------------- */

static void clean(void *what)
{
    put(2, "%d", (int)(intptr_t)what);
}

static void exit_deep_down(int depth)
{
    pthread_cleanup_push(clean, (void *)(intptr_t)depth);
    if (depth == 3)
        pthread_exit((void *)77);
    if (depth < 3)
        exit_deep_down(depth + 1);
    pthread_cleanup_pop(0);
}

static void *leave_from_the_depth(void *argument)
{
    exit_deep_down(1);
    return argument;
}

static void exiting(void)
{
    pthread_t thread;
    void *result;

    for (int i = 0; i < 2; i++) {
        pthread_create(&thread, NULL, leave_from_the_depth, NULL);
        pthread_join(thread, &result);
        put(3, "%d", (int)(intptr_t)result);
    }
}

TEST(pthread_exit_calls_the_handlers_from_the_inside_out)
{
    EXPECT_STR(outcomes_of(exiting), "321321 7777");
}

static void leave_main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, say_argument, (void *)3);
    pthread_exit(NULL);
}

TEST(others_run_on_when_the_first_thread_has_ended)
{
    EXPECT_STR(outcomes_of(leave_main), "3");
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *lock_for_ever(void *argument)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_lock(&mutex);
    return argument;
}

static void leave_behind(void)
{
    pthread_t thread;

    mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    pthread_create(&thread, NULL, lock_for_ever, NULL);
    pthread_detach(thread);
}

TEST(threads_that_never_end_are_told)
{
    EXPECT_STR(outcomes_of(leave_behind), "leak");
    EXPECT_CONTAINS(exploration->failure, "left over at the end");
    EXPECT_CONTAINS(exploration->details, "thread 1 waits for mutex 1");
    EXPECT_CONTAINS(exploration->details, "which it holds itself");
}

/* ---- Cancellation --------------------------------------------------------------------------- */

static void *work_and_test(void *argument)
{
    pthread_cleanup_push(clean, (void *)4);
    for (int i = 0; i < 2; i++) {
        put(1, "%d", i);
        pthread_testcancel();
    }
    pthread_cleanup_pop(0);
    return argument;
}

static void cancelling(void)
{
    pthread_t thread;
    void *result;

    pthread_create(&thread, NULL, work_and_test, NULL);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    put(3, "%d", result == PTHREAD_CANCELED);
}

TEST(cancellation_waits_for_a_point_where_it_is_allowed)
{
    EXPECT_STR(outcomes_of(cancelling), "0 4 1 | 01 0 | 01 4 1");
}

static void *refuse(void *argument)
{
    int old;

    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
    put(1, "%d", old == PTHREAD_CANCEL_ENABLE);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_testcancel();
    put(1, "x");
    pthread_setcancelstate(old, NULL);
    pthread_testcancel();
    put(1, "y");
    return argument;
}

static void refusing(void)
{
    pthread_t thread;

    mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&mutex);
    pthread_create(&thread, NULL, refuse, NULL);
    pthread_cancel(thread);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
}

TEST(a_thread_can_put_cancellation_off)
{
    EXPECT_STR(outcomes_of(refusing), "1x");
}

static void *sleep_in_join(void *argument)
{
    pthread_cleanup_push(clean, (void *)8);
    pthread_join(*(pthread_t *)argument, NULL);
    pthread_cleanup_pop(0);
    return NULL;
}

static void *await_mutex(void *argument)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return argument;
}

static void cancelling_a_join(void)
{
    pthread_t waiter, other;

    mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&mutex);
    pthread_create(&other, NULL, await_mutex, NULL);
    pthread_create(&waiter, NULL, sleep_in_join, &other);
    pthread_cancel(waiter);
    pthread_join(waiter, NULL);
    pthread_mutex_unlock(&mutex);
    put(3, "%d", pthread_join(other, NULL)); /* it can still be joined */
}

TEST(a_join_can_be_cancelled_and_leaves_the_thread_to_others)
{
    EXPECT_STR(outcomes_of(cancelling_a_join), "8 0");
}

/* ---- Many ------------------------------------------------------------------------------ */

static void *touch_stack(void *argument)
{
    volatile char some[8192];

    memset((char *)some, 1, sizeof some);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return argument;
}

enum { MANY = 500 };

static void many(void)
{
    static pthread_t threads[MANY];

    mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&mutex); /* so that all of them are there at the same time */
    for (int i = 0; i < MANY; i++)
        if (pthread_create(&threads[i], NULL, touch_stack, NULL) != 0)
            put(1, "!");
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < MANY; i++)
        pthread_join(threads[i], NULL);
}

TEST(hundreds_of_threads_take_little_memory)
{
    struct rusage children;

    EXPECT_STR(outcomes_by_chance(many, 2, 0), "done");
    getrusage(RUSAGE_CHILDREN, &children);
    EXPECT(children.ru_maxrss < 1 << 20); /* KiB */
}

static void one_after_the_other(void)
{
    for (int i = 0; i < 3 * RDL__THREADS_MAX; i++) {
        pthread_t thread;

        if (pthread_create(&thread, NULL, touch_stack, NULL) != 0)
            put(1, "!");
        pthread_join(thread, NULL);
    }
}

TEST(there_is_no_end_to_threads_that_are_joined)
{
    EXPECT_STR(outcomes_by_chance(one_after_the_other, 1, 0), "done");
}

static void *end_at_once(void *unused)
{
    return unused;
}

static void leave_one(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, end_at_once, NULL);
    put(1, "%u", rdl__donor_count);
}

/* Where it is the last that could go on, the deadlock is told on its stack. */
static void leave_one_and_wait(void)
{
    sem_t never;

    leave_one();
    sem_init(&never, 0, 0);
    sem_wait(&never);
}

TEST(threads_that_are_not_joined_are_no_more_when_the_execution_is_over)
{
    EXPECT_STR(outcomes_by_chance(leave_one, 50, 0), "1");
    EXPECT_STR(outcomes_by_chance(leave_one_and_wait, 50, 0), "deadlock 1");
}

static void too_many(void)
{
    pthread_t thread;
    int made = 0, why;

    mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&mutex);
    while ((why = pthread_create(&thread, NULL, touch_stack, NULL)) == 0) {
        pthread_detach(thread);
        made++;
    }
    pthread_mutex_unlock(&mutex);
    put(1, "%d %s", made, strerrorname_np(why));
}

TEST(one_too_many_is_refused)
{
    EXPECT_STR(outcomes_by_chance(too_many, 1, 0), "1023 EAGAIN");
}
