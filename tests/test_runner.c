/* test_runner.c -- test programs as their users see them: what they print, what
 * they return, and that a printed line brings a failure back.
 * ctest: long */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"

/* Run one property of the zoo.  Seeds are fixed, and nothing is kept. */
static char *try_one(int *out_status, const char *name, const char *options)
{
    return run(
        out_status,
        "cd \"$SOURCE\" && \"$BUILD/zoo/faults\" --filter =%s --seed 1 --regressions none %s", name,
        options);
}

/* A sanitizer sees memory errors first, and its report is full of addresses. */
static bool has_sanitizer(void)
{
    return getenv("SANITIZE") != NULL;
}

/* The token in a report's replay line. */
static char *token_in(const char *report)
{
    const char *at = strstr(report, "--replay ");

    EXPECT(at != NULL);
    at += strlen("--replay ");
    return test_keep(strndup(at, strcspn(at, "\n")));
}

/* What a report says of the failure itself: from its headline to the replay line. */
static char *failure_in(const char *report)
{
    const char *start = strstr(report, "\n\n  "), *end;

    EXPECT(start != NULL);
    end = strstr(start, "\n  Replay:");
    return test_keep(end ? strndup(start, (size_t)(end - start)) : strdup(start));
}

/* Drop what differs between a search and a replay: explanations, and the end. */
static void drop_remarks(char *text)
{
    static const char *const remarks[] = {"   fails for any", "   any value fails",
                                          "   no other value", "   other values in"};
    char *tail = strstr(text, "\n\n1 failed");

    for (size_t i = 0; i < sizeof remarks / sizeof *remarks; i++)
        for (char *at; (at = strstr(text, remarks[i]));)
            memmove(at, at + strcspn(at, "\n"), strlen(at + strcspn(at, "\n")) + 1);
    if ((tail = strstr(text, "0 passed")))
        *tail = '\0';
    while (*text && text[strlen(text) - 1] == '\n')
        text[strlen(text) - 1] = '\0';
}

/* Fails with this headline and this value, and again from its own line. */
static char *expect_failure(const char *name, const char *options, const char *headline,
                            const char *value)
{
    int status;
    char *report = try_one(&status, name, options), *again, *token, *first, *second;

    EXPECT_EQ(status, 1);
    EXPECT_CONTAINS(report, headline);
    EXPECT_CONTAINS(report, value);
    token = token_in(report);
    again = run(&status, "cd \"$SOURCE\" && \"$BUILD/zoo/faults\" --regressions none --replay %s",
                token);
    EXPECT_EQ(status, 1);
    first = failure_in(report);
    second = failure_in(again);
    drop_remarks(first);
    drop_remarks(second);
    EXPECT_STR(second, first);
    return report;
}

TEST(a_failing_check_is_shown_with_its_values_and_replays)
{
    char *report = expect_failure("fails_a_check", "", "rdl_check_lt(n, 300)", "n = 300");

    EXPECT_CONTAINS(report, "left:  300\n");
    EXPECT_CONTAINS(report, "right: 300\n");
    EXPECT_CONTAINS(report, "n squared is 90000\n");
    EXPECT_CONTAINS(report, "fails for any n >= 300\n");
}

TEST(a_crash_is_a_failure_that_shrinks_and_replays)
{
    char *report;

    if (has_sanitizer())
        return;
    report = expect_failure(
        "crashes", "", "crashed with SIGSEGV in rdl_property_crashes at tests/zoo/faults.c:38\n",
        "n = 300");
    EXPECT_CONTAINS(report, "| about to look at 0\n");
}

TEST(an_abort_is_a_failure_that_shrinks_and_replays)
{
    char *report = expect_failure(
        "aborts", "", "crashed with SIGABRT in rdl_property_aborts at tests/zoo/faults.c:45\n",
        "n = 300");

    EXPECT_CONTAINS(report, "| cannot go on\n");
}

TEST(an_exit_is_a_failure_whatever_its_status)
{
    expect_failure("exits", "", "exited with status 3 in the middle of a case", "n = 300");
    expect_failure("exits_with_zero", "", "exited with status 0 in the middle of a case",
                   "n = 300");
}

TEST(a_hang_is_a_failure_that_shrinks_and_replays)
{
    expect_failure(
        "hangs", "",
        "did not end within 200 ms in rdl_property_hangs at tests/zoo/faults.c:", "n = 300");
}

