/* test_chain.c -- three components in a row, as their users see them: tests/specs/chain.c. */
#include <stdlib.h>

#include "harness.h"

static char *try(int *out_status, const char *name, const char *options)
{
    return run(out_status, "\"$BUILD/specs/chain\" --filter =%s --regressions none --seed 1 %s",
               name, options);
}

static char *passes(const char *name, const char *options)
{
    int status;
    char *report = try(&status, name, options);

    if (status != 0)
        test_fail(__FILE__, __LINE__, "%s does not pass:\n%s", name, report);
    return report;
}

/* Lines of the journal have padding, which the code fills with something else each time. */
TEST(bytes_between_fields_make_no_difference)
{
    passes("a_panel_alone", "");
    passes("a_panel_whose_meter_plays", "");
    passes("the_specs_agree", "");
    passes("the_panel_is_real", "");
    passes("all_are_real", "");
}

TEST(what_a_fault_answers_is_known_to_the_callers_spec)
{
    setenv("FAULTS", "1", 1);
    passes("a_panel_alone", "");
    passes("a_panel_whose_meter_plays", "");
    passes("the_panel_is_real", "");
    passes("all_are_real", "");
    unsetenv("FAULTS");
}

static void is_refused(const char *name, const char *why)
{
    int status;

    EXPECT_CONTAINS(try(&status, name, ""), why);
    EXPECT_EQ(status, 2);
}

TEST(a_call_that_nobody_could_see_is_not_missing)
{
    is_refused("a_meter_that_nobody_sees",
               "panel calls meter.start, which is not mocked in this test: name meter in the "
               "cluster, or in .mocked");
    passes("a_meter_that_is_mocked", "");
}

TEST(a_field_that_is_no_parameter_is_named)
{
    is_refused("a_field_that_is_no_parameter",
               "misnamed.tick cannot be made of calls of meter_tick(value) by names: amount is no "
               "parameter");
}

/* A journal that must not be written to when it is full: it gets full by turning the panel off and
 * on six times, or by six alarms. */
TEST(specs_that_disagree_do_so_by_the_fewest_calls)
{
    setenv("STRICT", "1", 1);
    for (int seed = 1; seed <= 5; seed++) {
        int status;
        char *report = run(&status,
                           "\"$BUILD/specs/chain\" --filter =the_specs_agree --regressions none "
                           "--format json --seed %d",
                           seed);

        EXPECT_EQ(status, 1);
        EXPECT_CONTAINS(report, "a component is called against its precondition");
        EXPECT_CONTAINS(report, "\"phases\":8,");
    }
    unsetenv("STRICT");
}

TEST(states_of_components_and_who_followed_whom_are_told)
{
    char *report = passes("all_are_real", "--verbose");

    EXPECT_CONTAINS(report, "hardly any reach \"meter: beyond\" (0)");
    EXPECT_CONTAINS(report, "    after panel.off: panel.on 100.0%\n");
    EXPECT_CONTAINS(report, "    state meter: high: in ");
    EXPECT_CONTAINS(report, "      entered: from other states ");
    EXPECT_LACKS(passes("the_panel_is_real", "--quiet"), "after panel.off");
}

/* The first is met by almost every case.  For the other, the panel must not be looked at while it
 * is turned off and on. */
TEST(a_bug_that_is_met_at_once_does_not_hide_others)
{
    setenv("BUGS", "1", 1);
    for (int seed = 1; seed <= 5; seed++) {
        int status;
        char *report = run(&status,
                           "\"$BUILD/specs/chain\" --filter =all_are_real --regressions none "
                           "--more-bugs --cases 60 --seed %d",
                           seed);

        EXPECT_EQ(status, 1);
        EXPECT_CONTAINS(report, "Failure 2 of 2");
        EXPECT_CONTAINS(report, "meter.read() answered {status = 0, value = 1}; the model says");
        EXPECT_CONTAINS(report, "answered -1; the model says 0");
    }
    unsetenv("BUGS");
}
