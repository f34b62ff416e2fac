/* test_drive_plan.c -- planned sequences and tables as their users see them: tests/specs/plan.c,
 * examples/asymmetric_buffer.
 * ctest: long */
#include <stdio.h>
#include <stdlib.h>

#include "harness.h"

static char *try(int *out_status, const char *name, const char *options)
{
    return run(out_status,
               "cd \"$SOURCE\" && \"$BUILD/specs/plan\" --filter =%s --seed 1 --jobs 1 "
               "--regressions none %s 2>&1",
               name, options);
}

static char *ends(int wanted, const char *name, const char *options, const char *part)
{
    int status;
    char *report = try(&status, name, options);

    if (status != wanted || !strstr(report, part))
        test_fail(__FILE__, __LINE__, "%s %s: status %d, not %d with \"%s\":\n%s", name, options,
                  status, wanted, part, report);
    return report;
}

static char *passes(const char *name, const char *part)
{
    return ends(0, name, "", part);
}

static char *fails(const char *name, const char *part)
{
    return ends(1, name, "", part);
}

static void is_refused(const char *name, const char *part)
{
    ends(2, name, "", part);
}

/* ---- Coverage -------------------------------------------------------------------------------- */

TEST(a_run_tells_how_many_calls_were_made_under_each_precondition_and_under_which_none)
{
    char *report =
        passes("in_one_thread", "    preconditions of put: never: P1 (the slot is full), "
                                "P2 (somebody takes)\n");

    EXPECT_CONTAINS(report, "    preconditions of take: never: T1");
    report = passes("plan_right", "    preconditions of put: P1 1 call, P2 1\n"
                                  "    preconditions of take: T1 1 call, T2 1\n");
    EXPECT_CONTAINS(report, "all 4 preconditions in 5 calls, the fewest possible\n");
    EXPECT_LACKS(ends(0, "in_any_order", "--cases 100", "ok "), "preconditions");
    ends(0, "table_right", "--format json",
         "\"preconditions\":[{\"operation\":\"put\",\"name\":\"P1\",\"text\":\"the slot is "
         "full\",\"calls\":1},");
}

/* ---- Plans ----------------------------------------------------------------------------------- */

TEST(a_plan_is_shown_with_the_states_before_and_after_each_step)
{
    ends(0, "plan_right", "--plan",
         "plan_right: all 4 preconditions in 5 calls, the fewest possible\n"
         "        {T1: item = 0}\n"
         "    t1: client 0: take() -- blocks\n"
         "        {P2: item = 0; client 0 waits in take()}\n"
         "    t2: client 1: put(1) -- returns\n"
         "        {item = 1; client 0 waits in take()}\n"
         "    t3: client 0: take() continued -- returns 1\n"
         "        {item = 0}\n"
         "    t4: client 0: put(1) -- returns\n"
         "        {P1: item = 1}\n"
         "    t5: client 0: put(1) -- blocks\n"
         "        {T2: item = 1; client 0 waits in put(1)}\n"
         "    t6: client 1: take() -- returns 1\n"
         "        {item = 0; client 0 waits in put(1)}\n"
         "    t7: client 0: put(1) continued -- returns\n"
         "        {item = 1}\n");
    ends(2, "in_one_thread", "--plan", "none of these tests is an RDL_TEST_PLAN");
}

TEST(what_goes_otherwise_than_planned_is_told_step_by_step)
{
    char *report = fails("plan_answers_wrong", "      answers_wrong: bad-spec-impl\n"
                                               "      step t3: client 0: take() continued\n"
                                               "          planned:  returns 1\n"
                                               "          happened: returns 2\n");

    EXPECT_CONTAINS(report, "        {T1: item = 0}\n"
                            "    t1: client 0: take() -- blocks\n"
                            "        {P2: item = 0; client 0 waits in take()}\n"
                            "    t2: client 1: put(1) -- returns\n"
                            "        {item = 1; client 0 waits in take()}\n"
                            "    t3: client 0: take() continued -- returns 2\n");
    EXPECT_CONTAINS(report, "Replay:  ");
    fails("plan_never_blocks", "step t1: client 0: take()\n"
                               "          planned:  blocks\n"
                               "          happened: returns 0\n");
    fails("plan_tells_nobody", "      tells_nobody: bad-sched\n"
                               "      step t3: client 0: take() continued\n"
                               "          planned:  returns 1\n"
                               "          happened: still waits\n");
    fails("plan_keeps_the_lock", "keeps_the_lock: deadlock\n");
}

