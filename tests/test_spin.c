/* test_spin.c -- loops that only wait are recognised, and no others. */
#include "instrumented/spin.h"

#include "explore.h"

static void (*current)(void);

static void show(void)
{
    current();
    put(0, "%d", came_out);
}

static const char *outcomes(void (*body)(void), uint64_t runs)
{
    current = body;
    return outcomes_by_chance(show, runs, 0);
}

TEST(locks_that_spin_are_locks)
{
    EXPECT_STR(outcomes(lock_by_exchange, 1000), "4");
    EXPECT_STR(outcomes(lock_by_comparing, 1000), "4");
    EXPECT_STR(outcomes(lock_tested_first, 1000), "4");
    EXPECT_STR(outcomes(lock_with_tickets, 1000), "4");
    EXPECT_STR(outcomes(lock_in_a_queue, 1000), "4");
    EXPECT_STR(outcomes(lock_of_peterson, 1000), "4");
}

TEST(loops_that_count_come_to_their_end)
{
    EXPECT_STR(outcomes(bounded_wait, 20), "1000");
    EXPECT_STR(outcomes(bounded_wait_on_the_stack, 20), "1000");
    EXPECT_STR(outcomes(deep_wait, 20), "0");
    EXPECT_STR(outcomes(counting_wait, 200), "0");
}

TEST(waits_end_when_what_they_wait_for_comes)
{
    EXPECT_STR(outcomes(plain_wait, 10), "race");
    EXPECT_STR(outcomes(yielding_wait, 300), "0");
    EXPECT_STR(outcomes(wait_in_rounds, 300), "0");
    EXPECT_STR(outcomes(wait_with_backoff, 300), "0");
    EXPECT_STR(outcomes(sequence_lock, 1000), "1");
    EXPECT_STR(outcomes(two_values, 300), "0");
}

TEST(a_thread_may_wait_for_its_own_variable)
{
    EXPECT_STR(outcomes(wait_on_its_own_stack, 300), "7");
}

TEST(waiting_threads_leave_few_schedules)
{
    current = lock_once;
    EXPECT_STR(outcomes_of(show), "2");
    EXPECT(exploration->runs < 1000);
}

TEST(chance_that_we_do_not_see_is_no_livelock)
{
    EXPECT_STR(outcomes(wait_by_chance, 20), "0");
}

TEST(waiting_for_what_never_comes_is_a_livelock)
{
    EXPECT_STR(outcomes(wait_for_ever, 20), "livelock");
    EXPECT_CONTAINS(exploration->failure, "livelock");
    EXPECT_CONTAINS(exploration->details, "thread 1 waits for memory to change, going round at");
    EXPECT_STR(outcomes(wait_for_ever_alone, 2), "livelock");
    EXPECT_STR(outcomes(wait_for_ever_yielding, 20), "livelock");
    EXPECT_STR(outcomes(wait_for_ever_in_rounds, 5), "livelock");
    EXPECT_STR(outcomes(wait_for_ever_with_backoff, 5), "livelock");
    EXPECT_STR(outcomes(wait_for_each_other, 20), "livelock");
    EXPECT_STR(outcomes(lock_twice, 2), "livelock");
}

TEST(a_livelock_may_hold_others_up)
{
    EXPECT_STR(outcomes(wait_for_one_that_waits, 100), "0 | livelock");
    EXPECT_CONTAINS(exploration->details, "thread 2 waits for mutex 1");
}
