/* test_mock.c -- mocks as their users see them: tests/specs/mock. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>

/* All tests of the program are run once: what is known of a function is looked up once, then. */
static const char *report_of_all(void)
{
    static const char *report;

    if (!report)
        report = run(NULL, "\"$BUILD/specs/mock\" --seed 1 --regressions none");
    return report;
}

/* From the line that has the verdict on this test to the next. */
static const char *report_of(const char *verdict, const char *name)
{
    char line[120], *copy, *end;
    const char *at;

    snprintf(line, sizeof line, "%-6s %s  ", verdict, name);
    at = strstr(report_of_all(), line);
    if (!at)
        test_fail(__FILE__, __LINE__, "there is no line '%s' in\n%s", line, report_of_all());
    copy = test_keep(strdup(at));
    end = strstr(copy, "\n\n  Replay:");
    if (end)
        *end = '\0';
    else
        copy[strcspn(copy, "\n")] = '\0';
    return copy;
}

static void expect_pass(const char *name)
{
    report_of("ok", name);
}

static const char *expect_fail(const char *name, const char *headline)
{
    const char *report = report_of("FAIL", name);

    EXPECT_CONTAINS(report, headline);
    return report;
}

static void expect_error(const char *name, const char *why)
{
    EXPECT_CONTAINS(report_of("ERROR", name), why);
}

TEST(functions_are_mocked_wherever_they_are)
{
    expect_pass("a_stub_is_mocked");
    expect_pass("a_function_is_mocked_by_its_name");
    expect_pass("a_static_function_of_the_same_file_is_mocked");
    expect_pass("mocks_are_gone_with_their_case");
}

TEST(arguments_and_results_are_of_all_types)
{
    expect_pass("all_kinds_of_results");
    expect_pass("numbers_are_converted");
    expect_pass("all_kinds_of_arguments_are_kept");
    expect_pass("lengths_are_expressions");
}

TEST(padding_is_no_part_of_a_value)
{
    const char *report;

    expect_pass("padding_does_not_count");
    expect_pass("padding_is_not_kept");
    report = expect_fail("wrong_packet", "a call with other arguments: device_send");
    EXPECT_CONTAINS(report, "high = 2, ");
    EXPECT_CONTAINS(report, "high = 1, ");
    report = expect_fail("wrong_ring", "a call with other arguments: ring_push");
    EXPECT_CONTAINS(report, "ring_push(ring = &{item_size = 4, items = NULL}, item = ");
    EXPECT_CONTAINS(report, "        ring_push(ring = &{item_size = 8, items = NULL})");
}

TEST(numbers_are_of_the_type_that_is_asked_for)
{
    expect_pass("numbers_become_true");
    expect_pass("large_numbers_are_converted");
    expect_pass("complex_numbers_are_converted");
    EXPECT_CONTAINS(expect_fail("wrong_complex_number", "rdl_check(device_turn(2 + I, 3) == 0)"),
                    "device_turn(value = [2.0, 1.0], by = [3.0, 0.0]) -> [6.0, 3.0]");
    expect_error("misuse_large_number", "a number of more than 64 bits does not fit into int");
    EXPECT_CONTAINS(expect_fail("wrong_round_number", "to be told"),
                    "device_scale(value = 10.0, factor = 250.0) -> 2500.0");
}

TEST(arguments_say_which_calls_are_meant)
{
    const char *report;

    expect_pass("the_last_mock_that_fits_answers");
    expect_pass("functions_say_which_calls");
    expect_pass("texts_and_bytes_say_which_calls");
    report = expect_fail("wrong_argument", "store.c:13: a call with other arguments: flash_write");
    EXPECT_CONTAINS(report, "flash_write(block = 3, data = \"abc\", length = 3, written = 0x");
    EXPECT_CONTAINS(report,
                    "it is mocked for:\n        flash_write(block = 4, any data, length = 3)");
}

TEST(functions_stand_in_for_others)
{
    expect_pass("a_function_stands_in");
    expect_pass("a_function_stands_in_for_a_static_one");
}

TEST(functions_that_take_any_number_of_arguments_are_mocked)
{
    const char *report;

    expect_pass("variadic_functions_are_mocked");
    report = expect_fail("wrong_variadic", "to be told");
    EXPECT_CONTAINS(report, "flash_log(1 = \"%d\", ...) -> 2");
    expect_pass("variadic_functions_are_let_run");
}

