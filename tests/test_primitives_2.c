/* test_primitives_2.c -- barriers, spin locks, semaphores, once, C11: what POSIX and C
 * say of them, and all that they leave open. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

#include "explore.h"

/* ---- Barriers ------------------------------------------------------------------------ */

static pthread_barrier_t barrier;
static int arrived;

static void *meet_twice(void *argument)
{
    int i = (int)(intptr_t)argument;

    for (int round = 1; round <= 2; round++) {
        arrived++;
        put(i, "%s", pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD ? "S" : ".");
        if (arrived < 2 * round)
            put(7, "!");
    }
    return NULL;
}

static void two_rounds(void)
{
    arrived = 0;
    pthread_barrier_init(&barrier, NULL, 2);
    together(2, meet_twice, meet_twice);
    pthread_barrier_destroy(&barrier);
}

TEST(barriers_let_nobody_through_before_all_have_come_and_name_one_each_round)
{
    EXPECT_STR(outcomes_of(two_rounds), ".. SS | .S S. | S. .S | SS ..");
}

static void *meet_and_destroy(void *argument)
{
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) {
        pthread_barrier_destroy(&barrier);
        memset(&barrier, 0x5a, sizeof barrier); /* as if it had been freed */
    }
    return argument;
}

static void the_serial_thread_destroys(void)
{
    pthread_barrier_init(&barrier, NULL, 3);
    together(3, meet_and_destroy, meet_and_destroy, meet_and_destroy);
}

TEST(a_barrier_may_be_destroyed_while_others_have_yet_to_leave)
{
    EXPECT_STR(outcomes_of(the_serial_thread_destroys), "done");
}

static void *meet_once(void *argument)
{
    pthread_barrier_wait(&barrier);
    return argument;
}

static void one_too_few(void)
{
    pthread_barrier_init(&barrier, NULL, 3);
    together(2, meet_once, meet_once);
}

static void *destroy_barrier(void *argument)
{
    pthread_barrier_destroy(&barrier);
    return argument;
}

static void destroy_under_one_who_waits(void)
{
    pthread_barrier_init(&barrier, NULL, 2);
    together(2, meet_once, destroy_barrier);
}

static void meet_nowhere(void)
{
    memset(&barrier, 0, sizeof barrier);
    pthread_barrier_wait(&barrier);
}

static void a_barrier_for_nobody(void)
{
    put(0, "%d", pthread_barrier_init(&barrier, NULL, 0) == EINVAL);
    put(0, "%d", pthread_barrier_init(&barrier, NULL, 1) == 0);
    put(0, "%d", pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD);
}

TEST(barriers_that_are_used_wrongly_are_found)
{
    EXPECT_STR(outcomes_of(a_barrier_for_nobody), "111");
    EXPECT_STR(outcomes_of(one_too_few), "deadlock");
    EXPECT_CONTAINS(exploration->details, "thread 1 waits for barrier 1");
    EXPECT_STR(outcomes_of(destroy_under_one_who_waits), "misuse");
    EXPECT_STR(outcomes_of(meet_nowhere), "misuse");
    EXPECT_STR(exploration->failure,
               "main waits at barrier 1, which was destroyed or never initialised");
}

/* ---- Spin locks ---------------------------------------------------------------------- */

static pthread_spinlock_t spin;
static int inside;

static void *spin_once(void *argument)
{
    pthread_spin_lock(&spin);
    if (inside++)
        put(7, "!");
    put(0, "%d", pthread_spin_trylock(&spin) == EBUSY);
    inside--;
    pthread_spin_unlock(&spin);
    return argument;
}

static void three_spinners(void)
{
    inside = 0;
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    together(3, spin_once, spin_once, spin_once);
    pthread_spin_destroy(&spin);
}

static void spin_on_oneself(void)
{
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    pthread_spin_lock(&spin);
    pthread_spin_lock(&spin);
}

static void *unlock_spin(void *argument)
{
    pthread_spin_unlock(&spin);
    return argument;
}

