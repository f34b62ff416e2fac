/* test_requirements.c -- requirements as users see them: tests/specs/requirements. */
#include <stdlib.h>

#include "harness.h"

static char *try(int *out_status, const char *options)
{
    return run(out_status, "\"$BUILD/specs/requirements\" --regressions none --seed 1 %s", options);
}

/* What a report has between two texts. */
static char *between(const char *report, const char *start, const char *end)
{
    const char *from = strstr(report, start), *to;

    if (!from)
        test_fail(__FILE__, __LINE__, "\"%s\" is not in\n%s", start, report);
    from += strlen(start);
    to = strstr(from, end);
    EXPECT(to);
    return test_keep(strndup(from, (size_t)(to - from)));
}

TEST(a_report_says_how_many_requirements_were_exercised_and_which_never)
{
    int status;
    char *report = try(&status, "");

    EXPECT_EQ(status, 0);
    EXPECT_CONTAINS(report, "requirements: 7 of 11 exercised; never: BOX_4, BOX_9, COIN_TAILS, "
                            "PLAIN_DISCARDED\n");
    EXPECT_LACKS(try(&status, "--quiet"), "requirements");
}

TEST(programs_without_requirements_say_nothing_of_them)
{
    int status;

    EXPECT_LACKS(run(&status, "\"$BUILD/specs/bugs\" --regressions none --filter =a_stack"),
                 "requirements");
}

TEST(the_smallest_case_is_told_and_its_token_replays_it)
{
    const char *story = "      #1 = put(0) -> true\n"
                        "      #2 = put(0) -> true\n"
                        "      #3 = put(0) -> false\n";
    int status;
    char *report = try(&status, "--requirements"), *part, *again;

    EXPECT_EQ(status, 0);
    EXPECT_CONTAINS(report, "  BOX_2: A full box refuses.\n");
    part = between(report, "BOX_2: A full box refuses.\n", "\n\n");
    EXPECT_CONTAINS(part, "cases of a_box, a_box_for_many, a_box_used_freely\n");
    EXPECT_CONTAINS(part, story);
    again = run(&status, "\"$BUILD/specs/requirements\" --regressions none --replay %s",
                strrchr(part, ' ') + 1);
    EXPECT_EQ(status, 0);
    EXPECT_CONTAINS(again, "this case passes");
    EXPECT_CONTAINS(again, "    #3 = put(0) -> false\n");
    EXPECT_CONTAINS(again, "It exercises: ");
    EXPECT_CONTAINS(again, "BOX_2");
    EXPECT_CONTAINS(between(report, "  BOX_9: Nobody speaks of this one.\n", "\n\n"), "never");
}

TEST(the_smallest_case_is_the_same_whatever_the_seed)
{
    int status;
    char *one = between(run(&status, "\"$BUILD/specs/requirements\" --regressions none --seed 2 "
                                     "--requirements"),
                        "BOX_3\n", "\n\n");
    char *two = between(run(&status, "\"$BUILD/specs/requirements\" --regressions none --seed 3 "
                                     "--requirements --jobs 2"),
                        "BOX_3\n", "\n\n");

    EXPECT_STR(strstr(one, "      #1"), strstr(two, "      #1"));
}

TEST(what_the_judge_only_tries_does_not_count)
{
    int status;
    char *report = try(&status, "--requirements --filter a_coin");

    EXPECT_CONTAINS(between(report, "COIN_TAILS\n", "\n\n"), "never");
    EXPECT_CONTAINS(between(report, "COIN_HEADS\n", "\n\n"),
                    "of a_coin_of_two_heads, a_coin_of_two_heads_flipped_by_many");
}

TEST(a_run_that_leaves_one_out_fails_if_all_are_required)
{
    int status;

    EXPECT_CONTAINS(try(&status, "--require-all"), "all requirements are to be exercised");
    EXPECT_EQ(status, 1);
}

TEST(the_table_goes_to_a_file)
{
    int status;
    char *report = run(&status, "cd \"$(mktemp -d)\" && \"$BUILD/specs/requirements\" "
                                "--regressions none --seed 1 --requirements=table && "
                                "echo FILE && cat table && rm table && rmdir \"$PWD\"");

    EXPECT_EQ(status, 0);
    EXPECT_LACKS(between(report, "ok ", "FILE"), "BOX_0: There is a box.");
    EXPECT_CONTAINS(strstr(report, "FILE"), "BOX_0: There is a box.");
    EXPECT_CONTAINS(try(&status, "--requirements=/no/such/folder/table --filter =a_box"),
                    "cannot write /no/such/folder/table");
    EXPECT_EQ(status, 2);
}

TEST(json_has_all_of_them)
{
    int status;
    char *report = run(&status, "\"$BUILD/specs/requirements\" --regressions none --seed 1 "
                                "--requirements --format json | python3 -c '\n"
                                "import json, sys\n"
                                "lines = [json.loads(line) for line in sys.stdin]\n"
                                "all = {r[\"id\"]: r for r in lines[-1][\"requirements\"]}\n"
                                "box = [l for l in lines if l.get(\"test\") == \"a_box\"][0]\n"
                                "mine = {r[\"id\"]: r[\"cases\"] for r in box[\"requirements\"]}\n"
                                "print(len(all), sorted(mine), mine[\"BOX_0\"])\n"
                                "print(all[\"BOX_4\"][\"token\"], len(all[\"BOX_2\"][\"story\"]))\n"
                                "print(all[\"BOX_2\"][\"text\"], all[\"BOX_2\"][\"tests\"])'\n");

    EXPECT_STR(report, "11 ['BOX_0', 'BOX_1', 'BOX_2', 'BOX_3', 'BOX_5'] 200\n"
                       "None 3\n"
                       "A full box refuses. ['a_box', 'a_box_for_many', 'a_box_used_freely']\n");
}