TEST(a_smashed_stack_is_a_failure_that_shrinks_and_replays)
{
    if (has_sanitizer())
        return;
    expect_failure("smashes_its_stack", "", "crashed with SIG", "n = 300");
}

TEST(a_stack_that_is_used_up_is_a_failure_that_shrinks_and_replays)
{
    if (has_sanitizer())
        return;
    expect_failure("uses_up_its_stack", "",
                   "crashed with SIGSEGV in recurse (faults), for want of stack\n", "n = 300");
}

TEST(a_check_on_another_thread_fails_the_case)
{
    expect_failure("fails_on_another_thread", "", "rdl_check_lt(*(int64_t *)n, 300)", "n = 300");
    expect_failure("fails_on_another_thread", "--no-fork", "rdl_check_lt(*(int64_t *)n, 300)",
                   "n = 300");
}

TEST(what_was_deferred_is_done_after_a_failure_last_first)
{
    char *report = expect_failure("undoes_what_it_did", "", "rdl_check(n < 300)", "n = 300");

    EXPECT_CONTAINS(report, "undone: second\n    undone: first\n");
}

TEST(a_failure_that_does_not_repeat_is_told_and_not_shrunk)
{
    int status;
    char *report = try_one(&status, "remembers_other_cases", "");

    EXPECT_EQ(status, 1);
    EXPECT_CONTAINS(report, "does not fail every time");
    EXPECT_CONTAINS(report, "outlives a case");
    EXPECT_LACKS(report, "shrunk from");
}

TEST(the_first_event_that_differs_is_named)
{
    int status;
    char *report = try_one(&status, "depends_on_the_process", "");

    EXPECT_EQ(status, 1);
    EXPECT_CONTAINS(report, "event 2 was `process ");
    report = try_one(&status, "draws_by_the_process", "");
    EXPECT_EQ(status, 1);
    EXPECT_CONTAINS(report, "choice 1, which was an integer out of ");
}

TEST(several_bugs_are_told_apart_and_counted)
{
    int status;
    char *report = try_one(&status, "has_three_bugs", "--more-bugs --cases 3000");

    EXPECT_EQ(status, 1);
    EXPECT_CONTAINS(report, "Failure 3 of 3");
    EXPECT_CONTAINS(report, "n = 101");
    EXPECT_CONTAINS(report, "n = 50000");
    EXPECT_CONTAINS(report, "n = 90001");
    EXPECT_CONTAINS(report, "more times.");
    report = try_one(&status, "has_three_bugs", "");
    EXPECT_LACKS(report, "Failure 2");
    report = try_one(&status, "crashes_always", "--more-bugs --cases 20");
    EXPECT_CONTAINS(report, "Met 19 more times.");
}

TEST(more_jobs_find_the_same)
{
    int status;
    char *one = try_one(&status, "fails_a_check", "--jobs 1");
    char *two = try_one(&status, "fails_a_check", "--jobs 3");

    EXPECT_STR(failure_in(two), failure_in(one));
    EXPECT_STR(token_in(two), token_in(one));
    two = try_one(&status, "passes", "--jobs 3 --cases 50000");
    EXPECT_CONTAINS(two, "50,000 cases");
}

TEST(the_same_seed_gives_the_same_report)
{
    int status;

    EXPECT_STR(
        run(&status, "cd \"$SOURCE\" && \"$BUILD/zoo/faults\" --seed 7 --regressions none "
                     "--filter -process --filter -hang --filter -remembers "
                     "--filter -interrupts,-crashes,-smashes,-uses_up | sed 's/, [0-9.]* s//'"),
        run(&status, "cd \"$SOURCE\" && \"$BUILD/zoo/faults\" --seed 7 --regressions none "
                     "--filter -process --filter -hang --filter -remembers "
                     "--filter -interrupts,-crashes,-smashes,-uses_up | sed 's/, [0-9.]* s//'"));
}