static void unlock_anothers_spin_lock(void)
{
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    pthread_spin_lock(&spin);
    together(1, unlock_spin);
}

static void unlock_a_free_spin_lock(void)
{
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    pthread_spin_unlock(&spin);
}

static void lock_garbage(void)
{
    memset((void *)&spin, 0xa5, sizeof spin);
    pthread_spin_lock(&spin);
}

static void destroy_a_held_spin_lock(void)
{
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    pthread_spin_lock(&spin);
    pthread_spin_destroy(&spin);
}

static void lock_a_destroyed_spin_lock(void)
{
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    pthread_spin_destroy(&spin);
    pthread_spin_lock(&spin);
}

TEST(spin_locks_exclude_and_their_misuse_is_found)
{
    EXPECT_STR(outcomes_of(three_spinners), "111");
    EXPECT_STR(outcomes_of(spin_on_oneself), "deadlock");
    EXPECT_CONTAINS(exploration->failure, "main waits for itself");
    EXPECT_STR(outcomes_of(unlock_anothers_spin_lock), "misuse");
    EXPECT_STR(exploration->failure, "thread 1 unlocks spin lock 1, which main holds");
    EXPECT_STR(outcomes_of(unlock_a_free_spin_lock), "misuse");
    EXPECT_STR(outcomes_of(lock_garbage), "misuse");
    EXPECT_STR(exploration->failure, "main locks spin lock 1, which was never initialised");
    EXPECT_STR(outcomes_of(destroy_a_held_spin_lock), "misuse");
    EXPECT_STR(outcomes_of(lock_a_destroyed_spin_lock), "misuse");
}

/* ---- Semaphores ---------------------------------------------------------------------- */

static sem_t sem;

static void *down_once(void *argument)
{
    sem_wait(&sem);
    put((int)(intptr_t)argument, "down");
    return NULL;
}

static void *try_down(void *argument)
{
    int why = sem_trywait(&sem);

    put((int)(intptr_t)argument, "%s", why == 0 ? "down" : strerrorname_np(errno));
    return NULL;
}

static void *up_once(void *argument)
{
    sem_post(&sem);
    return argument;
}

static void *look_at_value(void *argument)
{
    int value = -1;

    sem_getvalue(&sem, &value);
    put((int)(intptr_t)argument, "%d", value);
    return NULL;
}

static void a_downer_a_trier_a_poster(void)
{
    sem_init(&sem, 0, 0);
    together(4, down_once, try_down, up_once, look_at_value);
    sem_destroy(&sem);
}

TEST(one_post_serves_one_whichever_it_is)
{
    EXPECT_STR(outcomes_of(a_downer_a_trier_a_poster),
               "deadlock down 0 | deadlock down 1 | down EAGAIN 0 | down EAGAIN 1");
}

static void *down_until(void *argument)
{
    int why = sem_timedwait(&sem, after(CLOCK_REALTIME, 10));

    put((int)(intptr_t)argument, "%s", why == 0 ? "down" : strerrorname_np(errno));
    return NULL;
}

static void two_impatient_ones_one_post(void)
{
    sem_init(&sem, 0, 0);
    together(3, down_until, down_until, up_once);
}

TEST(who_is_not_posted_times_out)
{
    EXPECT_STR(outcomes_of(two_impatient_ones_one_post), "ETIMEDOUT down | down ETIMEDOUT");
    EXPECT(exploration->now >= UINT64_C(9999999999));
}

