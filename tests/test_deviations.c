/* test_deviations.c -- --deviation, --deviations and raddle deviations, as their users see them:
 * tests/specs/deviations.c. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "harness.h"

static char *table(int *out_status, const char *options)
{
    return run(out_status, "\"$BUILD/specs/deviations\" --deviations --seed 1 %s", options);
}

/* The first line that has both in it, without its newline. */
static char *line_with(const char *text, const char *part, const char *other)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        char *line = strndup(text, length);

        if (strstr(line, part) && strstr(line, other))
            return line;
        free(line);
        text += length + (text[length] == '\n');
    }
    test_fail(__FILE__, __LINE__, "no line has \"%s\" and \"%s\"", part, other);
}

/* A key of the JSON of a row. */
static void row_has(const char *json, const char *test, const char *deviation, const char *what)
{
    char test_key[100], deviation_key[100];
    char *line;

    snprintf(test_key, sizeof test_key, "\"test\":\"%s\"", test);
    snprintf(deviation_key, sizeof deviation_key, "\"deviation\":\"%s\"", deviation);
    line = line_with(json, test_key, deviation_key);
    EXPECT_CONTAINS(line, what);
    free(line);
}

TEST(the_table_has_a_row_for_each_deviation)
{
    int status;
    char *report = table(&status, "--filter =a_queue");

    EXPECT_EQ(status, 2); /* one of them cannot be run */
    EXPECT_CONTAINS(report, "a_queue\n  store  refuses once");
    EXPECT_CONTAINS(report, "only three fit                  not tolerated  4 calls: an answer is");
    EXPECT_CONTAINS(report,
                    "breaks at a thousand            never met      took effect in none of");
    EXPECT_CONTAINS(report, "counts in pairs                 tolerated      took effect in 9");
    EXPECT_CONTAINS(report, "has no room                     error          ");
    EXPECT_CONTAINS(report, "2 tolerated, 2 not tolerated, 1 never met, 1 in error (seed 1)");
    EXPECT_CONTAINS(report, "Where one is never met, let its condition come true more often");
    EXPECT_LACKS(report, "\033[");
}

TEST(rows_are_lines_of_json)
{
    int status;
    char *json = table(&status, "--filter =a_queue --format json");

    EXPECT_EQ(status, 2);
    row_has(json, "a_queue", "only three fit",
            "\"components\":\"store\",\"verdict\":\"not-tolerated\"");
    row_has(json, "a_queue", "only three fit", "\"calls\":4,\"token\":\"rdl1.a_queue.");
    row_has(json, "a_queue", "breaks at a thousand",
            "\"verdict\":\"never-met\",\"cases\":1000,\"deviated\":0,\"message\":null,"
            "\"calls\":null,\"token\":null,\"replay\":null");
    row_has(json, "a_queue", "counts in pairs", "\"verdict\":\"tolerated\",\"cases\":1000,");
    row_has(json, "a_queue", "has no room", "\"verdict\":\"error\"");
}

TEST(deviations_of_the_same_text_are_one_and_in_force_together)
{
    int status;
    char *json = table(&status, "--filter =the_specs_alone --format json"), *again;

    EXPECT_EQ(status, 0);
    row_has(json, "the_specs_alone", "loses count", "\"components\":\"queue, store\"");
    again = strstr(json, "\"deviation\":\"counts in pairs\"");
    EXPECT(again && !strstr(again + 1, "\"deviation\":\"counts in pairs\""));
}

TEST(what_is_real_does_not_deviate)
{
    int status;
    char *json = table(&status, "--filter =the_queue_is_real --format json");

    EXPECT_EQ(status, 2);
    row_has(json, "the_queue_is_real", "loses count", "\"components\":\"store\"");
    row_has(json, "the_queue_is_real", "only three fit", "\"calls\":4,");
}

TEST(a_test_that_fails_as_it_is_is_run_under_no_deviation)
{
    int status;
    char *report = table(&status, "--filter =a_queue_that_fails");

    EXPECT_EQ(status, 1);
    EXPECT_CONTAINS(report,
                    "a_queue_that_fails\n  fails without any deviation: an answer is not the "
                    "model's\n\n1 failing anyway (seed 1)");
    EXPECT_CONTAINS(report, "specs/deviations --replay rdl1.a_queue_that_fails.");
}

TEST(tests_that_are_about_a_deviation_are_left_out)
{
    int status;
    char *report = table(&status, "--filter a_store");

    EXPECT_EQ(status, 2);
    EXPECT_CONTAINS(report, "in none of these tests a spec plays that has deviations");
    report = table(&status, "--filter =no_components");
    EXPECT_EQ(status, 2);
    report = table(&status, "--filter =no_components --shard 1/1");
    EXPECT_EQ(status, 0);
    report = table(&status, "--filter a_store,the_specs_alone");
    EXPECT_EQ(status, 0);
    EXPECT_LACKS(report, "a_store");
}

