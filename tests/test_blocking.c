/* test_blocking.c -- calls of neighbours that wait, as users see them: tests/specs/blocking.c. */
#include <stdio.h>
#include <stdlib.h>

#include "harness.h"

enum client { RIGHT, EARLY, TWICE, FORGETFUL, WRONG_ANSWER, WRONG_ARGUMENT, OTHER_ORDER };
enum driver { DRIVES_RIGHT, LOSES_ONE, RAISES_TWICE, DOES_NOT_WAIT, IGNORES_LIMIT, NO_LOCK };

static char *try(int *out_status, const char *setting, const char *name, const char *options)
{
    return run(out_status,
               "%s \"$BUILD/specs/blocking\" --filter =%s --seed 1 --regressions none %s", setting,
               name, options);
}

static void passes(const char *name, const char *options)
{
    int status;
    char *report = try(&status, "", name, options);

    if (status != 0)
        test_fail(__FILE__, __LINE__, "%s %s does not pass:\n%s", name, options, report);
    free(report);
}

/* The token of the first failure. */
static char *token_of(const char *report)
{
    const char *at = strstr(report, " --replay ");

    EXPECT(at);
    at += strlen(" --replay ");
    return strndup(at, strcspn(at, "\n"));
}

/* It is found, shrunk, and found again by its token. */
static char *fails(const char *setting, const char *name, const char *part)
{
    int status;
    char *report = try(&status, setting, name, ""), *token, *again;

    if (status != 1 || !strstr(report, part))
        test_fail(__FILE__, __LINE__, "%s %s: status %d, not 1 with \"%s\":\n%s", setting, name,
                  status, part, report);
    token = token_of(report);
    again =
        run(&status, "%s \"$BUILD/specs/blocking\" --regressions none --replay %s", setting, token);
    EXPECT_EQ(status, 1);
    EXPECT_CONTAINS(again, part);
    free(again);
    free(token);
    return report;
}

static char *client_fails(enum client manner, const char *part)
{
    char setting[20];

    snprintf(setting, sizeof setting, "CLIENT=%d", manner);
    return fails(setting, "a_client", part);
}

static char *driver_fails(enum driver manner, const char *name, const char *part)
{
    char setting[20];

    snprintf(setting, sizeof setting, "DRIVER=%d", manner);
    return fails(setting, name, part);
}

/* ---- What is right -------------------------------------------------------------------------- */

TEST(a_client_that_waits_for_its_answers_passes_in_every_round)
{
    passes("a_client", "--cases 2000");
    passes("a_client", "--round 3 --cases 2000");
    passes("a_client_alone", "--cases 200");
    passes("a_listener", "--cases 2000");
}

TEST(who_calls_a_spec_that_plays_waits_as_it_says)
{
    passes("a_driver", "--cases 2000");
    passes("a_driver", "--round 3 --cases 2000");
    passes("a_poller", "--cases 2000");
    passes("a_poller", "--round 3 --cases 2000");
}

TEST(free_threads_wait_as_well)
{
    passes("a_free_client", "");
    passes("a_free_driver", "");
}

TEST(calls_that_nobody_could_answer_are_not_made_at_the_same_time)
{
    passes("a_counter", "--cases 2000");
    passes("a_counter", "--round 3 --cases 2000");
}

TEST(one_call_at_a_time_is_released_beforehand_or_waits_for_ever)
{
    passes("clients_that_are_played", "--cases 200");
    EXPECT_CONTAINS(fails("", "nobody_ends_the_wait", "a call would wait for ever"),
                    "hasty calls net.receive(0), which would have to wait");
}

/* ---- What is wrong -------------------------------------------------------------------------- */

TEST(a_client_that_does_not_wait_is_found)
{
    char *report = client_fails(EARLY, "a call is missing");

    EXPECT_CONTAINS(report, "client.ask has returned; missing:\n        net.receive(0)");
    EXPECT_CONTAINS(report, "    << 0: ask(6) >>\n      0: net.send(6)\n\n");
}

TEST(what_comes_after_the_release_is_looked_at)
{
    char *report = client_fails(FORGETFUL, "a call is missing");

    EXPECT_CONTAINS(report, "missing:\n        any net.done");
    EXPECT_CONTAINS(report, "    << 0: ask(0) >>\n      0: net.send(0)\n      0: net.receive(0)\n"
                            "    << 1: respond(2) >>\n      0: net.receive(0) -> 2\n\n");
}

TEST(a_second_call_that_would_wait_is_unexpected)
{
    char *report = client_fails(TWICE, "an unexpected call");

    EXPECT_CONTAINS(report, "net.receive(0), called in ask");
    EXPECT_CONTAINS(report, "allowed now:\n        any net.done");
    EXPECT_CONTAINS(report, "      0: net.receive(0) -> 4\n      0: net.receive(0)\n\n");
}

TEST(answers_are_judged_as_always)
{
    char *report = client_fails(WRONG_ANSWER, "a call has returned that the spec does not allow");

    EXPECT_CONTAINS(report, "but ask(0) answered 5; the model says 4");
    EXPECT_CONTAINS(report, "      0: net.done(4)\n      -- returns: 1, 0 with 5\n");
}

TEST(arguments_and_order_of_calls_are_looked_at)
{
    EXPECT_CONTAINS(client_fails(WRONG_ARGUMENT, "a call with other arguments"),
                    "net.send(8), called in ask");
    EXPECT_CONTAINS(client_fails(OTHER_ORDER, "calls in another order"),
                    "allowed now:\n        net.send(10)");
}

TEST(a_free_client_that_does_not_wait_is_found)
{
    int status;
    char *report = try(&status, "CLIENT=1", "a_free_client", "--shrink-runs 5");

    EXPECT_EQ(status, 1);
    EXPECT_CONTAINS(report, "a call is missing");
}

TEST(a_driver_that_loses_or_doubles_interrupts_is_found)
{
    driver_fails(LOSES_ONE, "a_driver", "a call is missing");
    driver_fails(RAISES_TWICE, "a_driver", "an unexpected call");
    EXPECT_CONTAINS(driver_fails(DOES_NOT_WAIT, "a_driver", "an unexpected call"),
                    "irq.count(), called in driver_read");
    driver_fails(IGNORES_LIMIT, "a_driver", "a component is called against its precondition");
}

/* Between looking and taking, another may take it: then it waits, though it need not. */
TEST(what_is_not_atomic_with_a_spec_that_plays_is_found)
{
    char *report = driver_fails(NO_LOCK, "a_poller", "a call waits that could go on");

    EXPECT_CONTAINS(report, "poller: non-atomic, in round 3");
    EXPECT_CONTAINS(report, "waits in irq.wait(), which is not possible now");
    EXPECT_CONTAINS(report, "1 preemption");
}
