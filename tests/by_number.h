/* by_number.h -- a system call made by number is the function of its name.
 *
 * Each program is explored twice: once it calls functions, and once syscall() with the number of
 * each.  Two threads meet at what they call, so that a call that is another operation, or none,
 * comes out differently in some order, or in another number of orders. */
#ifndef TESTS_BY_NUMBER_H
#define TESTS_BY_NUMBER_H

#include <errno.h>
#include <sys/syscall.h>

#include "explore.h"

enum { KERNEL_SET = 8 };

static bool by_number;
static int slot_of_main = 7;
static volatile int negative = -1; /* the compiler does not see that it is no size */

/* The function, or the call of its number with the same arguments. */
#define CALL(name, ...)                                                                            \
    (errno = 0, by_number ? syscall(SYS_##name, ##__VA_ARGS__) : (long)name(__VA_ARGS__))

/* Where the kernel's arguments are others than the function's. */
#define EITHER(number, call) (errno = 0, by_number ? (number) : (long)(call))

static void tell(int slot, long code)
{
    put(slot, "%ld%c ", code, code >= 0 ? '.' : 'a' + errno % 26);
}

static void expect_alike(void (*body)(void))
{
    char *outcomes;
    uint64_t runs, now;

    by_number = false;
    outcomes = test_keep(strdup(outcomes_of(body)));
    runs = exploration->runs;
    now = exploration->now;
    EXPECT_LACKS(outcomes, "ended with");
    EXPECT_LACKS(outcomes, "deadlock");
    by_number = true;
    EXPECT_STR(outcomes_of(body), outcomes);
    EXPECT_EQ(exploration->runs, runs);
    EXPECT_EQ(exploration->now, now);
}

#endif
