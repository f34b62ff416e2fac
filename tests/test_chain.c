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