TEST(functions_that_never_return_do_not)
{
    expect_pass("who_never_returns_is_left");
    expect_fail("wrong_return", ": a function that never returns would return: device_stop");
    expect_fail("wrong_exit", ": a function that never returns would return: exit");
}

TEST(the_c_library_is_mocked_but_not_for_raddle)
{
    expect_pass("a_prototype_gives_names");
    expect_pass("malloc_fails");
    expect_pass("malloc_fails_by_name");
    expect_pass("files_are_not_opened_where_malloc_fails");
    expect_pass("reads_are_mocked");
    expect_pass("locks_are_mocked");
    expect_pass("copies_are_harmless");
    expect_pass("functions_that_are_chosen_are_mocked");
    expect_pass("functions_that_all_of_us_use_are_spied_on");
    expect_pass("locks_of_controlled_threads_fail");
    if (getenv("SANITIZE"))
        return; /* its malloc calls no mmap, its strdup no malloc; its memchr has names */
    expect_pass("strings_are_not_copied_where_malloc_fails");
    expect_pass("what_the_c_library_calls_is_mocked");
    expect_pass("what_a_spied_function_calls_is_mocked");
    expect_pass("parameters_without_names_are_lengths");
}

TEST(who_calls_a_function_that_is_let_run_is_told)
{
    const char *report;

    expect_error("misuse_stub_that_is_let_run", "store.c:11: flash_erase was called, which is only "
                                                "a stub");
    report = expect_fail("wrong_lock_of_a_controlled_thread", "rdl_check_eq(locked, 0)");
    EXPECT_CONTAINS(report, "if (pthread_mutex_lock(&mutex) == 0) {");
}

TEST(what_the_world_returns_may_differ)
{
    const char *report = expect_fail("wrong_in_any_process", "rdl_check_lt(rdl_int(t, 0, 1000), ");

    EXPECT_LACKS(report, "does not fail every time");
    EXPECT_CONTAINS(report, "left:  500");
}

TEST(faults_are_choices)
{
    const char *report;

    expect_pass("the_third_call_fails");
    expect_error("misuse_spy_over_faults", "would let all calls run");
    expect_pass("a_spy_sees_what_does_not_go_wrong");
    expect_pass("calls_fail_under_a_condition");
    report = expect_fail("wrong_second_allocation", "rdl_check(copy || i != 1)");
    EXPECT_CONTAINS(report, "    malloc(");
    EXPECT_CONTAINS(report, ") -> NULL, injected");
}

TEST(expected_calls_are_a_language)
{
    const char *report;

    expect_pass("calls_as_expected");
    report = expect_fail("wrong_missing_call", ": a call is missing");
    EXPECT_CONTAINS(report, "        flash_write(block = 3, data = \"abc\")  [");
    report = expect_fail("wrong_missing_call_at_the_end", "a call is missing");
    EXPECT_CONTAINS(report, "        flash_erase(...)  [");
    expect_pass("expected_calls_are_no_expression_of_a_function");
    expect_pass("calls_are_mixed");
    expect_pass("steps_may_be_alike");
    expect_fail("wrong_steps_that_answer_differently",
                "a call that two steps answer in different ways: flash_erase");
    expect_fail("wrong_unexpected_call", "a call too many: flash_erase");
    expect_fail("wrong_alternative", "store.c:13: an unexpected call: flash_write");
    expect_fail("wrong_order", "store.c:11: a call in another order: flash_erase");
    report = expect_fail("wrong_expected_argument",
                         "store.c:11: a call with other arguments: flash_erase");
    EXPECT_CONTAINS(report, "      flash_erase(block = 3)\n");
    EXPECT_CONTAINS(report, "        flash_write(block = 3)  [");
    EXPECT_CONTAINS(report, "        flash_erase(block = 4)  [");
    report = expect_fail("wrong_argument_that_was_kept", "a call with other arguments: device_sum");
    EXPECT_CONTAINS(report, "        device_sum(a = the_unit, b = 2)  [");
    report = expect_fail("wrong_when_it_fails", "rdl_check_eq(store_save(\"abc\"), 0)");
    EXPECT_CONTAINS(report, "flash_erase(block = 3) -> -1, injected");
}