TEST(the_replay_command_replays_under_the_deviation)
{
    int status;
    char *report = table(&status, "--filter =a_queue"), *command, *again;

    command = line_with(report, "--deviation 'only three fit' --replay ", "");
    again = run(&status, "%s", command);
    EXPECT_EQ(status, 1);
    EXPECT_CONTAINS(again, "under the deviation 'only three fit'");
    EXPECT_CONTAINS(again, "put(0) answered 1; the model says 0");
    EXPECT_CONTAINS(again, "store.put(0) -> 1 (deviates)");
    free(command);
}

TEST(other_numbers_of_cases_and_processes_do_as_well)
{
    int status;
    char *json = table(&status, "--filter =the_specs_alone --cases 50 --jobs 2 --format json");

    EXPECT_EQ(status, 0);
    row_has(json, "the_specs_alone", "loses count", "\"verdict\":\"tolerated\",\"cases\":50,");
    json = table(&status, "--filter =the_specs_alone --time 0.05 --no-fork --format json");
    EXPECT_EQ(status, 0);
    row_has(json, "the_specs_alone", "loses count", "\"verdict\":\"tolerated\"");
}

TEST(a_table_may_go_to_a_file_too)
{
    int status;
    char *report = run(&status, "file=$(mktemp); \"$BUILD/specs/deviations\" --deviations --seed 1 "
                                "--filter =the_specs_alone --format json --output \"$file\" "
                                "--format human; status=$?; cat \"$file\"; rm \"$file\"; "
                                "exit $status");

    EXPECT_EQ(status, 0);
    EXPECT_CONTAINS(report, "the_specs_alone\n");
    row_has(report, "the_specs_alone", "loses count", "\"verdict\":\"tolerated\"");
}

TEST(a_quiet_table_has_what_is_not_tolerated_and_a_verbose_one_shows_cases)
{
    int status;
    char *report = table(&status, "--filter =a_queue --verbose --quiet");

    EXPECT_CONTAINS(report, "not tolerated");
    EXPECT_CONTAINS(report, "--replay rdl1.a_queue.");
    EXPECT_LACKS(report, " tolerated      took");
    EXPECT_LACKS(report, "(seed 1)");
    EXPECT_STR(table(&status, "--filter =the_specs_alone --quiet"), "");
    EXPECT_CONTAINS(table(&status, "--filter =a_queue --verbose"), "\n      ");
}

TEST(narrow_terminals_get_all_of_it)
{
    int status;
    char *report = run(&status, "command -v script >/dev/null || exit 127; cd \"$BUILD\" && "
                                "NO_COLOR=1 CI=1 script -qec 'stty cols 60; specs/deviations "
                                "--deviations --seed 1 --filter =a_queue' /dev/null | tr -d '\\r'");

    if (status == 127)
        return; /* there is no script(1) */
    for (const char *at = report; *at && strncmp(at, "Replay", 6) != 0;) {
        size_t length = strcspn(at, "\n");

        EXPECT(length <= 60);
        at += length + (at[length] == '\n');
    }
    EXPECT_CONTAINS(report, "2 tolerated, 2 not tolerated");
    EXPECT_CONTAINS(report, "  store  refuses     tolerated      took effect in 9");
}

TEST(code_is_judged_by_what_it_does_and_specs_by_what_they_say)
{
    int status;
    char *json = run(&status, "\"$BUILD/specs/components\" --deviations --seed 1 --format json "
                              "--filter =the_box_is_real,=the_specs_agree");

    EXPECT_EQ(status, 0);
    row_has(json, "the_box_is_real", "forgets the number 7",
            "\"message\":\"an answer is not the model's\",\"calls\":3,");
    row_has(json, "the_specs_agree", "forgets the number 7",
            "\"message\":\"caller and callee do not agree on an answer\",\"calls\":3,");
}

/* ---- One that is in force -------------------------------------------------------------------- */

static char *under(int *out_status, const char *deviation, const char *options)
{
    return run(out_status, "\"$BUILD/specs/deviations\" --deviation '%s' --seed 1 %s", deviation,
               options);
}

