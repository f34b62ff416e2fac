/* test_alike.c -- executions of a test begin alike: tests/specs/alike.c.
 * ctest: long */
#include <stdio.h>
#include <string.h>

#include "harness.h"

static char *try(int *out_status, const char *filter, const char *options)
{
    return run(out_status, "\"$BUILD/specs/alike\" --filter '%s' --regressions none %s", filter,
               options);
}

static void expect_fail(const char *name, const char *headline)
{
    static const char *const strategies[] = {"", "dfs", "dpor", "random", "pos"};
    char options[64];

    for (size_t i = 0; i < sizeof strategies / sizeof *strategies; i++)
        for (int seed = 1; seed <= 3; seed++) {
            int status;
            char *report;

            snprintf(options, sizeof options, "--seed %d %s%s", seed,
                     *strategies[i] ? "--strategy " : "", strategies[i]);
            report = try(&status, name, options);
            if (status != 1 || !strstr(report, headline))
                test_fail(__FILE__, __LINE__, "%s %s: %s", name, options, report);
        }
}

static void expect_pass(const char *filter, const char *options)
{
    int status;
    char *report = try(&status, filter, options);

    if (status != 0)
        test_fail(__FILE__, __LINE__, "%s", report);
}

TEST(bugs_of_the_first_use_are_found)
{
    expect_fail("=wrong_singleton", "rdl_check_eq(created, 1)");
    expect_fail("=wrong_once", "rdl_check_eq(read_locked(&table), 7)");
    expect_fail("=wrong_cache", "rdl_check_eq(read_locked(&value), 42)");
}

TEST(static_variables_are_put_back)
{
    expect_pass("right_", "--seed 1");
    expect_pass("right_", "--seed 1 --no-fork");
    expect_pass("right_", "--seed 1 --strategy random --cases 3000");
    expect_pass("right_", "--seed 1 --jobs 2");
}

TEST(the_heap_is_put_back)
{
    expect_pass("=right_heap,=right_new_blocks", "--seed 1");
    expect_fail("=wrong_double_free", "crashed with SIGABRT");
}

static const char *said_of(const char *name)
{
    int status;
    const char *report =
        run(&status,
            "cd \"$(mktemp -d)\" && COLUMNS=1000 \"$BUILD/specs/alike\" --filter =%s --seed 1 "
            "--regressions none --format json 9</etc/passwd; rm -f alike.*; rmdir \"$PWD\"",
            name);

    EXPECT_EQ(status, 0);
    return report;
}

/* There are 1024 keys. */
TEST(keys_are_deleted)
{
    expect_pass("=right_keys", "--seed 1 --cases 3000");
    expect_pass("=right_old_key", "--seed 1 --cases 100");
}

static int times_said(const char *report, const char *words)
{
    int count = 0;

    for (const char *at = report; (at = strstr(at, words)); at++)
        count++;
    return count;
}

TEST(exit_handlers_of_earlier_executions_are_gone)
{
    int status;
    const char *report =
        try(&status, "=right_exit_handlers", "--seed 1 --cases 500 --strategy random --no-fork");

    EXPECT_EQ(status, 0);
    EXPECT_CONTAINS(report, "500 schedules");
    EXPECT(times_said(report, "handler\n") <= 1);
    report = try(&status, "=wrong_exit", "--seed 1");
    EXPECT_EQ(status, 1);
    EXPECT_CONTAINS(report, "| handler\n");
}

TEST(memory_that_was_mapped_before_is_put_back)
{
    expect_pass("=right_own_memory", "--seed 1 --cases 100");
    EXPECT_LACKS(said_of("right_own_memory"), "begin alike");
}

TEST(in_one_process_a_fixture_of_several_tests_is_set_up_once)
{
    int status;
    const char *report = try(&status, "tells_", "--seed 1 --no-fork");

    EXPECT_EQ(status, 0);
    EXPECT_EQ(times_said(report, "set up once"), 1);
    EXPECT_EQ(times_said(report, "torn down once"), 1);
}

TEST(state_of_the_c_library_is_put_back)
{
    expect_pass("=right_library_state", "--seed 1 --cases 500");
}

TEST(traces_that_stay_are_told)
{
    EXPECT_CONTAINS(said_of("leaves_descriptor"), "an execution left a descriptor open");
    EXPECT_CONTAINS(said_of("leaves_later_descriptor"), "an execution left a descriptor open");
    EXPECT_CONTAINS(said_of("leaves_other_file"),
                    "an execution left a descriptor that stands for another file");
    EXPECT_CONTAINS(said_of("leaves_shared_memory"),
                    "an execution changed shared memory that was mapped before");
    EXPECT_CONTAINS(said_of("leaves_stream"), "an execution used a stream that was open before it");
    EXPECT_CONTAINS(said_of("leaves_group"),
                    "an execution called setgid, which Raddle cannot undo");
    EXPECT_CONTAINS(said_of("leaves_limit"),
                    "an execution called setrlimit, which Raddle cannot undo");
    EXPECT_CONTAINS(said_of("leaves_priority"),
                    "an execution called setpriority, which Raddle cannot undo");
    EXPECT_CONTAINS(said_of("leaves_socket"),
                    "an execution used a descriptor that was open before it");
    EXPECT_CONTAINS(said_of("leaves_flags_of_copy"),
                    "an execution used a descriptor that was open before it");
    EXPECT_CONTAINS(said_of("leaves_offset"),
                    "an execution used a descriptor that was open before it");
    EXPECT_CONTAINS(said_of("leaves_buffer"),
                    "an execution called setvbuf, which Raddle cannot undo");
    EXPECT_CONTAINS(said_of("leaves_wide_stream"),
                    "an execution used a stream that was open before it");
    EXPECT_CONTAINS(said_of("leaves_syntax"),
                    "an execution called re_set_syntax, which Raddle cannot undo");
    EXPECT_CONTAINS(said_of("leaves_attributes"),
                    "an execution called pthread_setattr_default_np, which Raddle cannot undo");
    EXPECT_CONTAINS(said_of("leaves_mapping"), "an execution left memory mapped");
    EXPECT_CONTAINS(said_of("leaves_break"), "an execution left memory mapped");
    EXPECT_CONTAINS(said_of("leaves_file_that_it_looks_at"),
                    "they look at alike.seen, which earlier ones have left changed");
}

TEST(traces_that_nobody_sees_are_not)
{
    EXPECT_LACKS(said_of("leaves_nothing"), "begin alike");
    EXPECT_LACKS(said_of("right_flags"), "begin alike");
    EXPECT_LACKS(said_of("right_output"), "begin alike");
    EXPECT_LACKS(said_of("leaves_file_that_is_written_anew"), "begin alike");
    EXPECT_LACKS(said_of("removes_file_that_it_looks_at"), "begin alike");
}

/* Raddle's own descriptors are among those of the test. */
TEST(few_descriptors_are_enough)
{
    int status;

    EXPECT_LACKS(run(&status, "ulimit -n 100; \"$BUILD/specs/alike\" --filter =leaves_nothing "
                              "--seed 1 --regressions none --format json"),
                 "begin alike");
    EXPECT_EQ(status, 0);
}

TEST(what_is_marked_is_kept)
{
    expect_fail("=wrong_kept", "rdl_check_lt(kept++, 12)");
}
