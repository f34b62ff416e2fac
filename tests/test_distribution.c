/* test_distribution.c -- what is told of the states that tests come to: tests/specs/distribution.c,
 * and of several bugs in one run: tests/specs/bugs.c. */
#include <stdio.h>
#include <stdlib.h>

#include "harness.h"

static char *transfer(int *out_status, const char *name, const char *options)
{
    return run(out_status,
               "\"$BUILD/specs/distribution\" --regressions none --seed 1 --filter =%s %s", name,
               options);
}

/* In how many percent of the cases? */
static double share_of(const char *report, const char *state)
{
    const char *at = strstr(report, state);

    EXPECT(at);
    return strtod(at + strlen(state), NULL);
}

TEST(states_that_are_hardly_reached_are_warned_of)
{
    int status;
    char *report = transfer(&status, "a_transfer_by_chance", "");

    EXPECT_EQ(status, 0);
    EXPECT_CONTAINS(report, "of 1000 cases, hardly any reach \"half done\" (0), \"done\" (0): give "
                            "operations");
    EXPECT_CONTAINS(report, ".weigh");
    EXPECT(share_of(report, "state under way: in ") > 5);
}

TEST(weights_by_state_reach_the_end_of_a_long_protocol)
{
    int status;
    char *report = transfer(&status, "a_transfer_with_weights", "");

    EXPECT_LACKS(report, "warning");
    EXPECT(share_of(report, "state done: in ") > 20);
    report = transfer(&status, "a_longer_transfer_with_weights", "");
    EXPECT(share_of(report, "state done: in ") > 60);
    report = transfer(&status, "a_transfer_by_phases", "");
    EXPECT(share_of(report, "state done: in ") > 20);
}

TEST(who_followed_whom_is_told_on_request)
{
    int status;
    char *report = transfer(&status, "a_transfer_with_weights", "--verbose");

    EXPECT_CONTAINS(report, "    after begin: begin ");
    EXPECT_CONTAINS(report, "      entered: from under way ");
    EXPECT_LACKS(transfer(&status, "a_transfer_with_weights", ""), "after begin:");
    report = transfer(&status, "a_transfer_with_weights", "--format json --jobs 2");
    EXPECT_CONTAINS(report, "\"followed\":[{\"operation\":\"begin\",\"by\":\"begin\",\"calls\":");
    EXPECT_CONTAINS(report, "\"states\":[{\"name\":\"under way\",\"cases\":");
}

/* ---- Several bugs --------------------------------------------------------------------------- */

static char *bugs(int *out_status, const char *name, const char *options)
{
    return run(out_status, "\"$BUILD/specs/bugs\" --regressions none --filter =%s %s", name,
               options);
}

TEST(each_of_five_bugs_is_told_once_in_its_smallest_form)
{
    for (int seed = 1; seed <= 5; seed++) {
        char options[32];
        char *report;
        int status;

        snprintf(options, sizeof options, "--seed %d", seed);
        report = bugs(&status, "a_stack_that_asks_for_more", options);
        EXPECT_EQ(status, 1);
        EXPECT_CONTAINS(report, "Failure 5 of 5");
        EXPECT_CONTAINS(report, "\n\n    #1 = push(51) -> true\n    #2 = pop() -> 50\n\n");
        EXPECT_CONTAINS(report, "\n\n    #1 = push(0) -> true\n    #2 = push(0) -> true\n"
                                "    #3 = push(0) -> true\n    clear()\n\n");
        EXPECT_CONTAINS(report, "    #4 = push(0) -> true\n    #5 = size() -> 5\n\n");
        EXPECT_CONTAINS(report, "    #8 = push(0) -> true\n    #9 = push(0) -> true\n\n");
        EXPECT_CONTAINS(report, "the invariant of the spec does not hold\n      after pop()\n");
    }
}

TEST(how_many_jobs_there_are_makes_no_difference_to_the_bugs)
{
    int status;
    char *one = bugs(&status, "a_stack", "--more-bugs --seed 4 --jobs 1");
    char *two = bugs(&status, "a_stack", "--more-bugs --seed 4 --jobs 2");

    EXPECT(strstr(one, "Failure 1") && strstr(two, "Failure 1"));
    EXPECT_STR(strstr(two, "Failure 1"), strstr(one, "Failure 1"));
    EXPECT_LACKS(bugs(&status, "a_stack", "--seed 4"), "Failure 1");
}

TEST(a_bug_that_is_met_at_once_does_not_hide_others)
{
    int status;
    char *report = bugs(&status, "a_touchy_stack", "--more-bugs --seed 1");

    EXPECT_CONTAINS(report, "Failure 3 of 3");
    EXPECT_CONTAINS(report, "size() answered -1");
    EXPECT_CONTAINS(report, "pop() answered 50; the model says 51");
    EXPECT_CONTAINS(report, "after clear()");
}

TEST(bugs_of_a_resource_are_told_apart_by_the_operation)
{
    int status;
    char *report = bugs(&status, "a_stack_for_many", "--more-bugs --seed 1");

    EXPECT_CONTAINS(report, "Failure 2 of 2");
    EXPECT_CONTAINS(report, "pop() answered 50; the model says 51");
    EXPECT_CONTAINS(report, "size() answered -1; the model says 0");
}