static void error_numbers_of_semaphores(void)
{
    struct timespec odd = {.tv_nsec = 1000000000}, past = {.tv_sec = 1};
    int value;

    put(0, "%d", sem_init(&sem, 0, (unsigned)SEM_VALUE_MAX + 1) == -1 && errno == EINVAL);
    put(0, "%d", sem_init(&sem, 0, SEM_VALUE_MAX) == 0);
    put(0, "%d", sem_post(&sem) == -1 && errno == EOVERFLOW);
    put(0, "%d", sem_getvalue(&sem, &value) == 0 && value == SEM_VALUE_MAX);
    put(0, "%d", sem_init(&sem, 0, 1) == 0);
    put(0, "%d", sem_timedwait(&sem, &past) == 0); /* it need not wait */
    put(0, "%d", sem_trywait(&sem) == -1 && errno == EAGAIN);
    put(0, "%d", sem_timedwait(&sem, &past) == -1 && errno == ETIMEDOUT);
    put(0, "%d", sem_timedwait(&sem, &odd) == -1 && errno == EINVAL);
    put(0, "%d", sem_clockwait(&sem, CLOCK_TAI, &past) == -1 && errno == EINVAL);
    put(0, "%d",
        sem_clockwait(&sem, CLOCK_MONOTONIC, after(CLOCK_MONOTONIC, 1)) == -1 &&
            errno == ETIMEDOUT);
    put(0, "%d", sem_destroy(&sem) == 0);
}

TEST(semaphores_return_what_posix_says)
{
    EXPECT_STR(outcomes_of(error_numbers_of_semaphores), "111111111111");
}

static void *destroy_sem(void *argument)
{
    sem_destroy(&sem);
    return argument;
}

static void destroy_under_one_who_is_down(void)
{
    sem_init(&sem, 0, 0);
    together(2, down_once, destroy_sem);
}

static void post_what_is_destroyed(void)
{
    sem_init(&sem, 0, 0);
    sem_destroy(&sem);
    sem_post(&sem);
}

/* The poster does not look at the semaphore when it has posted. */
static void *down_and_destroy(void *argument)
{
    sem_wait(&sem);
    sem_destroy(&sem);
    memset(&sem, 0x5a, sizeof sem);
    return argument;
}

static void a_semaphore_gone_by_the_end_of_post(void)
{
    sem_init(&sem, 0, 0);
    together(2, up_once, down_and_destroy);
}

TEST(semaphores_that_are_used_wrongly_are_found_and_others_are_not)
{
    EXPECT_STR(outcomes_of(destroy_under_one_who_is_down), "misuse");
    EXPECT_CONTAINS(exploration->failure, "semaphore 1");
    EXPECT_STR(outcomes_of(post_what_is_destroyed), "misuse");
    EXPECT_STR(exploration->failure, "main posts semaphore 1, which has been destroyed");
    EXPECT_STR(outcomes_of(a_semaphore_gone_by_the_end_of_post), "done");
}

static void cancel_one_who_is_down(void)
{
    pthread_t thread;
    void *result;
    int value;

    sem_init(&sem, 0, 0);
    pthread_create(&thread, NULL, down_once, (void *)0);
    pthread_cancel(thread);
    sem_post(&sem);
    pthread_join(thread, &result);
    sem_getvalue(&sem, &value);
    put(1, "%s %d", result == PTHREAD_CANCELED ? "cancelled" : "returned", value);
}

/* It has either taken the semaphore or been cancelled, not both. */
TEST(waiting_for_a_semaphore_is_a_cancellation_point)
{
    EXPECT_STR(outcomes_of(cancel_one_who_is_down), "cancelled 1");
}

static void a_named_semaphore(void)
{
    sem_t *one, *two;
    int value;

    sem_unlink("/raddle-test-primitives");
    one = sem_open("/raddle-test-primitives", O_CREAT | O_EXCL, 0600, 2);
    two = sem_open("/raddle-test-primitives", 0);
    put(0, "%d", one != SEM_FAILED && one == two);
    put(0, "%d", sem_wait(one) == 0 && sem_wait(two) == 0 && sem_trywait(one) == -1);
    put(0, "%d", sem_post(one) == 0 && sem_getvalue(two, &value) == 0 && value == 1);
    put(0, "%d", sem_close(one) == 0 && sem_close(two) == 0);
    put(0, "%d", sem_unlink("/raddle-test-primitives") == 0);
    put(0, "%d", sem_open("/raddle-test-primitives", 0) == SEM_FAILED && errno == ENOENT);
}