TEST(statuses_say_what_happened)
{
    int status;

    try_one(&status, "passes", "");
    EXPECT_EQ(status, 0);
    EXPECT_CONTAINS(try_one(&status, "is_skipped", ""), "there is no such device");
    EXPECT_EQ(status, 77);
    EXPECT_CONTAINS(try_one(&status, "skips_itself", ""), "only on Sundays");
    EXPECT_EQ(status, 77);
    try_one(&status, "expects_to_fail", "");
    EXPECT_EQ(status, 0);
    EXPECT_CONTAINS(try_one(&status, "expects_to_fail_in_vain", ""), "a failure was expected");
    EXPECT_EQ(status, 1);
    EXPECT_CONTAINS(try_one(&status, "misuses_raddle", ""), "no number lies between 5 and 4");
    EXPECT_EQ(status, 2);
    try_one(&status, "has_a_fixture", "");
    EXPECT_EQ(status, 0);
    try_one(&status, "reads_its_input", "");
    EXPECT_EQ(status, 0);
}

TEST(processes_that_do_not_end_by_themselves_are_ended)
{
    int status;

    try_one(&status, "forks_and_returns", "");
    EXPECT_EQ(status, 0);
    try_one(&status, "never_stops_tearing_down", "");
    EXPECT_EQ(status, 0);
    run(&status, "pgrep -f 'filter =(forks_and_return[s]|never_stops_tearing_dow[n])'");
    EXPECT_EQ(status, 1);
}

TEST(a_case_that_closes_our_descriptors_is_told_from_one_that_fails)
{
    int status;

    expect_failure("closes_what_is_not_its_own", "--cases 500", "rdl_check(n < 400)", "n = 400");
    EXPECT_CONTAINS(try_one(&status, "closes_them_and_goes_on", ""),
                    "a case has closed file descriptors that are not its own");
    EXPECT_EQ(status, 2);
}

TEST(two_checks_in_a_line_are_two_bugs)
{
    int status;
    char *report = try_one(&status, "has_two_bugs_in_a_line", "--more-bugs");

    EXPECT_CONTAINS(report, "Failure 2 of 2");
    EXPECT_CONTAINS(report, "n = 300");
    EXPECT_CONTAINS(report, "n = 601");
}

TEST(numbers_are_compared_as_they_are)
{
    int status;

    try_one(&status, "compares_numbers_as_they_are", "");
    EXPECT_EQ(status, 0);
}

TEST(runs_that_test_little_are_told)
{
    int status;

    EXPECT_CONTAINS(try_one(&status, "discards_nearly_all", ""), "warning: ");
    EXPECT_EQ(status, 0);
    EXPECT_CONTAINS(try_one(&status, "discards_all", ""), "nothing was tested");
    EXPECT_EQ(status, 2);
    EXPECT_CONTAINS(try_one(&status, "is_never_full", ""), "5% are required");
    EXPECT_EQ(status, 1);
}

TEST(labels_and_measures_are_shown)
{
    int status;
    char *report = try_one(&status, "has_statistics", "");

    EXPECT_EQ(status, 0);
    EXPECT_CONTAINS(report, "%  large (at least 1%)\n");
    EXPECT_CONTAINS(report, "%  even\n");
    EXPECT_CONTAINS(report, "100.0%  <all & sundry>\n");
    EXPECT_CONTAINS(report, "n: 0 to ");
}

TEST(few_cases_are_all_tried)
{
    int status;

    EXPECT_CONTAINS(try_one(&status, "has_few_cases", ""), "all 20 cases");
    EXPECT_EQ(status, 0);
    expect_failure("fails_in_one_of_few_cases", "", "rdl_check", "n = 41");
}

TEST(a_target_is_climbed_to)
{
    expect_failure("opens_a_lock", "--cases 100000", "rdl_check(right < 10)", "rdl_int = 3");
}

TEST(an_interrupted_search_says_so)
{
    int status;
    char *report = try_one(&status, "interrupts_the_search", "--cases 100000000");

    EXPECT_EQ(status, 130);
    EXPECT_CONTAINS(report, "interrupted after");
}

TEST(interrupted_shrinking_shows_the_best_so_far)
{
    int status;
    char *report = run(&status, "cd \"$SOURCE\" && ONCE=$(mktemp) \"$BUILD/zoo/faults\" --seed 1 "
                                "--filter =interrupts_shrinking --regressions none");
    char *token;

    EXPECT_EQ(status, 1);
    EXPECT_CONTAINS(report, "(not to the end)");
    EXPECT_CONTAINS(report, "xs = {");
    token = token_in(report);
    report = run(&status, "cd \"$SOURCE\" && \"$BUILD/zoo/faults\" --replay %s", token);
    EXPECT_EQ(status, 1);
    EXPECT_CONTAINS(report, "rdl_check(n < 20)");
}

