/* test_gates.c -- gates as their users see them: tests/specs/gates.
 * ctest: long */
#include <stdio.h>
#include <stdlib.h>

#include "harness.h"

static char *try(int *out_status, const char *name)
{
    return run(out_status,
               "\"$BUILD/specs/gates\" --filter =%s --seed 1 --regressions none --verbose", name);
}

static char *expect_pass(const char *name)
{
    int status;
    char *report = try(&status, name);

    if (status != 0)
        test_fail(__FILE__, __LINE__, "%s does not pass:\n%s", name, report);
    return report;
}

static char *expect_fail(const char *name, const char *headline)
{
    int status;
    char *report = try(&status, name);

    EXPECT_EQ(status, 1);
    EXPECT_CONTAINS(report, headline);
    return report;
}

static void expect_error(const char *name, const char *why)
{
    int status;
    char *report = try(&status, name);

    EXPECT_EQ(status, 2);
    EXPECT_CONTAINS(report, why);
}

TEST(a_gate_holds_a_thread_at_a_line)
{
    expect_fail("wrong_stale_length", "rdl_check(appended)");
    expect_fail("wrong_stale_length_free", "rdl_check(appended)");
}

TEST(orders_are_kept)
{
    expect_fail("wrong_stale_length_by_order", "rdl_check(appended)");
    expect_fail("wrong_stale_length_by_order_free", "rdl_check(appended)");
    expect_pass("second_goes_first");
    expect_pass("second_goes_first_free");
    expect_pass("blanks_in_an_order");
    expect_pass("first_is_blocked");
    expect_pass("first_is_blocked_free");
}

TEST(an_order_says_who_is_woken_and_when)
{
    static const char *const tests[] = {
        "the_last_goes_on_first",        "the_last_of_all_goes_on_first",
        "who_is_named_waits_for_others", "who_is_held_has_no_mutex",
        "time_is_up_and_it_is_held",     "who_is_named_is_woken",
    };

    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        char free[64];

        snprintf(free, sizeof free, "%s_free", tests[i]);
        expect_pass(tests[i]);
        expect_pass(free);
    }
    expect_pass("who_is_cancelled_is_not_woken");
    expect_pass("who_is_woken_is_told_that_the_owner_has_died");
    expect_pass("who_waits_for_what_is_gone_is_not_woken");
}

TEST(wake_ups_that_cannot_be_are_explained)
{
    static const char *const tests[] = {"wrong_wake_that_never_comes",
                                        "wrong_wake_that_never_comes_free"};

    expect_error("wrong_wake_before_itself", "\"[ann woken]\" is to come before itself");
    for (int i = 0; i < 2; i++)
        EXPECT_CONTAINS(expect_fail(tests[i], "infeasible"),
                        "bob waits for \"[ann woken#2]\" (ann has ended, and was woken once), "
                        "which is to come before \"[bob woken]\"");
}

TEST(all_orders_are_tried_once)
{
    char *report = expect_pass("all_orders_of_three");

    EXPECT_CONTAINS(report, "every order that is left open (3)");
    EXPECT_CONTAINS(report, "33.3%  all");
    EXPECT_CONTAINS(report, "33.3%  nothing");
    EXPECT_CONTAINS(report, "33.3%  part");
    report = expect_pass("all_orders_of_three_free");
    EXPECT_CONTAINS(report, "all 3 cases");
    EXPECT_CONTAINS(report, "33.3%  all");
    EXPECT_CONTAINS(report, "33.3%  nothing");
    EXPECT_CONTAINS(report, "33.3%  part");
}

/* Who has a lock first decides who comes to its places first: that is tried both ways. */
TEST(all_orders_are_tried_where_threads_keep_each_other_out)
{
    char *report = expect_pass("any_order_within_a_lock");

    EXPECT_CONTAINS(report, "every order that is left open (2)");
    EXPECT_CONTAINS(report, "  aabb.");
    EXPECT_CONTAINS(report, "  bbaa.");
    report = expect_pass("any_order_as_it_is_their_turn");
    EXPECT_CONTAINS(report, "every order that is left open (4)");
    EXPECT_CONTAINS(report, "  ab.");
    EXPECT_CONTAINS(report, "  ba.");
    report = expect_pass("any_order_one_at_a_time");
    EXPECT_CONTAINS(report, "every order that is left open (6)");
    EXPECT_CONTAINS(report, "  abab.");
    EXPECT_CONTAINS(report, "  baab.");
}

/* The schedule of controlled threads tells it by itself. */
TEST(what_was_chosen_for_free_threads_is_told)
{
    char *report = expect_fail("wrong_b_is_first_free", "rdl_check_eq(story[0], 'a')");

    EXPECT_CONTAINS(report, "    goes on = b:come_in");
    EXPECT_CONTAINS(report, "    goes on = a:come_in");
    report = expect_fail("wrong_held_at_a_line_free", "rdl_check(false)");
    EXPECT_CONTAINS(report, "    gate at = any_order.c:");
}

