/* test_drive_linear.c -- RDL_TEST_LINEAR as its users see it: tests/specs/linear. */
#include <stdio.h>

#include "harness.h"

static char *try(int *out_status, const char *name, int seed)
{
    return run(out_status,
               "\"$BUILD/specs/linear\" --filter =%s --seed %d --jobs 1 --regressions none "
               "--shrink-runs 10",
               name, seed);
}

/* From several seeds there is no false alarm, and the broken one is found. */
static char *expect_both(const char *name, const char *headline)
{
    char broken[40], *report = NULL;
    int status;

    snprintf(broken, sizeof broken, "broken_%s", name);
    for (int seed = 1; seed <= 5; seed++) {
        report = try(&status, name, seed);
        if (status != 0)
            test_fail(__FILE__, __LINE__, "%s does not pass:\n%s", name, report);
    }
    for (int seed = 1; seed <= 2; seed++) {
        report = try(&status, broken, seed);
        EXPECT_EQ(status, 1);
        EXPECT_CONTAINS(report, headline);
    }
    return report;
}

TEST(a_counter_that_loses_a_step_is_found)
{
    char *report = expect_both("counter", "no order of the calls explains their answers");

    EXPECT_CONTAINS(report, " calls next()\n");
    EXPECT_CONTAINS(report, " returns from next(): ");
    EXPECT_CONTAINS(report, "the model says ");
}

TEST(a_stack_that_gives_one_thing_twice_is_found)
{
    expect_both("stack", "no order of the calls explains their answers");
}

TEST(registers_are_judged_each_by_itself)
{
    expect_both("registers", "no order of the calls explains their answers");
}

TEST(calls_that_wait_in_the_end_must_have_to)
{
    char *report = expect_both("queue", "a call waits that could go on");

    EXPECT_CONTAINS(report, " waits, though it could go on\n");
}

TEST(free_threads_that_do_right_pass)
{
    int status;
    char *report = try(&status, "free_queue", 1);

    EXPECT_EQ(status, 0);
    EXPECT_CONTAINS(report, "ok ");
}

TEST(a_token_brings_a_history_back)
{
    int status;
    char *report = try(&status, "broken_counter", 3), *token = strstr(report, "--replay ");
    char *story = strstr(report, " calls next()\n"), *end, *again;

    EXPECT(token && story);
    end = strstr(story, "\n\n");
    EXPECT(end);
    token[strcspn(token, "\n")] = '\0';
    again = run(&status, "\"$BUILD/specs/linear\" --regressions none %s", token);
    EXPECT_EQ(status, 1);
    *end = '\0';
    EXPECT_CONTAINS(again, story);
}
