/* test_drive_resource.c -- RDL_TEST_RESOURCE as its users see it: tests/specs/resource.
 *
 * What cases shrink to is tested elsewhere, so little time is spent on it here. */
#include <stdio.h>
#include <stdlib.h>

#include "harness.h"

static char *try(int *out_status, const char *name, const char *options)
{
    return run(out_status,
               "\"$BUILD/specs/resource\" --filter =%s --seed 1 --jobs 1 --regressions none "
               "--shrink-runs 5 %s",
               name, options);
}

static void passes(const char *name, const char *options)
{
    int status;
    char *report = try(&status, name, options);

    if (status != 0)
        test_fail(__FILE__, __LINE__, "%s %s does not pass:\n%s", name, options, report);
}

static char *fails(const char *name, const char *options, const char *part)
{
    int status;
    char *report = try(&status, name, options);

    if (status != 1 || !strstr(report, part))
        test_fail(__FILE__, __LINE__, "%s %s: status %d, not 1 with \"%s\":\n%s", name, options,
                  status, part, report);
    return report;
}

/* In this round, and not in those before it. */
static void fails_first_in(int round, const char *name, const char *class)
{
    char options[40], part[60];

    for (int i = 1; i < round; i++) {
        snprintf(options, sizeof options, "--round %d --cases 200", i);
        passes(name, options);
    }
    snprintf(options, sizeof options, "--round %d --format json", round);
    snprintf(part, sizeof part, "\"class\":\"%s\",\"round\":%d,", class, round);
    fails(name, options, part);
}

/* ---- What each round finds ------------------------------------------------------------------ */

TEST(what_is_right_passes_in_every_round)
{
    passes("right", "");
    passes("right", "--round 1");
    passes("right", "--round 2");
    passes("right", "--round 3");
}

TEST(a_call_that_returns_too_early_is_found_in_the_first_round)
{
    fails_first_in(1, "never_waits", "bad-spec-impl");
}

TEST(a_wrong_answer_is_found_in_the_first_round)
{
    fails_first_in(1, "counts_wrong", "bad-spec-impl");
}

TEST(a_call_that_waits_without_need_is_found_in_the_second_round_and_not_in_the_first)
{
    fails_first_in(2, "tells_nobody", "bad-sched");
}

TEST(looking_and_then_taking_is_found_in_the_third_round_and_not_before)
{
    fails_first_in(3, "two_steps", "non-atomic");
}

TEST(a_lock_that_is_never_given_back_is_a_deadlock)
{
    fails_first_in(2, "keeps_the_lock", "deadlock");
}

TEST(a_crash_is_a_crash_in_any_round)
{
    fails_first_in(1, "ends_abruptly", "crash");
}

TEST(a_look_without_the_lock_is_a_race_in_the_third_round)
{
    fails_first_in(3, "looks_unlocked", "race");
}

TEST(to_spin_with_the_lock_is_a_livelock)
{
    fails_first_in(2, "spins_locked", "livelock");
}

TEST(to_ask_again_and_again_is_to_wait)
{
    passes("polls", "--round 1");
    passes("polls", "--round 2");
    passes("polls", "--round 3");
}

TEST(without_a_round_the_cases_are_shared)
{
    fails("never_waits", "--format json", "\"round\":1,");
    fails("tells_nobody", "--format json", "\"round\":2,");
    fails("two_steps", "--format json", "\"round\":3,");
}

TEST(there_are_three_rounds)
{
    int status;
    char *report = try(&status, "right", "--round 4");

    EXPECT_EQ(status, 2);
    EXPECT_CONTAINS(report, "--round: '4' is none of 1, 2 and 3");
}

/* ---- Ways to wait that are right ------------------------------------------------------------- */

TEST(to_wait_for_a_time_and_look_again_is_to_wait)
{
    passes("waits_for_a_time", "");
}

TEST(to_sleep_and_look_again_is_to_wait)
{
    passes("sleeps", "");
}

TEST(to_spin_on_an_atomic_variable_is_to_wait)
{
    passes("spins", "--cases 100");
}

TEST(to_wait_for_a_semaphore_is_to_wait)
{
    passes("semaphore", "");
}

/* ---- Clients -------------------------------------------------------------------------------- */

