/* test_streams_fds.c -- what is found of components behind descriptors, and that nothing is
 * left behind: tests/zoo/connections.c and tests/zoo/servers.c.
 * ctest: long */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "harness.h"

/* The report of one test, which passes or does not. */
static char *report_of(const char *program, const char *test, bool passes)
{
    int status;
    char *report = run(&status,
                       "PROCESS_MARK=raddle-mark-%d $BUILD/zoo/%s --regressions none --seed 1 "
                       "--color never --filter %s",
                       (int)getpid(), program, test);

    if (status != (passes ? 0 : 1))
        test_fail(__FILE__, __LINE__, "%s: status %d:\n%s", test, status, report);
    return report;
}

static void expect_passes(const char *program, const char *test)
{
    free(report_of(program, test, true));
}

/* Both with controlled threads, and with free ones. */
static void expect_both(const char *test, const char *text)
{
    static const char *const kinds[] = {"controlled", "free"};

    for (int i = 0; i < 2; i++) {
        char name[100];
        char *report;

        snprintf(name, sizeof name, "%s_%s", test, kinds[i]);
        report = report_of("connections", name, !text);
        if (text)
            EXPECT_CONTAINS(report, text);
        free(report);
    }
}

/* ---- Connections ---------------------------------------------------------------------------- */

TEST(components_that_do_as_they_should_pass)
{
    expect_both("an_echo_answers", NULL);
    expect_both("an_echo_behind_pipes_answers", NULL);
    expect_both("datagrams_are_frames", NULL);
    expect_both("frames_go_from_one_to_the_other", NULL);
    expect_both("frames_are_decoded_and_encoded", NULL);
    expect_both("what_was_decoded_is_forwarded_as_it_came", NULL);
    expect_both("streams_follow_each_other", NULL);
}

TEST(endings_can_be_expected)
{
    expect_both("a_close_can_be_expected", NULL);
    expect_both("a_frame_cut_short_can_be_expected", NULL);
}

TEST(a_peer_that_dies_is_told)
{
    expect_both("a_peer_dies", "event 2: out net closed(in order)");
}

TEST(a_frame_that_is_cut_short_is_told)
{
    expect_both("a_frame_is_cut_short",
                "event 2: out net broken(in the middle of a frame, after 3 bytes of it)");
}

TEST(a_frame_that_is_too_large_is_told)
{
    expect_both("a_frame_is_too_large",
                "event 1: out net broken(a frame is too large, after 4 bytes of it)");
}

TEST(a_frame_that_cannot_be_decoded_is_told)
{
    expect_both("a_frame_is_malformed",
                "event 1: out net broken(what came is no frame, after 10 bytes of it)");
}

TEST(who_has_gone_is_told)
{
    expect_both("a_connection_is_reset", "event 1: out net broken(the connection was reset)");
    expect_both("nobody_is_there", "event 1: out net broken(nobody is there to read what is sent)");
}

TEST(who_does_not_read_is_told)
{
    expect_both("nobody_reads", "the component does not read it: ");
}

TEST(deadlines_that_have_passed_are_told)
{
    char *report = report_of("connections", "a_deadline_in_the_past_free", false);

    EXPECT_CONTAINS(report, "an event has not come in time");
    free(report);
    expect_both("a_deadline_in_the_past", "FAIL");
    expect_both("a_tiny_deadline", "FAIL");
    report = report_of("connections", "within_is_kept_while_nothing_comes", false);
    EXPECT_CONTAINS(report, "an event has not come in time");
    free(report);
}

/* ---- A flood -------------------------------------------------------------------------------- */

/* Of all processes that have been waited for.  Sanitizers need some themselves. */
static void expect_little_memory(void)
{
    struct rusage usage;
    long megabytes_max = getenv("SANITIZE") ? 400 : 100;

    getrusage(RUSAGE_CHILDREN, &usage);
    EXPECT(usage.ru_maxrss < megabytes_max * 1024);
}

TEST(a_flood_is_a_clear_verdict_in_bounded_memory)
{
    expect_both("a_component_floods", "event 4: out net \"4\\n\"");
    expect_both("a_component_floods", "nothing: the stream is complete");
    expect_little_memory();
}

TEST(a_flood_that_is_allowed_comes_through_in_bounded_memory)
{
    expect_passes("connections", "a_flood_that_is_allowed");
    expect_little_memory();
}

/* ---- Processes ------------------------------------------------------------------------------ */

static void expect_no_process_left(void)
{
    int status;
    char *left = run(&status, "pgrep -a -f '[r]addle-mark-%d'", (int)getpid());

    EXPECT_STR(left, "");
    free(left);
}

/* One line of it, in the report of a test that fails. */
static void expect_told(const char *test, const char *text)
{
    char *report = report_of("servers", test, false);

    EXPECT_CONTAINS(report, text);
    free(report);
}

TEST(a_process_is_a_component)
{
    expect_passes("servers", "cat_answers");
    expect_passes("servers", "its_end_comes_after_its_words");
    expect_passes("servers", "a_signal_is_a_fault");
}

TEST(a_death_that_nobody_expects_is_told)
{
    expect_told("a_death_that_nobody_expects", "out tool fault(SIGSEGV)");
}

TEST(a_process_that_is_never_quiet_is_told)
{
    expect_told("a_process_that_is_never_quiet", "it has not become quiet in time");
    expect_told("a_process_that_is_never_quiet_to_be_inspected", "it has taken longer than 100 ms");
    expect_no_process_left();
}

TEST(no_process_is_left_however_the_case_ends)
{
    expect_passes("servers", "killed_after_passing");
    expect_no_process_left();
    free(report_of("servers", "killed_after_failing", false));
    expect_no_process_left();
    free(report_of("servers", "killed_after_a_crash", false));
    expect_no_process_left();
}

TEST(no_descriptor_is_left_however_cases_end)
{
    expect_passes("servers", "no_descriptor_is_left_free");
    expect_passes("servers", "no_descriptor_is_left_controlled");
}

TEST(a_server_that_is_not_there_is_told)
{
    expect_told("a_server_that_never_listens",
                "nobody accepts connections at /nonexistent/socket after 5 ms");
    expect_told("a_server_that_ends", "sh ended before it accepted connections");
    expect_told("a_server_that_ends", "exit status 9");
    expect_told("no_server", "event 1: out first broken(nobody is there to read what is sent)");
}

TEST(a_client_for_whom_there_is_no_port_is_told)
{
    expect_told("one_client_too_many", "broken(there is no port for one more client)");
}

TEST(clients_are_told_apart)
{
    expect_passes("servers", "two_clients_controlled");
    expect_passes("servers", "two_clients_free");
    expect_passes("servers", "two_clients_by_tcp_controlled");
    expect_passes("servers", "two_clients_by_tcp_free");
}

TEST(a_server_that_answers_wrongly_is_told)
{
    expect_told("a_wrong_server_controlled", "\"c\\n\"");
    expect_told("a_wrong_server_free", "\"c\\n\"");
}
