/* test_guards.c -- variables of C++ that are initialised when control first comes to them: once,
 * and those that come meanwhile wait for it, controlled or not. */
#include "explore.h"

int __cxa_guard_acquire(int *guard);
void __cxa_guard_release(int *guard);
void __cxa_guard_abort(int *guard);

static int guard, runs, failures; /* the first so many initialisations fail */

static void *initialise(void *number)
{
    while (__cxa_guard_acquire(&guard)) {
        if (__atomic_fetch_add(&runs, 1, __ATOMIC_SEQ_CST) >= failures) {
            put(0, "%d", (int)(intptr_t)number);
            __cxa_guard_release(&guard);
            break;
        }
        put(0, "-");
        __cxa_guard_abort(&guard);
    }
    put(1, "%d", __atomic_load_n(&guard, __ATOMIC_ACQUIRE) & 1);
    return number;
}

static void two_initialise(void)
{
    guard = runs = 0;
    together(2, initialise, initialise);
    put(2, "%d", __cxa_guard_acquire(&guard));
}

TEST(one_thread_initialises_and_others_find_it_done)
{
    failures = 0;
    EXPECT_STR(outcomes_of(two_initialise), "0 11 0 | 1 11 0");
    failures = 1;
    EXPECT_STR(outcomes_of(two_initialise), "-0 11 0 | -1 11 0");
}

static void *initialise_again(void *unused)
{
    __cxa_guard_acquire(&guard);
    __cxa_guard_acquire(&guard);
    return unused;
}

static void initialise_in_itself(void)
{
    guard = 0;
    together(1, initialise_again);
}

TEST(an_initialiser_that_comes_to_itself_is_a_deadlock)
{
    EXPECT_STR(outcomes_of(initialise_in_itself), "deadlock");
}

/* ---- Threads of the system ------------------------------------------------------------------- */

enum { THREADS = 4, ROUNDS = 200 };

static pthread_barrier_t start;
static int initialised;

static void *meet_and_initialise(void *unused)
{
    pthread_barrier_wait(&start);
    if (__cxa_guard_acquire(&guard)) {
        initialised++; /* nobody else is here */
        __cxa_guard_release(&guard);
    }
    return (void *)(intptr_t)(initialised != 1 || unused);
}

TEST(free_threads_initialise_once_too)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_t threads[THREADS];
        void *wrong;

        guard = initialised = 0;
        pthread_barrier_init(&start, NULL, THREADS);
        for (int t = 0; t < THREADS; t++)
            EXPECT_EQ(pthread_create(&threads[t], NULL, meet_and_initialise, NULL), 0);
        for (int t = 0; t < THREADS; t++) {
            pthread_join(threads[t], &wrong);
            EXPECT(!wrong);
        }
        pthread_barrier_destroy(&start);
    }
}