TEST(expectations_that_cannot_be_are_refused)
{
    expect_error("misuse_step_by_chance",
                 "rdl_percent of flash_erase: that goes with rdl_mock, but not with ");
    expect_error("misuse_step_that_is_no_call", "rdl_expect_calls takes rdl_call_to only");
    expect_error("misuse_no_step", "rdl_expect_calls of NULL");
    expect_error("misuse_slot",
                 "nothing in this spec binds the slot the_unit (rdl_bind, rdl_keeps)");
}

TEST(threads_call_at_the_same_time)
{
    const char *report;

    expect_pass("free_threads_call");
    expect_pass("mocks_are_said_while_threads_call");
    expect_pass("controlled_threads_call");
    report = expect_fail("wrong_fault_in_a_thread", "rdl_check_ge(store_poll(");
    EXPECT_CONTAINS(report, "device_status(unit = 2) -> -1, injected");
    report = expect_fail("wrong_lost_update", "rdl_check_eq(taken, 2)");
    EXPECT_CONTAINS(report, "1 preemption: one interrupted at mock.c:");
    EXPECT_CONTAINS(report, "\"flash_erase(block = 2) -> 2\"");
}

TEST(stories_have_a_line_for_each_call)
{
    const char *report = expect_fail("wrong_story", "to be told");

    EXPECT_CONTAINS(report, "    flash_erase(block = 3) -> 0\n");
    EXPECT_CONTAINS(report,
                    "    flash_write(block = 3, data = \"a\\nb\", length = 3, written = 0x");
    EXPECT_CONTAINS(report, ") -> 0, written set to 5\n");
    EXPECT_CONTAINS(report, "    device_move(from = {x = 1, y = 2}, by = 3) -> {x = 4, y = 5}\n");
    EXPECT_CONTAINS(report, "    device_color(color = GREEN, bright = false) -> GREEN\n");
    EXPECT_CONTAINS(report, "    device_name(unit = 0) -> \"first\"\n");
    EXPECT_CONTAINS(report, "    device_scale(value = 2.0, factor = 1.5) -> 3.0\n");
    EXPECT_CONTAINS(report, "    ring_push(ring = &{item_size = 4, items = 0x");
    EXPECT_CONTAINS(report, "}, item = <31 32 33 34>) -> -1");
    report = expect_fail("wrong_out_parameter_that_is_null", "to be told");
    EXPECT_CONTAINS(report, "written = NULL) -> 0");
    EXPECT_LACKS(report, "written set to");
}

TEST(what_cannot_be_is_refused_with_the_reason)
{
    expect_error("misuse_stub", "store.c:11: flash_erase was called, which is only a stub: mock "
                                "it, or link the real one");
    expect_error("misuse_misspelt", "there is no function flash_wrote; did you mean flash_write");
    expect_error("misuse_inlined", "always_inlined cannot be mocked, as no call leads to it: it is "
                                   "part of others: in store_inlined (");
    expect_pass("a_function_is_mocked_in_part");
    expect_error("misuse_half", "store_half has copies that calls do not reach: in "
                                "store_calls_half (");
    expect_error("misuse_alias", "store_other_half has copies that calls do not reach: in "
                                 "store_calls_half (");
    expect_error("misuse_percent", "rdl_percent(101) of device_status: it is 0 to 100");
    expect_error("misuse_call_zero", "rdl_at_call(0) of device_status: calls are counted from 1");
    expect_error("misuse_spy", "rdl_spy of device_status lets it run");
    expect_error("misuse_variadic",
                 "flash_log has 1 parameter: 1; nothing is known of what follows");
    expect_error("misuse_range",
                 "rdl_arg, unit of device_status: 300 does not fit into unsigned char");
    expect_error("misuse_result", "rdl_returns of device_status: 1.5 does not fit into int");
    expect_error("misuse_struct", "what is given has 24 bytes, and struct point has 8");
    expect_error("misuse_parameter", "device_status has no parameter units; it has: unit");
    expect_error("misuse_too_many", "device_status has 1 parameter: unit");
    expect_error("misuse_nothing_returned", "device_reset: the function returns nothing");
    expect_error("misuse_const", "rdl_sets, data of flash_write: it is a const char *");
    expect_error("misuse_const_bytes", "rdl_sets_bytes, data of flash_write: it is a const char *");
    expect_error("misuse_copies", "rdl_copies of flash_write: there are no -5 elements");
    expect_error("misuse_name", "flash_log has no parameter format; it has: 1; RDL_PROTOTYPE tells "
                                "their names");
    expect_error("misuse_own", "there is no function rdl_note");
}