/* The code under test aborts if a client is not one thread, or in two calls at once. */
TEST(each_client_is_one_thread_and_in_one_call)
{
    passes("each_client_is_one_thread", "--cases 1000");
}

struct record {
    long cases, threads, pages;
};

static struct record recorded(const char *path)
{
    struct record record;
    FILE *file = fopen(path, "r");

    EXPECT(file);
    EXPECT_EQ(fread(&record, sizeof record, 1, file), 1);
    fclose(file);
    return record;
}

/* In each of thousands of cases, three threads wait for ever. */
TEST(calls_that_wait_in_the_end_leave_no_threads_and_little_memory_behind)
{
    char path[] = "/tmp/raddle-record-XXXXXX";
    struct record record;
    int status, file = mkstemp(path);

    EXPECT(file >= 0);
    run(&status,
        "RECORD=%s \"$BUILD/specs/resource\" --filter =all_wait --seed 1 --jobs 1 "
        "--regressions none",
        path);
    record = recorded(path);
    remove(path);
    EXPECT_EQ(status, 0);
    EXPECT(record.cases >= 5000);
    EXPECT(record.threads < 20);
    EXPECT(getenv("SANITIZE") || record.pages < 64 << 8);
}

TEST(more_clients_than_can_be_judged_are_refused)
{
    int status;
    char *report = run(&status, "CROWD=1 \"$BUILD/specs/resource\" --filter =crowd");

    EXPECT_EQ(status, 2);
    EXPECT_CONTAINS(report, "crowd: 65 clients are too many: at most 64 can be judged");
}

/* ---- Policies -------------------------------------------------------------------------------- */

/* Served by its rule, by another one, and by the spec itself. */
static void expect_policy(const char *name)
{
    char test[40];

    snprintf(test, sizeof test, "%s_right", name);
    passes(test, "--cases 300");
    snprintf(test, sizeof test, "%s_itself", name);
    passes(test, "--cases 300");
    snprintf(test, sizeof test, "%s_wrong", name);
    fails(test, "--cases 300 --format json", "\"class\":\"bad-sched\",\"round\":2,");
}

TEST(whoever_could_go_on_must_and_in_any_order)
{
    expect_policy("always");
}

TEST(who_comes_first_is_served_first)
{
    expect_policy("fifo");
}

TEST(of_each_operation_who_comes_first_is_served_first)
{
    expect_policy("fifo_per_op");
}

TEST(of_each_operation_the_most_urgent_is_served_first)
{
    expect_policy("priority");
}

TEST(one_operation_may_be_served_before_another)
{
    expect_policy("over");
}

TEST(a_policy_of_ones_own_is_kept_to)
{
    expect_policy("last");
}

/* ---- Real threads ---------------------------------------------------------------------------- */

TEST(each_client_is_one_free_thread_and_in_one_call)
{
    passes("each_client_is_one_free_thread", "--cases 50");
}

TEST(free_threads_that_do_right_pass)
{
    passes("right_and_free", "--cases 30");
}

TEST(free_threads_that_return_too_early_are_found)
{
    fails("never_waits_and_free", "", "a call has returned that the spec does not allow to");
}

TEST(free_threads_that_wait_without_need_are_found)
{
    fails("tells_nobody_and_free", "", "a call waits that could go on");
}

/* ---- Again ----------------------------------------------------------------------------------- */

static char *token_in(char *report)
{
    char *at = strstr(report, "--replay ");

    EXPECT(at);
    at += strlen("--replay ");
    at[strcspn(at, "\n")] = '\0';
    return at;
}

TEST(the_same_seed_finds_the_same_and_its_token_brings_it_back)
{
    char *one = fails("two_steps", "", "non-atomic"), *other = fails("two_steps", "", "non-atomic");
    char *story = strstr(one, "    << "), *end = strstr(one, "  Replay:"), *token = token_in(one);
    char *again;
    int status;

    EXPECT(story && end);
    EXPECT_STR(token_in(other), token);
    again = run(&status, "\"$BUILD/specs/resource\" --regressions none --replay %s", token);
    EXPECT_EQ(status, 1);
    *end = '\0';
    EXPECT_CONTAINS(again, story);
}
