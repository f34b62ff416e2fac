/* test_streams_and_gates.c -- streams of threads at gates: tests/specs/streams_and_gates. */
#include "harness.h"

static char *try(int *out_status, const char *filter)
{
    return run(out_status,
               "\"$BUILD/specs/streams_and_gates\" --filter %s --seed 1 --regressions none",
               filter);
}

TEST(streams_go_on_while_threads_are_put_in_order)
{
    int status;
    char *report = try(&status, "-wrong");

    if (status != 0)
        test_fail(__FILE__, __LINE__, "%s", report);
    EXPECT_CONTAINS(report, "6 passed");
}

TEST(who_waits_at_a_gate_is_told_when_an_event_is_missing)
{
    int status;

    EXPECT_CONTAINS(try(&status, "=wrong_nobody_opens"), "first waits for gate say to be opened");
    EXPECT_EQ(status, 1);
    EXPECT_CONTAINS(try(&status, "=wrong_nobody_opens_free"),
                    "first waits for gate say to be opened");
    EXPECT_EQ(status, 1);
}