TEST(what_a_case_forks_ends_with_it)
{
    int status;
    char *report = try_one(&status, "leaves_children", "");

    EXPECT_EQ(status, 1);
    EXPECT_CONTAINS(report, "exited with status 5");
    run(&status, "pgrep -f 'filter =leaves_childre[n]'");
    EXPECT_EQ(status, 1);
}

TEST(tokens_that_do_not_fit_are_errors)
{
    int status;
    char *token = token_in(try_one(&status, "changes_shape", "")), *report;

    report = run(&status, "OTHER_SHAPE=1 \"$BUILD/zoo/faults\" --replay %s", token);
    EXPECT_EQ(status, 2);
    EXPECT_CONTAINS(report, "does not fit the test any more");
    report = run(&status, "MORE_CHOICES=1 \"$BUILD/zoo/faults\" --replay %s", token);
    EXPECT_EQ(status, 2);
    EXPECT_CONTAINS(report, "does not fit the test any more");
    report = run(&status, "DISCARD=1 \"$BUILD/zoo/faults\" --replay %s",
                 token_in(try_one(&status, "is_discarded_later", "")));
    EXPECT_EQ(status, 2);
    EXPECT_CONTAINS(report, "is discarded now");
    report = run(&status, "\"$BUILD/zoo/faults\" --replay %.20s", token);
    EXPECT_EQ(status, 2);
    EXPECT_CONTAINS(report, "damaged");
    report = run(&status, "\"$BUILD/zoo/faults\" --replay rdl1.nobody.AAAA");
    EXPECT_EQ(status, 2);
    report = run(&status, "\"$BUILD/zoo/faults\" --replay @/no/such/file");
    EXPECT_EQ(status, 2);
    EXPECT_CONTAINS(report, "/no/such/file");
    report = run(&status, "\"$BUILD/bin/raddle\" token %s", token);
    EXPECT_EQ(status, 0);
    EXPECT_CONTAINS(report, "test     changes_shape\n");
    EXPECT_CONTAINS(report, "choices  1: 300\n");
}

TEST(wrong_options_are_told_with_status_2)
{
    static const char *const wrong[] = {
        "--sed 1",
        "--seed x",
        "--seed -1",
        "--seed",
        "--cases 0",
        "--cases 1e3",
        "--jobs 1000",
        "--shard 0/2",
        "--shard 3/2",
        "--shard x",
        "--time 0",
        "--time x",
        "--format xml",
        "--output x",
        "--format tap --format json",
        "--filter nobody",
        "hello",
        "--list=yes",
        "--timeout 0",
        "--color blue",
        "--shrink",
        "--regressions /no/such/folder",
        "--seed 99999999999999999999999",
        "--bytes /no/such --filter =passes",
        "--format tap --output /no/such/folder/x",
    };

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        int status;
        char *report = run(&status, "\"$BUILD/zoo/faults\" %s", wrong[i]);

        if (status != 2)
            printf("%s\n", wrong[i]);
        EXPECT_EQ(status, 2);
        EXPECT_CONTAINS(report, "faults: ");
    }
}

TEST(a_misspelt_option_gets_a_suggestion)
{
    int status;

    EXPECT_CONTAINS(run(&status, "\"$BUILD/zoo/faults\" --sed 1"), "did you mean --seed?");
    EXPECT_CONTAINS(run(&status, "RADDLE_SEED=x \"$BUILD/zoo/faults\""), "RADDLE_SEED: 'x'");
    EXPECT_EQ(status, 2);
}

TEST(shards_share_the_tests_among_them)
{
    int status;
    char *all = run(&status, "\"$BUILD/zoo/faults\" --list | sort");
    char *parts =
        run(&status, "(for i in 1 2 3; do \"$BUILD/zoo/faults\" --list --shard $i/3; done)"
                     " | sort");
    char *gtest = run(&status, "(for i in 0 1 2; do GTEST_TOTAL_SHARDS=3 GTEST_SHARD_INDEX=$i "
                               "\"$BUILD/zoo/faults\" --list; done) | sort");

    EXPECT_STR(parts, all);
    EXPECT_STR(gtest, all);
}

