/* libc.c -- tests of mocks: functions of the C library, which it calls itself, too, for the code
 * under test and for Raddle. */
#include <errno.h>
#include <pthread.h>
#include <raddle.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "store.h"

RDL_PROPERTY(what_the_c_library_calls_is_mocked)
{
    struct rdl_mock *allocation = rdl_mock(t, malloc, rdl_returns(NULL), rdl_sets_errno(ENOMEM));
    FILE *file = fopen("/dev/null", "r");

    rdl_check_eq(rdl_mock_calls(allocation), 1);
    rdl_check(!file);
}

/* Who only lets it run does not make the call its own. */
RDL_PROPERTY(what_a_spied_function_calls_is_mocked)
{
    struct rdl_mock *spy = rdl_spy(t, fopen), *allocation = rdl_mock(t, malloc, rdl_returns(NULL));
    FILE *file = fopen("/dev/null", "r");

    rdl_check_eq(rdl_mock_calls(spy), 1);
    rdl_check_eq(rdl_mock_calls(allocation), 1);
    rdl_check(!file);
}

/* Of these the C library chooses one of several when it is loaded. */
RDL_PROPERTY(functions_that_are_chosen_are_mocked)
{
    size_t (*volatile length)(const char *) = strlen; /* a compiler knows it itself */
    time_t now = 0;

    rdl_mock(t, time, rdl_returns(1000), rdl_sets("1", 1000));
    rdl_mock(t, strlen, rdl_str("abc"), rdl_returns(7));
    rdl_check_eq(time(&now), 1000);
    rdl_check_eq(now, 1000);
    rdl_check_eq(length("abc"), 7);
}

RDL_PROPERTY(functions_that_all_of_us_use_are_spied_on)
{
    void *(*volatile copy)(void *, const void *, size_t) = memcpy;
    void *(*volatile fill)(void *, int, size_t) = memset;
    struct rdl_mock *copies = rdl_spy(t, memcpy), *fills = rdl_spy(t, memset);
    char bytes[4], text[20];

    fill(bytes, 'x', sizeof bytes);
    copy(bytes, "ab", 2);
    rdl_check_mem(bytes, "abxx", 4);
    snprintf(text, sizeof text, "%d %s", (int)rdl_int(t, 3, 3), "three");
    rdl_check_str(text, "3 three");
    rdl_note("%200d", 3);
    rdl_check_ge(rdl_mock_calls(copies), 1);
    rdl_check_ge(rdl_mock_calls(fills), 1);
}

RDL_PROPERTY(parameters_without_names_are_lengths)
{
    void *(*volatile find)(const void *, int, size_t) = memchr;
    struct rdl_mock *spy = rdl_spy(t, memchr);
    size_t size;

    rdl_copies(spy, "1", "3");
    find("abcdef", 'x', 5);
    rdl_check_mem(rdl_mock_copy(spy, 0, "1", &size), "abcde", 5);
    rdl_check_eq(size, 5);
}

/* ---- Any number of arguments -------- */

static int log_instead(const char *format, ...)
{
    va_list arguments;
    int sum = 0;

    va_start(arguments, format);
    for (; *format; format++)
        sum += *format == 'd' ? va_arg(arguments, int) : (int)va_arg(arguments, double);
    va_end(arguments);
    return sum;
}

RDL_PROPERTY(variadic_functions_are_mocked)
{
    rdl_replace(t, flash_log, log_instead);
    rdl_mock(t, flash_log, rdl_str("-"), rdl_returns(-1));
    rdl_check_eq(flash_log("-", 1, 2.0), -1);
    rdl_check_eq(flash_log("dfdddddddfdfffffffff", 1, 2.0, 3, 4, 5, 6, 7, 8, 9, 10.0, 11, 12.0,
                           13.0, 14.0, 15.0, 16.0, 17.0, 18.0, 19.0, 20.0),
                 210);
}

RDL_PROPERTY(variadic_functions_are_let_run)
{
    int (*volatile print)(char *, size_t, const char *, ...) = snprintf;
    char text[40];

    rdl_inject(t, snprintf, rdl_returns(-1), rdl_at_call(1));
    rdl_check_eq(print(text, sizeof text, "%d", 3), -1);
    rdl_check_eq(print(text, sizeof text, "%d %s %g %Lg", 3, "abc", 1.5, 2.5L), 13);
    rdl_check_str(text, "3 abc 1.5 2.5");
}

RDL_PROPERTY(wrong_variadic, .cases = 5)
{
    rdl_mock(t, flash_log, rdl_returns(2));
    flash_log("%d", 3);
    rdl_fail("to be told");
}

/* ---- Faults -------- */

RDL_PROPERTY(misuse_spy_over_faults)
{
    rdl_inject(t, malloc, rdl_returns(NULL));
    rdl_spy(t, malloc);
}

RDL_PROPERTY(a_spy_sees_what_does_not_go_wrong)
{
    struct rdl_mock *spy = rdl_spy(t, device_status);

    rdl_inject(t, device_status, rdl_returns(-1), rdl_at_call(2));
    rdl_check_eq(store_poll(1), 2);
    rdl_check_eq(store_poll(1), -1);
    rdl_check_eq(rdl_mock_calls(spy), 1);
}

/* It fails by the choices alone, whatever the number is. */
RDL_PROPERTY(wrong_in_any_process, .cases = 200)
{
    rdl_spy(t, getpid);
    rdl_check_gt(getpid(), 0);
    rdl_check_lt(rdl_int(t, 0, 1000), 500);
}

/* ---- Controlled threads -------- */

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
    rdl_mock(t, device_status, rdl_where("unit", 1), rdl_returns(0)); /* they call it all along */
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