TEST(what_never_happens_is_a_failure)
{
    expect_fail("wrong_nobody_called_c", "in no schedule: \"the event c:come_in\"");
    expect_fail("wrong_no_line_is_come_to", "in no schedule: \"a line of come_in is come to\"");
}

TEST(orders_that_cannot_be_are_explained)
{
    char *report = expect_fail("wrong_infeasible", "infeasible: all threads wait");

    EXPECT_CONTAINS(report, "first waits for \"second:in_the_lock\", which is to come before "
                            "\"first:lock_and_step:/unlock/\" at gates.c:");
    EXPECT_CONTAINS(report, "second waits for mutex lock at gates.c:");
    EXPECT_CONTAINS(report, ", which first holds since gates.c:");
    report = expect_fail("wrong_infeasible_free", "infeasible: all threads wait");
    EXPECT_CONTAINS(report, "first waits for \"second:in_the_lock\", which is to come before "
                            "\"first:lock_and_step:/unlock/\" at gates.c:");
    EXPECT_CONTAINS(report, "second waits for a mutex, which first holds\n");
    EXPECT_CONTAINS(report, "main waits for the end of first\n");
    report = expect_fail("wrong_never_comes", "infeasible: all threads wait");
    EXPECT_CONTAINS(report, "first waits for \"third:in_the_lock\"");
    report = expect_fail("wrong_not_kept", "the order was not kept");
    EXPECT_CONTAINS(report, "\"third:in_the_lock\" has not happened: third never came there");
    report = expect_fail("wrong_comes_once", "infeasible: all threads wait");
    EXPECT_CONTAINS(report, "\"first:in_the_lock#2\" (first has ended, and came there once)");
    report = expect_fail("wrong_comes_once_free", "infeasible: all threads wait");
    EXPECT_CONTAINS(report, "\"first:in_the_lock#2\" (first has ended, and came there once)");
}

TEST(who_is_let_through)
{
    expect_pass("tokens_are_kept");
    expect_pass("tokens_are_kept_free");
    expect_fail("wrong_nobody_comes", "infeasible: all threads wait");
    EXPECT_CONTAINS(expect_fail("wrong_nobody_comes_free", "infeasible: all threads wait"),
                    "main waits for somebody to come to gate deserted");
}

TEST(variables_are_there)
{
    expect_pass("variables_are_read_and_written");
    expect_error("wrong_type", "it is no floating-point number, and asked for as one");
    expect_error("wrong_name", "there is no variable cuont; did you mean count");
}

TEST(a_thread_is_stopped_at_each_line)
{
    EXPECT_CONTAINS(expect_pass("each_line_in_turn"), "%  1\n");
    EXPECT_CONTAINS(expect_pass("each_line_in_turn_free"), "%  1\n");
}

TEST(who_looks_for_places_passes_them)
{
    expect_pass("who_looks_for_places_passes_them");
}

TEST(who_has_ended_keeps_nobody_out)
{
    expect_pass("who_has_ended_is_out");
    expect_pass("who_has_ended_is_out_free");
    expect_error("wrong_way_to_the_same_place", "both places are leave_early");
}

TEST(one_at_a_time)
{
    expect_pass("one_at_a_time");
}

TEST(libraries_may_be_loaded_later)
{
    expect_pass("a_library_that_is_loaded_later");
}

TEST(libraries_may_be_loaded_again)
{
    expect_pass("a_library_that_is_loaded_again");
    expect_pass("a_library_that_is_loaded_again_free");
    expect_pass("a_library_that_was_there_is_loaded_again");
    expect_pass("libraries_are_loaded_by_several_threads");
}

TEST(what_a_library_does_not_have_is_told)
{
    expect_error("wrong_function_of_a_library",
                 "libc.so.6!qsrot: there is no function qsrot in libc.so.6; did you mean qsort");
    expect_error("wrong_function_of_a_library_that_is_loaded_later",
                 "libz.so.1!crc23: there is no function crc23 in libz.so.1; did you mean crc32");
    expect_error("wrong_library", ": libzz.so.1!crc32: no program or library called libzz.so.1 is");
    expect_error("wrong_library", "tests/specs/gates/libraries.c:");
}

TEST(what_makes_no_sense_is_told)
{
    expect_error("wrong_place", "ad_one: there is no function ad_one; did you mean add_one?");
    expect_error("wrong_place_with_a_sign", "there is no function ad_one; did you mean add_one?");
    expect_error("wrong_no_place", "a place is missing");
    expect_error("wrong_place_of_several", ": ad_one: there is no function ad_one");
    expect_error("wrong_place_of_a_library", "there is no function frintf in libc.so.6");
    expect_error("wrong_number", "after # there is a number from 1 on");
    expect_error("wrong_brackets", "there is [thread blocked], [thread ended]");
    expect_error("wrong_event_of_any_order", "in \"[first blocked]\": each is one place");
    expect_error("wrong_old_gate", "one of a case that has ended");
    expect_error("wrong_length", "add_one_at_length has more than 250 lines");
    expect_error("wrong_order", "-> is missing");
    expect_error("wrong_text_without_end", "the text between slashes has no end");
    expect_error("wrong_mixture", "in one place there is && or ||, not both");
    expect_error("wrong_circle", "\"first:add_one\" is to come before itself");
}