TEST(named_semaphores_are_the_c_librarys)
{
    EXPECT_STR(outcomes_of(a_named_semaphore), "111111");
}

/* ---- Once ------------------------------------------------------------------------------ */

static pthread_once_t once;
static once_flag c11_once;
static int times_done;
static pthread_mutex_t mutex;

static void init_slowly(void)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    times_done++;
}

static void *init_once(void *argument)
{
    pthread_once(&once, init_slowly);
    put((int)(intptr_t)argument, "%d", times_done);
    return NULL;
}

static void three_initialisers(void)
{
    once = PTHREAD_ONCE_INIT;
    times_done = 0;
    together(3, init_once, init_once, init_once);
    put(3, "%d", once); /* what the C library takes for done */
}

TEST(what_is_done_once_is_done_before_anybody_goes_on)
{
    EXPECT_STR(outcomes_of(three_initialisers), "1 1 1 2");
}

static void init_and_give_up(void)
{
    if (times_done++ == 0)
        pthread_testcancel();
    put(0, "d");
}

static void *init_or_be_cancelled(void *argument)
{
    pthread_once(&once, init_and_give_up);
    put(1 + (int)(intptr_t)argument, "r");
    return NULL;
}

static void cancel_an_initialiser(void)
{
    pthread_t one, two;

    once = PTHREAD_ONCE_INIT;
    times_done = 0;
    pthread_create(&one, NULL, init_or_be_cancelled, (void *)0);
    pthread_create(&two, NULL, init_or_be_cancelled, (void *)1);
    pthread_cancel(one);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    put(3, "%d", once);
}

TEST(what_was_cancelled_is_done_by_the_next)
{
    EXPECT_STR(outcomes_of(cancel_an_initialiser), "d r 2 | d r r 2");
}

static void init_within_itself(void)
{
    pthread_once(&once, init_within_itself);
}

static void a_recursive_initialiser(void)
{
    once = PTHREAD_ONCE_INIT;
    pthread_once(&once, init_within_itself);
}

TEST(doing_once_within_itself_is_a_deadlock)
{
    EXPECT_STR(outcomes_of(a_recursive_initialiser), "deadlock");
    EXPECT_CONTAINS(exploration->failure, "main waits for itself");
}

int __cxa_guard_acquire(int *guard);
void __cxa_guard_release(int *guard);
void __cxa_guard_abort(int *guard);

static _Alignas(8) int guard[2];
static bool throws;

/* As compilers do it: the first byte says whether it has been initialised. */
static void *init_static_variable(void *argument)
{
    if (!__atomic_load_n((char *)guard, __ATOMIC_ACQUIRE) && __cxa_guard_acquire(guard)) {
        init_slowly();
        if (throws) {
            throws = false;
            __cxa_guard_abort(guard);
            return argument;
        }
        __cxa_guard_release(guard);
    }
    put(0, "%d", times_done);
    return argument;
}

static void guarded_initialisers(void)
{
    guard[0] = times_done = 0;
    throws = false;
    together(2, init_static_variable, init_static_variable);
    put(1, "%d", guard[0]);
}

static void guarded_initialisers_that_throw(void)
{
    guard[0] = times_done = 0;
    throws = true;
    together(2, init_static_variable, init_static_variable);
    put(1, "%d", guard[0]);
}

static void *init_really(void *unused)
{
    for (int i = 0; i < 1000; i++) {
        pthread_barrier_wait(&barrier);
        init_static_variable(NULL);
        pthread_barrier_wait(&barrier);
        if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) {
            slots[0][0] = '\0';
            guard[0] = 0;
        }
    }
    return unused;
}

TEST(static_variables_of_cplusplus_are_initialised_once)
{
    pthread_t threads[4];

    EXPECT_STR(outcomes_of(guarded_initialisers), "11 1");
    EXPECT_STR(outcomes_of(guarded_initialisers_that_throw), "2 1");
    guard[0] = times_done = 0; /* and by real threads */
    pthread_barrier_init(&barrier, NULL, 4);
    for (int i = 0; i < 4; i++)
        EXPECT_EQ(pthread_create(&threads[i], NULL, init_really, NULL), 0);
    for (int i = 0; i < 4; i++)
        EXPECT_EQ(pthread_join(threads[i], NULL), 0);
    EXPECT_EQ(times_done, 1000);
}

