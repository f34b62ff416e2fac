/* test_clock.c -- the test clock as its users see it: tests/specs/clock. */
#include "harness.h"

static char *try(int *out_status, const char *filter)
{
    return run(out_status, "\"$BUILD/specs/clock\" --filter '%s' --seed 1 --regressions none",
               filter);
}

static void expect_fail(const char *name, const char *headline)
{
    int status;
    char *report = try(&status, name);

    EXPECT_EQ(status, 1);
    EXPECT_CONTAINS(report, headline);
}

TEST(calls_come_in_the_order_of_their_times)
{
    int status;
    char *report = try(&status, "planned");

    if (status != 0)
        test_fail(__FILE__, __LINE__, "%s", report);
    EXPECT_CONTAINS(report, "3 passed");
}

TEST(the_paper_s_mistake_is_found)
{
    expect_fail("=wrong_backwards", "\"badc\"");
    expect_fail("=wrong_backwards_free", "\"badc\"");
}

TEST(who_comes_too_late_is_told)
{
    expect_fail("=wrong_late", "the clock shows 3: time 2 is over");
    expect_fail("=wrong_late_free", "the clock shows 3: time 2 is over");
}

TEST(free_threads_are_drawn_as_they_wait_for_their_times)
{
    int status;
    char *report = run(&status, "\"$BUILD/specs/clock\" --filter '=wrong_backwards_free' --seed 1 "
                                "--regressions none --verbose");

    EXPECT_EQ(status, 1);
    EXPECT_CONTAINS(report, "waits for time 2  until");
}

TEST(places_let_the_clock_go_on)
{
    int status;
    char *report = try(&status, "ticks");

    EXPECT_EQ(status, 0);
    EXPECT_CONTAINS(report, "2 passed");
}

TEST(who_is_waited_for)
{
    int status;
    char *report = try(&status, "wait");

    EXPECT_EQ(status, 0);
    EXPECT_CONTAINS(report, "8 passed");
}
