/* test_covered.c -- what is said of the coverage of a test. */
#include "check/covered.h"

#include <string.h>

#include "harness.h"
#include "raddle.h"

static const struct rdl_test explored_test = {.name = "test", .options = {.explore = true}};
static const struct rdl_test plain_test = {.name = "test"};

static const char *count_of(struct rdl__tally tally, bool passed)
{
    static struct rdl__covered covered;

    memset(&covered, 0, sizeof covered);
    tally.threads = 2;
    tally.done = true;
    tally.schedules = 7;
    covered.explored.tally = tally;
    rdl__covered_settle(&covered, &explored_test, 9, false, passed);
    return covered.count;
}

TEST(a_test_that_passed_says_all_or_every)
{
    EXPECT_STR(count_of((struct rdl__tally){.of = RDL__SCHEDULES}, true), "all 7 schedules");
    EXPECT_STR(count_of((struct rdl__tally){.fair = true}, true), "every fair schedule (7)");
    EXPECT_STR(count_of((struct rdl__tally){.by_design = true}, true),
                  "every order that is left open (7)");
}

TEST(a_test_that_failed_says_how_many_it_tried)
{
    EXPECT_STR(count_of((struct rdl__tally){.of = RDL__SCHEDULES}, false), "9 schedules");
    EXPECT_STR(count_of((struct rdl__tally){.fair = true}, false), "9 schedules");
    EXPECT_STR(count_of((struct rdl__tally){.by_design = true}, false), "9 schedules");
    EXPECT_STR(count_of((struct rdl__tally){.bound = "2 preemptions"}, false), "9 schedules");
}

TEST(cases_are_not_all_of_them_if_one_failed)
{
    static struct rdl__covered covered;

    rdl__covered_settle(&covered, &plain_test, 4, true, true);
    EXPECT_STR(covered.count, "all 4 cases");
    rdl__covered_settle(&covered, &plain_test, 4, true, false);
    EXPECT_STR(covered.count, "4 cases");
}
