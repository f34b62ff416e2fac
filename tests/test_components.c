/* test_components.c -- call-outs, stand-ins and clusters as their users see them:
 * tests/specs/components.c.
 * ctest: long */
#include <stdio.h>
#include <stdlib.h>

#include "harness.h"

static char *try(int *out_status, int manner, const char *name, const char *options)
{
    return run(out_status,
               "MANNER=%d \"$BUILD/specs/components\" --filter =%s --regressions none %s", manner,
               name, options);
}

static void passes(int manner, const char *name)
{
    int status;
    char *report = try(&status, manner, name, "--seed 1");

    if (status != 0)
        test_fail(__FILE__, __LINE__, "%s does not pass:\n%s", name, report);
}

/* It fails like this, and once more from its token. */
static char *fails(int manner, const char *name, const char *headline, const char *story)
{
    int status;
    char *report = try(&status, manner, name, "--seed 1"), *token, *again;

    EXPECT_EQ(status, 1);
    EXPECT_CONTAINS(report, headline);
    EXPECT_CONTAINS(report, story);
    token = test_keep(strdup(strstr(report, "--replay ") + strlen("--replay ")));
    *strchr(token, '\n') = '\0';
    again = run(&status, "MANNER=%d \"$BUILD/specs/components\" --regressions none --replay %s",
                manner, token);
    EXPECT_EQ(status, 1);
    EXPECT_CONTAINS(again, story);
    return report;
}

enum { RIGHT, PUTS_TWICE, FORGETS, PUTS_ANOTHER, TAKES_FIRST, IGNORES, PUTS_THOUGH_FULL };

static const char *const with_a_real_box[] = {"a_box_alone", "a_box_whose_store_plays",
                                              "the_box_is_real", "both_are_real"};

enum { WITH_A_REAL_BOX = sizeof with_a_real_box / sizeof *with_a_real_box };

TEST(components_that_keep_to_their_specs_pass)
{
    passes(RIGHT, "a_store");
    for (int i = 0; i < WITH_A_REAL_BOX; i++)
        passes(RIGHT, with_a_real_box[i]);
    passes(RIGHT, "the_specs_agree");
    passes(RIGHT, "the_store_is_real");
    passes(RIGHT, "a_call_that_begins_two_branches");
}

TEST(an_extra_call_is_unexpected)
{
    for (int i = 0; i < WITH_A_REAL_BOX; i++)
        fails(PUTS_TWICE, with_a_real_box[i], "an unexpected call", "put(13)");
    for (int i = 0; i < WITH_A_REAL_BOX; i++)
        fails(TAKES_FIRST, with_a_real_box[i], "an unexpected call", "store.take()");
    for (int i = 0; i < WITH_A_REAL_BOX; i++)
        fails(PUTS_THOUGH_FULL, with_a_real_box[i], "an unexpected call", "allowed now:");
}

TEST(a_missing_call_is_told)
{
    for (int i = 0; i < WITH_A_REAL_BOX; i++)
        fails(FORGETS, with_a_real_box[i], "a call is missing", "store.put(0)");
}

TEST(other_arguments_are_told_with_the_callers_line)
{
    for (int i = 0; i < WITH_A_REAL_BOX; i++)
        fails(PUTS_ANOTHER, with_a_real_box[i], "a call with other arguments",
              "store.put(50), called in box_put at ");
    fails(PUTS_ANOTHER, "a_box_alone", "a call with other arguments",
          "allowed now:\n        store.put(51)");
}

TEST(what_the_store_does_not_show_is_no_failure)
{
    for (int i = 0; i < WITH_A_REAL_BOX; i++)
        passes(IGNORES, with_a_real_box[i]);
}

static void by_hand(const char *how, int manner, const char *headline, const char *story)
{
    setenv("BY_HAND", how, 1);
    for (int i = 0; i < WITH_A_REAL_BOX; i++)
        fails(manner, with_a_real_box[i], headline, story);
    unsetenv("BY_HAND");
}

TEST(faults_of_functions_that_specs_play_are_injected)
{
    by_hand("injected", RIGHT, "an answer is not the model's", "store_put(thing = 0) -> 1, inject");
    by_hand("certain", RIGHT, "an answer is not the model's", "store_put(thing = 0) -> 1\n");
    by_hand("replaced", RIGHT, "an answer is not the model's", "store_put(thing = 0) -> 1\n");
}