TEST(filters_choose_by_name_part_and_tag)
{
    int status;

    EXPECT_STR(run(&status, "\"$BUILD/zoo/faults\" --list --filter '#quick'"),
               "passes  #good quick\n");
    EXPECT_STR(run(&status, "\"$BUILD/zoo/faults\" --list --filter =aborts,=exits"),
               "aborts\nexits\n");
    EXPECT_STR(run(&status, "\"$BUILD/zoo/faults\" --list --filter exits --filter -zero"),
               "exits\n");
}

TEST(json_has_what_machines_need)
{
    int status;
    char *text =
        run(&status, "cd \"$SOURCE\" && \"$BUILD/zoo/faults\" --seed 1 --regressions none "
                     "--filter =fails_a_check,=passes --format json | python3 -c '"
                     "import json, sys\n"
                     "for line in sys.stdin:\n"
                     "    o = json.loads(line)\n"
                     "    print(o[\"test\"], o[\"verdict\"], o[\"kind\"], o[\"cases\"] > 0, "
                     "o[\"discards\"], o[\"seconds\"] >= 0, bool(o[\"token\"]), "
                     "o[\"shrink\"][\"attempts\"] > 0, o[\"shrink\"][\"seconds\"] >= 0, "
                     "o[\"labels\"])'");

    EXPECT_STR(text, "passes pass None True 0 True False False True []\n"
                     "fails_a_check fail check True 0 True True True True []\n");
}

TEST(several_reports_are_written_at_once)
{
    int status;
    char *text = run(
        &status, "d=$(mktemp -d) && cd $d && \"$BUILD/zoo/faults\" --filter =passes --format tap "
                 "--output t --format junit --output x --format json --output j --html h; "
                 "echo; cat t; xmllint --noout x && python3 -m json.tool j > /dev/null && "
                 "grep -c '<html' h; rm -r $d");

    EXPECT_CONTAINS(text, "ok     passes");
    EXPECT_CONTAINS(text, "TAP version 14\n1..1\nok 1 - passes\n1\n");
}

TEST(earlier_failures_are_kept_and_tried_first)
{
    int status;
    char *text = run(
        &status, "d=$(mktemp -d) && cd \"$SOURCE\" && r=\"$BUILD/zoo/faults --regressions $d\"\n"
                 "$r --filter =fails_a_check --seed 1 > /dev/null\n"
                 "cat $d/faults.raddle\n"
                 "echo 'rdl1.fails_a_check.damaged # mine' >> $d/faults.raddle\n"
                 "$r --filter =fails_a_check --seed 2\n"
                 "OTHER_SHAPE=1 $r --filter =changes_shape --seed 1 > /dev/null\n"
                 "$r --filter =changes_shape --seed 1\n"
                 "grep -c '# mine' $d/faults.raddle; rm -r $d");

    EXPECT_CONTAINS(text, "rdl1.fails_a_check.");
    EXPECT_CONTAINS(text, "# rdl_check_lt(n, 300)\n");
    EXPECT_CONTAINS(text, "found  fails_a_check by a regression file");
    EXPECT_CONTAINS(text, "faults.raddle:3: skipped: the token is damaged");
    EXPECT_CONTAINS(text, "does not fit the test any more, so it says nothing");
    EXPECT_CONTAINS(text, "\n1\n");
}

TEST(nothing_is_printed_but_the_report)
{
    int status;

    EXPECT_LACKS(try_one(&status, "crashes", "--format json"), "\nabout to look");
    EXPECT_STR(try_one(&status, "passes", "--quiet"), "");
    EXPECT_CONTAINS(try_one(&status, "crashes", "--no-capture"), "about to look at");
}

TEST(a_quiet_run_prints_failures_and_nothing_else)
{
    int status;
    char *text = run(&status, "\"$BUILD/zoo/faults\" --filter =passes,=fails_a_check --seed 1 "
                              "--regressions none --verbose --quiet");

    EXPECT_EQ(status, 1);
    EXPECT(strncmp(text, "FAIL   fails_a_check", 20) == 0);
    EXPECT_CONTAINS(text, "--replay rdl1.fails_a_check.");
    EXPECT_LACKS(text, "found");
    EXPECT_LACKS(text, "passe");
    EXPECT_LACKS(text, "seed 1\n");
    text = run(&status, "\"$BUILD/bin/raddle\" run \"$BUILD/zoo/faults\" \"$BUILD/zoo/faults\" -- "
                        "--filter =passes --quiet");
    EXPECT_STR(text, "");
    EXPECT_EQ(status, 0);
    text = run(&status, "RADDLE_QUIET=1 \"$BUILD/bin/raddle\" run \"$BUILD/zoo/faults\" "
                        "\"$BUILD/zoo/faults\" -- --filter =passes --verbose");
    EXPECT_CONTAINS(text, "1 passed, 0 failed");
}

