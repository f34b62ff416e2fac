/* test_drive_model.c -- RDL_TEST_MODEL as its users see it: tests/specs/model.c.
 * ctest: long */
#include <stdio.h>
#include <stdlib.h>

#include "harness.h"

static char *try(int *out_status, const char *name, const char *options)
{
    return run(out_status, "\"$BUILD/specs/model\" --filter =%s --regressions none %s", name,
               options);
}

/* From seed 1: it passes. */
static char *passes(const char *name, const char *options)
{
    char *report, *seeded;
    int status;

    EXPECT(asprintf(&seeded, "--seed 1 %s", options) >= 0);
    report = try(&status, name, seeded);
    free(seeded);
    if (status != 0)
        test_fail(__FILE__, __LINE__, "%s does not pass:\n%s", name, report);
    return report;
}

/* What is between two texts in a report; it is cut off after it. */
static char *between(char *report, const char *start, const char *end)
{
    char *from = strstr(report, start), *to;

    if (!from)
        test_fail(__FILE__, __LINE__, "\"%s\" is not in\n%s", start, report);
    from += strlen(start);
    to = strstr(from, end);
    EXPECT(to);
    *to = '\0';
    return from;
}

/* It fails with this headline and story, and once more from its token. */
static char *fails(const char *name, const char *headline, const char *story)
{
    char *report, *copy, *again, *token;
    int status;

    report = try(&status, name, "--seed 1");
    EXPECT_EQ(status, 1);
    EXPECT_CONTAINS(report, headline);
    EXPECT_CONTAINS(report, story);
    copy = strdup(report);
    token = between(copy, "--replay ", "\n");
    again = run(&status, "\"$BUILD/specs/model\" --regressions none --replay %s", token);
    free(copy);
    EXPECT_EQ(status, 1);
    EXPECT_CONTAINS(again, headline);
    EXPECT_CONTAINS(again, story);
    return report;
}

static void is_misused(const char *name, const char *message)
{
    int status;
    char *report = try(&status, name, "--seed 1");

    EXPECT_EQ(status, 2);
    EXPECT_CONTAINS(report, "ERROR");
    EXPECT_CONTAINS(report, message);
}

/* How often the operation was called, as JSON has it. */
static long calls_of(const char *json, const char *operation)
{
    char key[100];
    const char *at;

    snprintf(key, sizeof key, "{\"operation\":\"%s\",\"calls\":", operation);
    at = strstr(json, key);
    if (!at)
        test_fail(__FILE__, __LINE__, "%s is not in\n%s", key, json);
    return atol(at + strlen(key));
}

/* ---- What is found ------------------------------------------------------------------------- */

TEST(an_answer_that_is_not_the_models_is_a_failure_with_its_story)
{
    char *report = fails("looks_empty_when_full", "an answer is not the model's", "put(");

    EXPECT_CONTAINS(report, "size() answered 0; the model says 3\n");
    EXPECT_CONTAINS(report, "state before it: {fifo = [");
    EXPECT_CONTAINS(report, " = size() -> 0\n");
}

TEST(an_invariant_that_does_not_hold_is_a_failure)
{
    fails("breaks_the_invariant", "the invariant of the spec does not hold", "put(");
}

TEST(code_that_looks_unlike_the_model_is_a_failure)
{
    fails("does_not_agree", "it does not agree with the model", "put_cut(51)\n");
    passes("agrees", "");
}

TEST(answers_that_cannot_be_foretold_are_judged)
{
    passes("never_twice_the_same", "");
    fails("fifth_is_the_first_again", "an answer is not one that the model allows",
          "#4 = new() -> 21\n    #5 = new() -> 0\n");
}

TEST(of_several_things_that_may_happen_any_is_right)
{
    passes("ones_after_noughts", "");
    fails("nought_after_a_one", "an answer is not one that the model allows",
          "#3 = toss() -> 1\n    #4 = toss() -> 0\n");
}

TEST(answers_of_earlier_calls_are_arguments_of_later_ones)
{
    passes("writes_well", "");
    fails("third_write_fails", "answered 0; the model says 3", " = open() -> a file\n");
}

TEST(the_answer_of_a_call_that_never_was_is_an_error_that_says_where)
{
    is_misused("asks_for_a_call_that_never_was", "tests/specs/model.c:");
    is_misused("asks_for_a_call_that_never_was", "rdl_result: there is no call #99\n");
    is_misused("asks_for_another_type",
               "rdl_result: call #1, of open, answers something of 8 bytes, not 2\n");
}

TEST(a_model_that_is_too_small_is_an_error_that_says_where_and_how_small)
{
    is_misused(
        "puts_too_many_into_its_model",
        "tests/specs/model.c:54: rdl_fifo_put(&s->fifo): it is full, with a capacity of 3\n");
}

TEST(the_monitor_that_a_spec_makes_is_what_its_model_says)
{
    passes("of_itself", "");
}

/* ---- What it shrinks to --------------------------------------------------------------------- */