/* Nothing was put into the store, which is known to who plays it. */
static const char *made_of(const char *how, const char *options)
{
    return run(NULL, "%s \"$BUILD/specs/made_of\" --seed 1 --regressions none %s", how, options);
}

TEST(an_operation_calls_what_those_call_that_it_is_made_of)
{
    const char *report = made_of("WRONG=forgets", "--filter =a_ledger");

    EXPECT_CONTAINS(made_of("", ""), "2 passed, 0 failed");
    EXPECT_CONTAINS(report, "a call is missing");
    EXPECT_CONTAINS(report, "ledger.enter_both has returned; missing:\n        bank.enter(");
    EXPECT_CONTAINS(made_of("AGAINST_PRE=1", ""),
                    "rdl_calls_of(ledger, enter): its precondition does not hold in this state");
}

TEST(a_spec_keeps_what_a_call_was_made_with)
{
    const char *report = made_of("WRONG='ends another'", "--filter =a_ledger");

    EXPECT_CONTAINS(report, "a call with other arguments");
    EXPECT_CONTAINS(report, "which calls bank.end(1)");
    EXPECT_CONTAINS(report, "allowed now:\n        bank.end(7)");
}

TEST(call_outs_are_calls)
{
    EXPECT_CONTAINS(made_of("WRONG='is no call'", "--filter =a_ledger"),
                    "call-outs are calls: this is none (rdl_call)");
    EXPECT_CONTAINS(made_of("WRONG=releases", "--filter =a_ledger"),
                    "allowed now:\n        nothing: all calls have been made");
}

TEST(a_call_that_is_answered_otherwise_has_no_effect)
{
    setenv("BY_HAND", "injected", 1);
    passes(IGNORES, "a_box_alone");
    fails(IGNORES, "a_box_whose_store_plays", "a component is called against its precondition",
          "box calls store.take(), whose precondition does not hold");
    unsetenv("BY_HAND");
}

TEST(a_call_that_is_answered_otherwise_has_to_be_in_order)
{
    setenv("BY_HAND", "agreeing", 1);
    fails(PUTS_ANOTHER, "a_box_alone", "a call with other arguments", "store.put(50), called in");
    unsetenv("BY_HAND");
}

TEST(functions_that_specs_play_are_spied_on)
{
    by_hand("spied", PUTS_TWICE, "an unexpected call", "store_put(thing = 13) -> 0\n");
}

TEST(values_are_shown_while_there_is_no_memory)
{
    by_hand("memory", PUTS_TWICE, "an unexpected call", "put(13)");
}

TEST(specs_that_disagree_are_told_without_any_code)
{
    fails(RIGHT, "the_specs_disagree", "a component is called against its precondition",
          "    boundless_box.open(1)\n"
          "      store.open(1)\n"
          "    boundless_box.put(0)\n"
          "      store.put(0) -> 0\n"
          "     -> 0\n"
          "    boundless_box.put(0)\n"
          "      store.put(0)\n");
    fails(RIGHT, "another_that_may_not_call", "a component is called by one that may not call it",
          "other_box calls store.open, which only these may: box boundless_box");
}

TEST(who_asks_for_the_impossible_is_told)
{
    int status;
    char *report = run(&status, "\"$BUILD/specs/components\" --filter =a_store --deviation nope");

    EXPECT_EQ(status, 2);
    EXPECT_CONTAINS(report, "only two fit");
}

/* What an operation does may depend on the answers to its call-outs; calls are bound by names. */
TEST(effects_may_depend_on_answers)
{
    static const char *const tests[] = {"a_wire_that_plays", "a_real_sender", "all_real"};
    int status;
    char *report;

    report = run(&status, "\"$BUILD/specs/answered\" --seed 1 --regressions none");
    EXPECT_EQ(status, 0);
    EXPECT_CONTAINS(report, "4 passed");
    for (int i = 0; i < 3; i++) {
        report = run(&status,
                     "IGNORES=1 \"$BUILD/specs/answered\" --seed 1 --regressions none "
                     "--filter =%s",
                     tests[i]);
        EXPECT_EQ(status, 1);
        EXPECT_CONTAINS(report, "wire.send(1) -> -1");
        EXPECT_CONTAINS(report, "lost()");
        EXPECT_CONTAINS(report, "answered 0");
    }
}