/* ---- C11 ------------------------------------------------------------------------------- */

static mtx_t c11_mutex;
static cnd_t c11_cond;
static tss_t c11_key;
static int c11_full;

static void note_value(void *value)
{
    put(4, "%s", (const char *)value);
}

static int c11_producer(void *argument)
{
    call_once(&c11_once, init_slowly);
    tss_set(c11_key, argument);
    mtx_lock(&c11_mutex);
    c11_full = 1;
    cnd_signal(&c11_cond);
    mtx_unlock(&c11_mutex);
    thrd_yield();
    if (tss_get(c11_key) != argument)
        put(5, "!");
    return -7;
}

static int c11_consumer(void *argument)
{
    call_once(&c11_once, init_slowly);
    tss_set(c11_key, argument);
    mtx_lock(&c11_mutex);
    while (!c11_full)
        cnd_wait(&c11_cond, &c11_mutex);
    mtx_unlock(&c11_mutex);
    thrd_exit(times_done);
}

static void c11_threads(void)
{
    static char value[] = "x";
    thrd_t one, two;
    int first = 0, second = 0;

    mtx_init(&c11_mutex, mtx_plain);
    cnd_init(&c11_cond);
    tss_create(&c11_key, note_value);
    c11_once = (once_flag)ONCE_FLAG_INIT;
    c11_full = times_done = 0;
    put(0, "%d", thrd_create(&one, c11_producer, value) == thrd_success);
    put(0, "%d", thrd_create(&two, c11_consumer, value) == thrd_success);
    put(0, "%d", thrd_join(one, &first) == thrd_success);
    put(0, "%d", thrd_join(two, &second) == thrd_success);
    put(1, "%d %d", first, second);
    tss_delete(c11_key);
    cnd_destroy(&c11_cond);
    mtx_destroy(&c11_mutex);
}

TEST(c11_threads_are_controlled)
{
    EXPECT_STR(outcomes_of(c11_threads), "1111 -7 1 xx");
    EXPECT(exploration->runs > 5);
}

static int c11_trier(void *unused)
{
    (void)unused;
    put(0, "%d", mtx_trylock(&c11_mutex) == thrd_busy);
    put(0, "%d", mtx_timedlock(&c11_mutex, after(CLOCK_REALTIME, 1)) == thrd_timedout);
    return 0;
}

static void results_of_c11(void)
{
    struct timespec odd = {.tv_nsec = -1};
    thrd_t thread;

    mtx_init(&c11_mutex, mtx_recursive | mtx_timed);
    cnd_init(&c11_cond);
    put(0, "%d", mtx_lock(&c11_mutex) == thrd_success);
    put(0, "%d", mtx_trylock(&c11_mutex) == thrd_success);
    put(0, "%d", mtx_unlock(&c11_mutex) == thrd_success);
    thrd_create(&thread, c11_trier, NULL);
    thrd_join(thread, NULL);
    put(0, "%d", cnd_timedwait(&c11_cond, &c11_mutex, &odd) == thrd_error);
    put(0, "%d", cnd_timedwait(&c11_cond, &c11_mutex, after(CLOCK_REALTIME, 1)) == thrd_timedout);
    put(0, "%d", cnd_broadcast(&c11_cond) == thrd_success);
    put(0, "%d", mtx_unlock(&c11_mutex) == thrd_success);
    put(0, "%d", mtx_unlock(&c11_mutex) == thrd_error);
    thrd_create(&thread, c11_trier, NULL);
    put(0, "%d", thrd_detach(thread) == thrd_success);
}

TEST(c11_functions_return_what_c11_says)
{
    EXPECT_CONTAINS(outcomes_of(results_of_c11), "1111111111");
}
