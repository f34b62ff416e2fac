/* test_seen.c -- which code tells of its accesses to memory. */
#include "control/sched/seen.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "harness.h"
#include "instrumented/seen.h"
#include "port/lines.h"
#include "raddle.h"

/* By its first byte, and by the return address of a call in its midst. */
static bool is_seen(const void *function)
{
    return rdl__is_seen((uintptr_t)function | RDL__TAIL_OF);
}

static int plain(int value)
{
    return value + seen_value;
}

TEST(instrumented_functions_are_seen)
{
    EXPECT(is_seen((void *)reads_memory));
    EXPECT(rdl__is_seen((uintptr_t)reads_memory + 5));
    EXPECT(is_seen((void *)calls_others));
    EXPECT(is_seen((void *)chooses));
}

TEST(functions_that_touch_only_constants_and_their_own_frame_are_seen)
{
    EXPECT(is_seen((void *)reads_constants));
    EXPECT(is_seen((void *)sorts_its_own));
    EXPECT(is_seen((void *)computes));
    EXPECT(is_seen((void *)returns_five));
    EXPECT_EQ(returns_five(3, -1).numbers[2], 1);
    EXPECT_EQ(computes(2, 3, 4), 12);
    EXPECT_EQ(reads_constants(2), 4);
    EXPECT(sorts_its_own(1) >= 0);
}

TEST(functions_that_are_kept_out_of_instrumentation_are_not)
{
    EXPECT(!is_seen((void *)is_kept_out));
    EXPECT(!is_seen((void *)is_kept_out_and_writes));
    is_kept_out_and_writes(&seen_value, 0);
    EXPECT(!is_seen((void *)is_kept_out_and_calls));
    EXPECT_EQ(is_kept_out_and_calls(plain) + calls_others(plain), 3);
    EXPECT_EQ(is_kept_out() + reads_memory() + chooses(2), -2);
}

TEST(plain_functions_of_the_same_program_are_not)
{
    EXPECT(!is_seen((void *)plain));
    EXPECT(!rdl__is_seen((uintptr_t)__builtin_return_address(0)));
}

TEST(the_c_library_and_raddle_itself_are_known)
{
    EXPECT(is_seen((void *)strlen));
    EXPECT(is_seen((void *)fprintf));
    EXPECT(is_seen((void *)rdl_spawn));
    EXPECT(is_seen((void *)pthread_mutex_lock));
    EXPECT(is_seen((void *)rdl__is_seen_slowly));
    EXPECT(rdl__is_seen(0));
}

TEST(code_that_is_generated_at_run_time_is_not_seen)
{
    void *page =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    EXPECT(page != MAP_FAILED);
    EXPECT(!is_seen(page));
    munmap(page, 4096);
    EXPECT(!is_seen(page));
}
