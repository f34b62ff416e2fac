/* test_gates.c -- gates as their users see them: tests/specs/gates. */
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
    expect_pass("first_is_blocked");
    expect_pass("first_is_blocked_free");
}

TEST(all_orders_are_tried_once)
{
    char *report = expect_pass("all_orders_of_three");

    EXPECT_CONTAINS(report, "all 3 orders");
    EXPECT_CONTAINS(report, "33.3%  all");
    EXPECT_CONTAINS(report, "33.3%  nothing");
    EXPECT_CONTAINS(report, "33.3%  part");
    report = expect_pass("all_orders_of_three_free");
    EXPECT_CONTAINS(report, "all 3 cases");
    EXPECT_CONTAINS(report, "33.3%  all");
    EXPECT_CONTAINS(report, "33.3%  nothing");
    EXPECT_CONTAINS(report, "33.3%  part");
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
    EXPECT_CONTAINS(report, "\"third:in_the_lock\" has not happened");
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
    expect_error("wrong_library", "libzz.so.1!crc32: no program or library called libzz.so.1 is");
}

TEST(what_makes_no_sense_is_told)
{
    expect_error("wrong_place", "ad_one: there is no function ad_one; did you mean add_one?");
    expect_error("wrong_place_with_a_sign", "there is no function ad_one; did you mean add_one?");
    expect_error("wrong_no_place", "a place is missing");
    expect_error("wrong_length", "add_one_at_length has more than 250 lines");
    expect_error("wrong_order", "-> is missing");
    expect_error("wrong_circle", "\"first:add_one\" is to come before itself");
}

TEST(controlled_threads_do_not_come_to_locks_of_the_c_library)
{
    expect_error("wrong_primitive", "pthread_mutex_lock: controlled threads do not come there");
    expect_pass("primitive_of_free_threads");
}

TEST(who_sleeps_is_given_time)
{
    expect_pass("who_sleeps_may_still_come");
}

TEST(who_is_held_when_a_check_fails_stays)
{
    EXPECT_CONTAINS(expect_fail("wrong_check_while_one_is_held", "rdl_check(!arrival)"),
                    "1 failed");
}