static void shrinks_to_the_same(const char *name, const char *story)
{
    for (int seed = 1; seed <= 20; seed++) {
        char options[20];
        int status;

        snprintf(options, sizeof options, "--seed %d", seed);
        EXPECT_CONTAINS(try(&status, name, options), story);
        EXPECT_EQ(status, 1);
    }
}

TEST(from_any_seed_a_case_shrinks_to_the_same)
{
    shrinks_to_the_same("looks_empty_when_full",
                        "\n\n    put(0)\n    put(0)\n    put(0)\n    #4 = size() -> 0\n\n");
    shrinks_to_the_same("who_calls_is_told",
                        "\n\n    1: odd(100)\n    1: odd(101)\n    1: odd(102)\n\n");
}

TEST(whatever_else_was_opened_is_left_out)
{
    shrinks_to_the_same("third_write_fails",
                        "\n\n    #1 = open() -> a file\n    #2 = write(#1) -> 1\n"
                        "    #3 = write(#1) -> 2\n    #4 = write(#1) -> 0\n\n");
}

/* ---- What is called ------------------------------------------------------------------------- */

/* The ring aborts when a call would have to wait. */
TEST(calls_that_would_have_to_wait_are_not_made)
{
    char *json = passes("wraps", "--format json");

    EXPECT(calls_of(json, "put") > 1000);
    EXPECT(calls_of(json, "get") > 1000);
}

TEST(a_case_has_as_many_calls_as_it_says)
{
    char *json = passes("seven_each", "--format json --cases 100");
    long all;

    EXPECT_EQ(calls_of(json, "put") + calls_of(json, "get") + calls_of(json, "true_size"), 700);
    json = passes("twenty_to_thirty", "--format json --cases 100");
    all = calls_of(json, "put") + calls_of(json, "get") + calls_of(json, "true_size");
    EXPECT(all >= 2000 && all <= 3000);
}

TEST(an_operation_of_nine_times_the_weight_is_called_nine_times_as_often)
{
    char *json = passes("nine_to_one", "--format json");

    EXPECT(calls_of(json, "often") > 8700 && calls_of(json, "often") < 9300);
    EXPECT_EQ(calls_of(json, "often") + calls_of(json, "seldom"), 10000);
}

/* They abort if they are called by others, or too often. */
TEST(operations_are_called_when_the_state_and_by_whom_the_clients_let_them)
{
    char *json = passes("some_may_not", "--format json");

    EXPECT(calls_of(json, "early") > 0);
    EXPECT(calls_of(json, "odd") > 0);
}

TEST(of_several_clients_each_has_a_state_of_its_own_and_is_told_apart)
{
    char *report = fails("who_calls_is_told", "invariant", ": odd(");

    EXPECT(strstr(report, "    1: odd(100)\n") || strstr(report, "    3: odd(300)\n"));
    EXPECT_LACKS(report, "    0: ");
    EXPECT_LACKS(report, "    2: ");
}

TEST(the_calls_of_each_operation_are_told_to_who_asks)
{
    EXPECT_CONTAINS(passes("nine_to_one", "--verbose"),
                    "10,000 calls: often 89.9%, seldom 10.1%\n");
    EXPECT_LACKS(passes("nine_to_one", ""), "calls");
}

/* ---- What is not called ------------------------------------------------------------------- */

static long recorded(const char *path)
{
    FILE *file = fopen(path, "r");
    long count;

    EXPECT(file);
    EXPECT_EQ(fread(&count, sizeof count, 1, file), 1);
    fclose(file);
    return count;
}

/* Replay this with a model that does not let anything be put. */
TEST(what_the_model_rejects_costs_no_call)
{
    char path[] = "/tmp/raddle-record-XXXXXX", *report, *token;
    int status, file = mkstemp(path);

    EXPECT(file >= 0);
    report = try(&status, "looks_empty_when_full", "--seed 1");
    token = between(report, "--replay ", "\n");
    report = run(&status, "STRICT=1 RECORD=%s \"$BUILD/specs/model\" --replay %s", path, token);
    EXPECT_EQ(status, 2);
    EXPECT_CONTAINS(report, "the token does not fit the test any more: its case is discarded now");
    EXPECT_EQ(recorded(path), 0);
    run(&status, "RECORD=%s \"$BUILD/specs/model\" --replay %s", path, token);
    EXPECT_EQ(status, 1);
    EXPECT(recorded(path) >= 4);
    remove(path);
}

TEST(the_same_seed_makes_the_same_report)
{
    int status;
    char *one = try(&status, "third_write_fails", "--seed 5 --format json");
    char *other = try(&status, "third_write_fails", "--seed 5 --format json");

    EXPECT_STR(between(other, "\"token\":", ","), between(one, "\"token\":", ","));
}

TEST(calls_that_take_back_others_are_left_out)
{
    for (int seed = 1; seed <= 5; seed++) {
        char *report;
        int status;

        report = run(&status,
                     "\"$BUILD/specs/model\" --filter =a_rack_whose_last_place_is_lost "
                     "--regressions none --format json --seed %d",
                     seed);
        EXPECT_EQ(status, 1);
        EXPECT_CONTAINS(report, "\"phases\":80,");
    }
}
