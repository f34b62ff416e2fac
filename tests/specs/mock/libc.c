/* libc.c -- tests of mocks: functions of the C library, which it calls itself, too, for the code
 * under test and for Raddle. */
#include <errno.h>
#include <pthread.h>
#include <raddle.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "store.h"

RDL_PROPERTY(what_the_c_library_calls_is_mocked)
{
    struct rdl_mock *map = rdl_mock(t, mmap, rdl_returns(MAP_FAILED), rdl_sets_errno(ENOMEM));
    void *volatile memory = malloc((size_t)1 << 28);

    rdl_check_eq(rdl_mock_calls(map), 1);
    free(memory);
}

/* Who only lets it run does not make the call its own. */
RDL_PROPERTY(what_a_spied_function_calls_is_mocked)
{
    struct rdl_mock *map = rdl_mock(t, mmap, rdl_returns(MAP_FAILED)), *spy = rdl_spy(t, malloc);
    void *volatile memory = malloc((size_t)1 << 28);

    rdl_check_eq(rdl_mock_calls(spy), 1);
    rdl_check_eq(rdl_mock_calls(map), 1);
    free(memory);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int locked;

static void lock_once(void *it)
{
    (void)it;
    if (pthread_mutex_lock(&mutex) == 0) {
        locked++;
        pthread_mutex_unlock(&mutex);
    }
}

/* Threads are made by us, and the C library locks something for that. */
RDL_EXPLORE(locks_of_controlled_threads_fail, .cases = 50)
{
    struct rdl_mock *lock = rdl_inject(t, pthread_mutex_lock, rdl_returns(EINVAL), rdl_at_call(2));
    struct rdl_thread *one, *two;

    locked = 0;
    one = rdl_spawn(t, "one", lock_once, NULL);
    two = rdl_spawn(t, "two", lock_once, NULL);
    rdl_join(one);
    rdl_join(two);
    rdl_check_eq(rdl_mock_calls(lock), 1);
    rdl_check_eq(locked, 1);
}

/* Where a function is let run, the line is its caller's. */
RDL_EXPLORE(wrong_lock_of_a_controlled_thread, .cases = 50)
{
    struct rdl_thread *one;

    locked = 0;
    rdl_spy(t, pthread_mutex_lock);
    one = rdl_spawn(t, "one", lock_once, NULL);
    rdl_join(one);
    rdl_check_eq(locked, 0);
}

RDL_PROPERTY(misuse_stub_that_is_let_run)
{
    rdl_spy(t, flash_erase);
    store_save("abc");
}

/* ---- Mocks that are said while others call -------- */

enum { THREADS = 3, MOCKS = 20 };

static int is_over;

static void *poll_until_it_is_over(void *it)
{
    while (!__atomic_load_n(&is_over, __ATOMIC_ACQUIRE))
        store_poll(1);
    return it;
}

RDL_PROPERTY(mocks_are_said_while_threads_call, .cases = 50)
{
    pthread_t threads[THREADS];

    is_over = 0;
    for (int i = 0; i < THREADS; i++)
        rdl_check_eq(pthread_create(&threads[i], NULL, poll_until_it_is_over, NULL), 0);
    for (int i = 0; i < MOCKS; i++) {
        rdl_mock(t, device_status, rdl_where("unit", i + 2), rdl_returns(-i));
        rdl_mock(t, device_status, rdl_where("unit", 1), rdl_returns(i));
        rdl_check_eq(store_poll(i + 2), -i);
        rdl_check_eq(store_poll(1), i);
    }
    __atomic_store_n(&is_over, 1, __ATOMIC_RELEASE);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}