TEST(threads_may_run_freely_and_the_spec_stand_in_for_the_thing)
{
    passes("plan_freely", "all 4 preconditions in 5 calls, the fewest possible\n");
    fails("plan_tells_nobody_freely", "          happened: still waits\n");
    passes("plan_of_the_spec", "all 4 preconditions in 5 calls, the fewest possible\n");
}

/* The line after "Replay:", run again. */
static void replays(const char *name)
{
    char *report = fails(name, "Replay:  "), *command = strstr(report, "Replay:  ") + 9, *again;
    int status;

    command[strcspn(command, "\n")] = '\0';
    again = run(&status, "cd \"$SOURCE\" && %s --regressions none", command);
    EXPECT_EQ(status, 1);
    EXPECT_CONTAINS(again, "          happened: returns 2\n");
}

TEST(a_failure_is_replayed_by_its_token_and_every_run_is_the_same)
{
    char *once, *twice;
    int status;

    replays("plan_answers_wrong");
    once = try(&status, "plan_tells_nobody",
               "--seed 5 --format json | sed 's/\"seconds\":[^,}]*//g;"
               "s/\"seed\":[^,]*//g'");
    twice = try(&status, "plan_tells_nobody",
                "--seed 6 --format json | sed "
                "'s/\"seconds\":[^,}]*//g;s/\"seed\":[^,]*//g'");
    EXPECT_CONTAINS(once, "\"class\":\"bad-sched\"");
    EXPECT_STR(once, twice);
}

TEST(what_cannot_be_tried_is_named_and_whether_that_is_proven)
{
    char *report =
        passes("plan_fork", "warning: plan_fork: neither of leave is not tried: there is no state "
                            "that 2 clients can reach in which it holds\n");

    EXPECT_CONTAINS(report, "2 of 3 preconditions in 4 calls, 2 times from the beginning\n");
    ends(0, "plan_fork", "--plan", "    and again from the beginning:\n");
    ends(0, "plan_fork", "--format json",
         "\"name\":\"neither\",\"text\":\"\",\"calls\":0,"
         "\"untried\":\"impossible\"}");
    report = passes("plan_sum", "negative of add is not tried: no state was found that 2 clients "
                                "can reach in which it holds\n");
    EXPECT_CONTAINS(report, "zero 1 call, large 1; never: negative\n");
    EXPECT_CONTAINS(report, "perhaps not the fewest\n");
    passes("plan_begun", "1 precondition in 1 call, the fewest possible\n");
}

TEST(of_many_arguments_those_are_tried_that_make_a_difference)
{
    passes("plan_shelf", "  all 3 preconditions in 6 calls, perhaps not the fewest\n");
}

TEST(what_has_no_way_back_is_tried_in_a_sequence_of_its_own)
{
    passes("plan_pairs", "all 2 preconditions in 5 calls, 2 times from the beginning\n");
    passes("plan_pairs_freely", "all 2 preconditions in 5 calls, 2 times from the beginning\n");
}

TEST(a_call_whose_outcome_is_open_is_the_last_of_its_sequence)
{
    passes("plan_crowd", "1 precondition in 3 calls, the fewest possible\n");
    ends(0, "plan_crowd", "--plan", "    t3: client 2: put(1) -- does what the spec allows\n");
    ends(2, "plan_crowd", "--export \"$BUILD/unwritten.c\"",
         "plan_crowd cannot be exported, as it is not certain what comes of t3");
}

TEST(there_must_be_something_to_plan_for)
{
    is_refused("plan_plain", "spec plain has no .preconditions to plan a sequence for");
    is_refused("plan_judged", "operation leave has judge, which does not say what happens");
}

/* ---- Tables ---------------------------------------------------------------------------------- */

TEST(a_table_passes_where_all_goes_as_it_says)
{
    passes("table_right", "ok     table_right");
    passes("leaves_it_open", "ok     leaves_it_open");
    passes("table_judged", "ok     table_judged");
    ends(0, "table_right", "--plan",
         "    t3: taker: take() continued -- returns 7\n"
         "        {item = 0}\n"
         "    t5: putter: put(8) -- returns\n");
}