TEST(a_verbose_run_tells_how_a_case_shrank)
{
    int status;
    char *text = run(&status, "cd \"$SOURCE\" && \"$BUILD/examples/reverse\" --regressions none "
                              "--quiet --verbose --seed 1");

    EXPECT_CONTAINS(text, "\n  Shrinking: ");
    EXPECT_CONTAINS(text, " after ");
    EXPECT_CONTAINS(text, "seed 1\n");
    EXPECT_LACKS(try_one(&status, "fails_a_check", "--seed 1"), "Shrinking");
}

/* One test after the other is explored by the same process then, each from its beginning. */
TEST(in_one_process_each_test_is_explored_as_in_one_of_its_own)
{
    static const char verdicts[] =
        "cd \"$SOURCE\" && " /* where it finds the names of draws */
        "\"$BUILD/zoo/schedules\" --seed 1 --regressions none --shrink-runs 1 --format tap "
        "--filter -crashes --filter -asserts %s | grep '^ok\\|^not ok'";
    char *apart = run(NULL, verdicts, "");

    EXPECT_CONTAINS(apart, "not ok 1 - deposits_add_up\n");
    EXPECT_CONTAINS(apart, "not ok 14 - payments_add_up\n");
    EXPECT_STR(run(NULL, verdicts, "--no-fork"), apart);
}

TEST(in_one_process_each_test_covers_as_much_as_in_one_of_its_own)
{
    static const char covered[] =
        "\"$BUILD/zoo/schedules\" --seed 1 --regressions none --shrink-runs 1 --format json "
        "--filter -crashes --filter -asserts --strategy %s | grep -o '\"covered\":{[^}]*}'";
    static const char *const strategies[] = {"dfs", "dpor", "random", "pos", "portfolio"};

    for (size_t i = 0; i < sizeof strategies / sizeof *strategies; i++) {
        char here[64];
        char *apart = run(NULL, covered, strategies[i]);

        snprintf(here, sizeof here, "%s --no-fork", strategies[i]);
        EXPECT_CONTAINS(apart, "\"covered\":{\"complete\":");
        EXPECT_STR(run(NULL, covered, here), apart);
    }
}

TEST(without_forking_a_check_fails_alike)
{
    int status;

    EXPECT_STR(failure_in(try_one(&status, "fails_a_check", "--no-fork")),
               failure_in(try_one(&status, "fails_a_check", "")));
}

TEST(help_and_version_are_there)
{
    int status;

    EXPECT_CONTAINS(run(&status, "\"$BUILD/zoo/faults\" --help"), "--replay TOKEN");
    EXPECT_EQ(status, 0);
    EXPECT_CONTAINS(run(&status, "\"$BUILD/zoo/faults\" --version"), "raddle 0.");
    EXPECT_EQ(status, 0);
    EXPECT_CONTAINS(run(&status, "\"$BUILD/bin/raddle\" --help"), "token");
    EXPECT_EQ(status, 0);
    EXPECT_CONTAINS(run(&status, "\"$BUILD/bin/raddle\" bogus"), "unknown command");
    EXPECT_EQ(status, 2);
}

TEST(raddle_run_sums_up_several_programs)
{
    int status;

    run(&status, "\"$BUILD/bin/raddle\" run \"$BUILD/zoo/faults\" \"$BUILD/zoo/faults\" -- "
                 "--filter =passes");
    EXPECT_EQ(status, 0);
    run(&status, "\"$BUILD/bin/raddle\" run \"$BUILD/zoo/faults\" -- --filter =aborts "
                 "--regressions none");
    EXPECT_EQ(status, 1);
    run(&status, "\"$BUILD/bin/raddle\" run /no/such/program");
    EXPECT_EQ(status, 2);
    run(&status, "\"$BUILD/bin/raddle\" run \"$BUILD/zoo/faults\" -- --filter =is_skipped");
    EXPECT_EQ(status, 77);
}