TEST(a_report_tells_which_deviation_is_in_force_and_what_came_of_it)
{
    int status;
    char *report = under(&status, "counts in pairs", "--filter =a_queue");

    EXPECT_EQ(status, 0);
    EXPECT_CONTAINS(report, "under the deviation 'counts in pairs', which took effect in 9");
    report = under(&status, "breaks at a thousand", "--filter =a_queue,=no_components");
    EXPECT_EQ(status, 0);
    EXPECT_CONTAINS(report, "warning: a_queue: the deviation 'breaks at a thousand' took effect in "
                            "none of 1000 cases");
    EXPECT_LACKS(report, "warning: no_components");
    report = under(&status, "only three fit", "--filter =a_queue --format json");
    EXPECT_EQ(status, 1);
    EXPECT_CONTAINS(report, "\"deviation\":\"only three fit\",\"deviated\":1,");
    EXPECT_CONTAINS(report, "--deviation 'only three fit' --replay ");
    EXPECT_CONTAINS(report, "\"phases\":4,");
    report = run(&status, "\"$BUILD/specs/deviations\" --filter =no_components --format json");
    EXPECT_CONTAINS(report, "\"deviation\":null,\"deviated\":null,");
}

TEST(unknown_deviations_are_told_with_those_that_there_are)
{
    int status;
    char *report = under(&status, "only tree fit", "");

    EXPECT_EQ(status, 2);
    EXPECT_CONTAINS(report, "--deviation: there is no deviation 'only tree fit'; did you mean "
                            "'only three fit'? There are:\n");
    EXPECT_CONTAINS(report, "\n  counts in pairs\n");
    report = under(&status, "THOUSAND", "");
    EXPECT_CONTAINS(report, "did you mean 'breaks at a thousand'?");
    report = under(&status, "xyzzy", "");
    EXPECT_CONTAINS(report, "there is no deviation 'xyzzy'. There are:\n");
    report = run(&status, "\"$BUILD/specs/model\" --deviation x");
    EXPECT_EQ(status, 2);
    EXPECT_CONTAINS(report, "there is no deviation 'x', nor any other in this program");
    report = under(&status, "only three fit", "--filter =no_components");
    EXPECT_EQ(status, 2);
    EXPECT_CONTAINS(report, "'only three fit' is of no spec that plays in any of these tests");
}

TEST(a_test_may_have_a_deviation_of_its_own)
{
    int status;
    char *report = run(&status, "\"$BUILD/specs/deviations\" --filter a_store,the_store --seed 1 "
                                "--regressions none");

    EXPECT_EQ(status, 0);
    EXPECT_CONTAINS(report, "under the deviation 'only three fit'");
    EXPECT_CONTAINS(report, "(fails, as expected)");
    EXPECT_CONTAINS(report, "warning: a_store_of_a_thousand: the deviation");
    report = run(&status, "\"$BUILD/specs/deviations\" --filter =misnamed");
    EXPECT_EQ(status, 2);
    EXPECT_CONTAINS(report, "misnamed: there is no deviation 'only there fit'; did you mean 'only "
                            "three fit'?");
}

TEST(what_fails_under_a_deviation_is_not_kept)
{
    int status;
    char *report = run(&status, "folder=$(mktemp -d); \"$BUILD/specs/deviations\" --seed 1 "
                                "--regressions \"$folder\" --deviation 'only three fit' "
                                "--filter =a_queue; \"$BUILD/specs/deviations\" --seed 1 "
                                "--regressions \"$folder\" --deviations --filter =a_queue; "
                                "ls \"$folder\"; rmdir \"$folder\"");

    EXPECT_EQ(status, 0);
    EXPECT_LACKS(report, "Kept in");
}

TEST(options_that_contradict_each_other_are_refused)
{
    int status;

    EXPECT_CONTAINS(under(&status, "only three fit", "--deviations"), "--deviations goes with");
    EXPECT_EQ(status, 2);
    EXPECT_CONTAINS(table(&status, "--replay rdl1.x"), "--deviations goes with");
    EXPECT_CONTAINS(table(&status, "--format tap"), "told as human or json, not as tap");
    EXPECT_EQ(status, 2);
}

/* ---- The command ----------------------------------------------------------------------------- */

TEST(the_command_is_the_program_with_that_option)
{
    int status;
    char *report = run(&status, "\"$BUILD/bin/raddle\" deviations \"$BUILD/specs/deviations\" "
                                "--seed 1 --filter =the_specs_alone");

    if (status == 127)
        return; /* the tool is not built, for sanitizers */
    EXPECT_EQ(status, 0);
    EXPECT_CONTAINS(report, "loses count              tolerated      took effect in");
    EXPECT_STR(report, table(&status, "--filter =the_specs_alone"));
    report = run(&status, "\"$BUILD/bin/raddle\" deviations --help");
    EXPECT_EQ(status, 0);
    EXPECT_CONTAINS(report, "Usage: raddle deviations PROGRAM [OPTION]...");
    report = run(&status, "\"$BUILD/bin/raddle\" deviations");
    EXPECT_EQ(status, 2);
    report = run(&status, "\"$BUILD/bin/raddle\" deviations ./not-there");
    EXPECT_EQ(status, 2);
    EXPECT_CONTAINS(report, "raddle deviations: there is no program ./not-there");
}