TEST(rows_say_who_goes_on_where_the_spec_leaves_it_open)
{
    passes("says_who_is_first", "ok     says_who_is_first");
    ends(0, "says_who_is_first", "--plan",
         "    t2: two: take() -- blocks\n"
         "        {P2: item = 0; one waits in take(); two waits in take()}\n"
         "    t3: three: put(1) -- returns\n"
         "        {item = 1; one waits in take(); two waits in take()}\n"
         "    t4: one: take() continued -- returns 1\n"
         "        {P2: item = 0; two waits in take()}\n"
         "    t5: three: put(2) -- returns\n"
         "        {item = 2; two waits in take()}\n"
         "    t6: two: take() continued -- returns 2\n"
         "        {item = 0}\n");
    ends(0, "leaves_it_open", "--plan",
         "one waits in take(); two waits in take()}\n"
         "    t3: three: put(1) -- does what the spec allows\n");
}

TEST(what_follows_by_itself_need_not_have_a_row)
{
    passes("leaves_out_what_follows", "ok     leaves_out_what_follows");
    ends(0, "leaves_out_what_follows", "--plan",
         "    t2: a \"b\": put(1) -- returns, and 1st is continued\n");
}

TEST(a_table_finds_what_does_not_go_as_it_says)
{
    fails("table_answers_wrong", "      step t3: taker: take() continued\n"
                                 "          the table says: returns 7\n"
                                 "          it happened:    returns 8\n");
    fails("table_never_blocks", "step t1: taker: take()\n          the table says: blocks\n");
    fails("table_tells_nobody", "          it happened:    still waits\n");
}

TEST(a_table_that_says_otherwise_than_the_spec_is_told_so)
{
    fails("expects_a_return", "      right: the spec would allow it\n"
                              "      step t1: taker: take()\n"
                              "          the table says: returns\n"
                              "          it happened:    blocks\n");
    fails("expects_to_block", "          it happened:    returns\n");
    fails("expects_another_answer", "          the table says: returns 4\n"
                                    "          it happened:    returns 3\n");
    fails("calls_while_it_waits", "it cannot call: it still waits in take()\n");
}

TEST(what_is_continued_too_early_or_too_late_is_found)
{
    fails("expects_it_later", "      step t2: putter: put(1)\n"
                              "          taker is continued too early, in take(): not before t4\n");
    fails("expects_it_earlier", "      step t3: taker: take() continued\n"
                                "          the table says: returns\n"
                                "          it happened:    still waits\n");
    fails("two_are_let_in", "two is continued too early, in put(2): not before t5\n");
}

TEST(tables_that_make_no_sense_are_refused)
{
    is_refused("times_fall", "times_fall, t2: times must grow, but t2 comes before it");
    is_refused("continues_nothing", "two has no call of put that could be continued");
    is_refused("continues_what_returned", "one has no call of put that could be continued");
    is_refused("continued_to_block", "a call that is continued returns");
    is_refused("answers_for_another", "the answer is one of another operation");
    is_refused("calls_nothing", "RDL_CALL(right, ...) or RDL_CONTINUED is missing");
    is_refused("nobody_calls", "who calls?");
    is_refused("has_no_rows", "has_no_rows: the table has no rows");
    is_refused("not_allowed_at_all", ".pre of put does not allow this call");
}

/* ---- The paper ------------------------------------------------------------------------------- */

TEST(the_sequence_of_the_paper_covers_what_the_paper_says_and_one_call_can_be_spared)
{
    int status;
    char *plans = run(&status, "\"$BUILD/examples/asymmetric_buffer\" --plan");

    EXPECT_EQ(status, 0);
    EXPECT_CONTAINS(plans, "all 9 preconditions in 5 calls, the fewest possible\n");
    EXPECT_CONTAINS(plans, "the_sequence_of_the_paper: all 9 preconditions in 6 calls\n"
                           "        {R1, R4: contents = \"\"}\n"
                           "    t1: consumer: receive() -- blocks\n"
                           "        {S2, S3: contents = \"\"; consumer waits in receive()}\n"
                           "    t2: producer: send(\"ab\") -- returns\n"
                           "        {contents = \"ab\"; consumer waits in receive()}\n"
                           "    t3: consumer: receive() continued -- returns 'a'\n"
                           "        {S1, S4: contents = \"b\"}\n"
                           "    t4: producer: send(\"cd\") -- blocks\n");
}