TEST(threads_come_to_functions_of_the_c_library_that_raddle_has_its_own_of)
{
    expect_pass("primitive_of_controlled_threads");
    expect_pass("primitive_of_free_threads");
    expect_pass("calls_of_controlled_threads_are_counted");
    expect_error("wrong_primitive",
                 "pthread_mutex_lock:return: controlled threads do not come there");
}

TEST(a_thread_that_does_not_exist_is_told)
{
    EXPECT_CONTAINS(expect_fail("wrong_thread", "infeasible"), "(there is no thread third)");
    EXPECT_CONTAINS(expect_fail("wrong_thread_free", "infeasible"), "(there is no thread third)");
}

TEST(who_is_left_at_a_gate_is_told)
{
    const char *left = "first waits for gate add_one to be opened";

    EXPECT_CONTAINS(expect_fail("wrong_left_at_a_gate", "infeasible"), left);
    EXPECT_CONTAINS(expect_fail("wrong_left_at_a_gate_free", "threads stand at gates"), left);
}

TEST(texts_may_have_brackets)
{
    expect_pass("a_text_with_brackets");
    expect_pass("a_text_with_brackets_free");
}

TEST(who_waits_at_a_gate_when_time_is_up_is_told)
{
    char *report = expect_fail("wrong_sleeps_too_long", "did not end within 200 ms in ");

    EXPECT_CONTAINS(report, "\n      late waits for \"[sleeper blocked]\", which is to come before "
                            "\"late:arrive_late\" at waits.c:");
}

TEST(who_sleeps_is_given_time)
{
    expect_pass("who_sleeps_may_still_come");
    expect_pass("who_waits_for_a_child_may_still_come");
}

TEST(a_thread_that_blocks_the_signal_of_gates_is_told)
{
    expect_fail("wrong_blocked_by_number",
                "crashed with SIGTRAP while it was blocked, or had no handler");
}

TEST(a_long_schedule_is_one)
{
    EXPECT_CONTAINS(expect_pass("a_gate_that_is_passed_often"), "the one schedule");
}

TEST(who_is_cancelled_goes_on_first)
{
    expect_pass("who_is_cancelled_at_a_gate_goes_on");
    expect_pass("who_is_cancelled_at_a_gate_goes_on_free");
}

TEST(who_is_held_when_a_check_fails_stays)
{
    EXPECT_CONTAINS(expect_fail("wrong_check_while_one_is_held", "rdl_check(!arrival)"),
                    "1 failed");
}

/* What is there of the text from this word on, up to a blank or the end of the line. */
static char *word_from(const char *text, const char *start)
{
    const char *at = strstr(text, start);
    char *word = NULL;

    if (!at || asprintf(&word, "%.*s", (int)strcspn(at, " \n"), at) < 0)
        test_fail(__FILE__, __LINE__, "there is no %s in:\n%s", start, text);
    return word;
}

static void expect_fails_again(const char *name)
{
    int status;
    char *token = word_from(try(&status, name), "rdl1.");

    EXPECT_CONTAINS(run(&status, "\"$BUILD/specs/gates\" --replay %s --cases 100", token),
                    "fails like that in 100 of 100 runs");
    free(token);
}

TEST(a_failing_case_is_run_as_often_as_is_asked_for)
{
    expect_fails_again("wrong_stale_length");
    expect_fails_again("wrong_stale_length_free");
}

TEST(a_schedule_of_free_threads_is_run_as_often_as_is_asked_for)
{
    int status;
    char *report =
        run(&status, "\"$BUILD/specs/gates\" --filter =second_goes_first_free --cases 50 "
                     "--regressions none");

    EXPECT_EQ(status, 0);
    EXPECT_CONTAINS(report, " 50 cases");
}

TEST(threads_may_be_free_where_tests_control_them)
{
    int status;
    char *report =
        run(&status, "\"$BUILD/specs/gates\" --free --filter =wrong_stale_length --seed 1");

    EXPECT_EQ(status, 1);
    EXPECT_CONTAINS(report, "rdl_check(appended)");
    EXPECT_CONTAINS(report, " --free --replay rdl1.wrong_stale_length");
    EXPECT_LACKS(report, "Kept in");
    run(&status, "\"$BUILD/examples/asymmetric_buffer\" --free --filter every,paper");
    EXPECT_EQ(status, 0);
}
