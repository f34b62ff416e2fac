/* test_drive_stream.c -- rdl_stream as its users see it: tests/specs/streams. */
#include <stdlib.h>

#include "harness.h"

static char *try(int *out_status, const char *name, int seed)
{
    return run(
        out_status,
        "\"$BUILD/specs/streams\" --filter =%s --seed %d --cases 500 --jobs 1 --regressions none",
        name, seed);
}

static void expect_pass(const char *name)
{
    int status;
    char *report = try(&status, name, 1);

    if (status != 0)
        test_fail(__FILE__, __LINE__, "%s does not pass:\n%s", name, report);
}

static char *expect_fail(const char *name, const char *headline)
{
    int status;
    char *report = try(&status, name, 1);

    EXPECT_EQ(status, 1);
    EXPECT_CONTAINS(report, headline);
    return report;
}

#define NO_PLACE "an event is not one that the spec has a place for"

TEST(the_order_of_concurrent_events_is_explored)
{
    char *report;

    expect_pass("two_producers_in_any_order");
    expect_pass("free_producers");
    report = expect_fail("wrong_two_producers_in_order", NO_PLACE);
    EXPECT_CONTAINS(report, "event 1: out port number(2)\n");
    EXPECT_CONTAINS(report, "  out port number(1)  [");
}

TEST(a_stream_has_an_end)
{
    char *report = expect_fail("wrong_one_too_few", "the stream ends too soon");

    EXPECT_CONTAINS(report, "nobody does anything any more\n");
    EXPECT_CONTAINS(report, "  out port number(3)  [");
    EXPECT_CONTAINS(report, "events before it:\n");
    report = expect_fail("wrong_one_too_many", NO_PLACE);
    EXPECT_CONTAINS(report, "nothing: the stream is complete\n");
}

TEST(events_reach_whom_they_are_for_when_they_have_a_place)
{
    char *report;

    expect_pass("what_is_dropped_is_not_delivered");
    expect_pass("what_is_held_is_released_at_the_end");
    report = expect_fail("wrong_nothing_is_delivered_after_a_refusal", NO_PLACE);
    EXPECT_CONTAINS(report, "event 2: in port number(2)\n");
    report = expect_fail("wrong_inspection", "rdl_inspect");
    EXPECT_CONTAINS(report, "is_none does not hold after event 1");
}

TEST(who_asks_is_answered)
{
    char *report;

    expect_pass("a_thread_asks");
    expect_pass("a_free_thread_asks");
    expect_pass("who_is_called_may_ask");
    report = expect_fail("wrong_nobody_answers", "nobody answers");
    EXPECT_CONTAINS(report, "number(20)");
}

TEST(events_come_out_of_queues)
{
    expect_pass("events_come_out_of_a_queue");
    expect_pass("events_come_freely_out_of_a_queue");
}

TEST(time_is_virtual_and_deadlines_are_exact)
{
    char *report;

    expect_pass("in_time");
    expect_fail("wrong_not_in_time", "an event has not come in time");
    expect_fail("wrong_time_is_over_at_once", "an event has not come in time");
    report = expect_fail("wrong_much_too_late", "an event has not come in time");
    EXPECT_CONTAINS(report, "it has taken longer than 60000 ms");
}

TEST(sudden_ends_are_events_where_they_are_asked_for)
{
    char *report;

    if (getenv("SANITIZE")) /* which ends the process before there is a signal */
        return;
    expect_pass("faults_of_who_is_called");
    expect_pass("faults_of_threads");
    report = expect_fail("wrong_fault_before_what_waits", NO_PLACE);
    EXPECT_CONTAINS(report, "event 2: out faults fault(SIGABRT)\n");
    report = expect_fail("wrong_other_fault", NO_PLACE);
    EXPECT_CONTAINS(report, "out faults fault(SIGSEGV)\n");
    expect_fail("wrong_fault_that_nobody_asks_for", "crashed with SIGSEGV in fail_as");
    expect_fail("wrong_no_fault_comes", "the stream ends too soon");
}

TEST(misuse_is_told)
{
    int status;

    EXPECT_CONTAINS(try(&status, "wrong_not_connected", 1), "the port port is not connected");
    EXPECT_EQ(status, 2);
    EXPECT_CONTAINS(try(&status, "wrong_nothing_takes_it", 1), "but nothing takes it there");
    EXPECT_EQ(status, 2);
    EXPECT_CONTAINS(try(&status, "wrong_spec", 1), "rules stand at the beginning of a sequence");
    EXPECT_EQ(status, 2);
}

TEST(what_was_never_taken_is_listed)
{
    int status;
    char *report = try(&status, "a_branch_that_is_never_taken", 1);

    EXPECT_EQ(status, 0);
    EXPECT_CONTAINS(report, "never:  streams.c:");
    EXPECT_CONTAINS(report, "out port number(101)");
    EXPECT_LACKS(report, "out port number(100)");
}

TEST(what_is_made_up_becomes_small)
{
    char *report = expect_fail("wrong_made_up", NO_PLACE);

    EXPECT_CONTAINS(report, "event 1: out port number(8)\n");
    EXPECT_LACKS(report, "events before it");
}

TEST(threads_that_the_component_makes_count)
{
    expect_pass("threads_of_the_component");
    expect_fail("wrong_threads_of_the_component", NO_PLACE);
}

/* Each case takes as long as its deadline says. */
TEST(who_sleeps_again_and_again_is_never_at_rest)
{
    int status;
    char *report = run(&status, "\"$BUILD/specs/streams\" --filter =a_thread_that_sleeps_again_and_"
                                "again --regressions none");

    EXPECT_EQ(status, 0);
    EXPECT_CONTAINS(report, "2 cases");
}

TEST(what_is_deferred_stops_threads)
{
    expect_pass("a_worker_is_stopped");
    expect_fail("wrong_worker_is_stopped", NO_PLACE);
}

TEST(who_asks_gets_the_answer_to_what_he_asked)
{
    expect_pass("who_asks_gets_his_answer");
    expect_pass("who_asks_gets_his_answer_free");
    expect_pass("who_asks_gets_his_answer_at_the_end");
}

TEST(what_only_an_event_shows_to_be_uncertain)
{
    char *report = expect_fail("wrong_two_predicates", "what is to be done cannot be known");

    EXPECT_CONTAINS(report, "more than one way to understand the stream is left");
}

TEST(branches_without_a_condition_are_warned_of)
{
    int status;
    char *report = try(&status, "a_branch_that_begins_with_an_action", 1);

    EXPECT_EQ(status, 0);
    EXPECT_CONTAINS(report, "nothing decides whether this is done, or something comes before it");
    EXPECT_CONTAINS(report, "(after the beginning)");
}

TEST(virtual_time_is_exact)
{
    char *report;

    expect_pass("just_in_time");
    report = expect_fail("wrong_just_too_late", "an event has not come in time");
    EXPECT_CONTAINS(report, "the time of rdl_within(99.99, ...) was over  [");
}

TEST(what_makes_no_sense_is_told)
{
    int status;

    EXPECT_CONTAINS(try(&status, "wrong_no_spec", 1), "there is no spec: it is NULL");
    EXPECT_CONTAINS(try(&status, "wrong_deadline", 1), ".deadline_ms is -1");
    EXPECT_CONTAINS(try(&status, "wrong_size", 1), "number has 4 bytes, and 2 are given");
}
