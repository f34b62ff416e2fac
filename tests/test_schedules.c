/* test_schedules.c -- failing schedules as their users see them: what happened, in
 * which order, where; and that it reads the same every time.
 * ctest: long */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "report/report.h"

/* ---- Whole programs ---------------------------------------------------------------------- */

static char *run_one(int *out_status, const char *name, const char *options)
{
    return run(out_status,
               "cd \"$SOURCE\" && \"$BUILD/zoo/schedules\" --filter =%s --seed 1 --regressions "
               "none %s",
               name, options);
}

/* What a report says of the failure: from its headline to the line that replays it.  The
 * report is changed. */
static char *failure_in(char *report)
{
    char *start = strstr(report, "\n\n  "), *end;

    EXPECT(start != NULL);
    start += 2;
    end = strstr(start, "\n\n  Replay:");
    end = end ? end : strstr(start, "\n\n0 passed");
    EXPECT(end != NULL);
    end[1] = '\0';
    return start;
}

/* The failure of this test, which its own line brings back, word for word. */
static const char *failure_of(const char *name)
{
    int status;
    char *report = run_one(&status, name, ""), *again, *token = strstr(report, "--replay ");

    EXPECT_EQ(status, 1);
    EXPECT(token != NULL);
    again = run(&status, "cd \"$SOURCE\" && \"$BUILD/zoo/schedules\" --regressions none %.*s",
                (int)strcspn(token, "\n"), token);
    EXPECT_EQ(status, 1);
    report = failure_in(report);
    EXPECT_STR(failure_in(again), report);
    return report;
}

/* Sanitizers and compilers differ in which calls they make jumps, and in nothing else. */
TEST(an_interruption_is_told_with_the_steps_around_it)
{
    EXPECT_STR(failure_of("deposits_add_up"),
               "  tests/zoo/schedules.c:47: rdl_check_eq(balance, 20)\n"
               "      left:  10\n"
               "      right: 20\n"
               "\n"
               "  1 preemption: one interrupted at schedules.c:39\n"
               "\n"
               "                     main        one         two\n"
               "    schedules.c:25   one = rdl_spawn(t, \"one\", run_one, t);\n"
               "    schedules.c:26   two = rdl_spawn(t, \"two\", run_other, t);\n"
               "    schedules.c:27   rdl_join(one);  waits\n"
               "    schedules.c:36               pthread_mutex_lock(&lock);\n"
               "    schedules.c:38               pthread_mutex_unlock(&lock);\n"
               "                                 -- interrupted --\n"
               "    schedules.c:36                           pthread_mutex_lock(&lock);\n"
               "    schedules.c:38                           pthread_mutex_unlock(&lock);\n"
               "    schedules.c:39                           pthread_mutex_lock(&lock);\n"
               "    schedules.c:41                           pthread_mutex_unlock(&lock);\n"
               "    schedules.c:39               pthread_mutex_lock(&lock);\n"
               "    schedules.c:41               pthread_mutex_unlock(&lock);\n"
               "    schedules.c:47   rdl_check_eq(balance, 20);  fails\n");
}

TEST(a_deadlock_is_told_with_its_cycle_and_who_holds_what_since_where)
{
    EXPECT_STR(failure_of("locks_are_taken_in_one_order"),
               "  tests/zoo/schedules.c:68: deadlock: one -> two -> one\n"
               "      one waits for mutex other_lock at schedules.c:68, which two holds since "
               "schedules.c:76\n"
               "      two waits for mutex lock at schedules.c:77, which one holds since "
               "schedules.c:67\n"
               "      main waits for the end of one at schedules.c:27\n"
               "\n"
               "  1 preemption: one interrupted at schedules.c:68\n"
               "\n"
               "                     main        one         two\n"
               "    schedules.c:25   one = rdl_spawn(t, \"one\", run_one, t);\n"
               "    schedules.c:26   two = rdl_spawn(t, \"two\", run_other, t);\n"
               "    schedules.c:27   rdl_join(one);  waits\n"
               "    schedules.c:67               pthread_mutex_lock(&lock);\n"
               "                                 -- interrupted --\n"
               "    schedules.c:76                           pthread_mutex_lock(&other_lock);\n"
               "    schedules.c:77                           pthread_mutex_lock(&lock);  waits\n"
               "    schedules.c:68               pthread_mutex_lock(&other_lock);  waits\n");
}

TEST(a_lost_wake_up_is_told_with_the_signal_that_was_lost)
{
    EXPECT_STR(failure_of("waiters_are_woken"),
               "  tests/zoo/schedules.c:93: lost wake-up: one waits for a signal that was given "
               "before it waited\n"
               "      one waits for a signal of condition filled at schedules.c:93, which two gave "
               "before, at schedules.c:102, when nobody waited\n"
               "      main waits for the end of one at schedules.c:27\n"
               "\n"
               "  1 preemption: one interrupted at schedules.c:92\n"
               "\n"
               "                      main        one         two\n"
               "    schedules.c:25    one = rdl_spawn(t, \"one\", run_one, t);\n"
               "    schedules.c:26    two = rdl_spawn(t, \"two\", run_other, t);\n"
               "    schedules.c:27    rdl_join(one);  waits\n"
               "                                  starts\n"
               "                                  -- interrupted --\n"
               "    schedules.c:101                           pthread_mutex_lock(&lock);\n"
               "    schedules.c:102                           pthread_cond_signal(&filled);\n"
               "    schedules.c:103                           pthread_mutex_unlock(&lock);\n"
               "    schedules.c:92                pthread_mutex_lock(&lock);\n"
               "    schedules.c:93                pthread_cond_wait(&filled, &lock);  waits\n");
}

/* One payment each is enough, of which one is large; whatever the seed. */
TEST(data_becomes_as_simple_as_any_schedule_allows)
{
    char *first = NULL;

    for (int seed = 1; seed <= 10; seed++) {
        int status;
        char *report = run(&status,
                           "cd \"$SOURCE\" && \"$BUILD/zoo/schedules\" --filter "
                           "=payments_add_up --regressions none --seed %d",
                           seed);

        EXPECT_EQ(status, 1);
        report = failure_in(report);
        first = first ? first : strdup(report);
        EXPECT_STR(report, first);
    }
    EXPECT_CONTAINS(first, "    payers[i].count = 1   no other value tried fails\n"
                           "    payers[i].amounts[k] = 1   fails for any payers[i].amounts[k] "
                           ">= 1\n"
                           "    payers[i].count = 1   no other value tried fails\n"
                           "    payers[i].amounts[k] = 18   fails for any "
                           "payers[i].amounts[k] >= 18\n"
                           "\n"
                           "  1 preemption: two interrupted at schedules.c:327\n");
    free(first);
}

TEST(wrong_uses_are_told_with_who_where_and_what)
{
    EXPECT_STR(failure_of("strangers_unlock_nothing"),
               "  tests/zoo/schedules.c:116: stranger unlocks mutex lock, which is not locked\n"
               "\n"
               "  no preemption: fails when threads just run until they wait\n"
               "\n"
               "                      main        stranger\n"
               "    schedules.c:132   one = rdl_spawn(t, \"owner\", hold_for_a_while, NULL);\n"
               "    schedules.c:133   rdl_yield();\n"
               "    schedules.c:134   two = rdl_spawn(t, \"stranger\", unlock, NULL);\n"
               "    schedules.c:135   rdl_join(one);  waits\n"
               "    schedules.c:116               pthread_mutex_unlock(&lock);  fails\n");
    EXPECT_STR(failure_of("what_is_destroyed_is_not_used"),
               "  tests/zoo/schedules.c:145: main locks mutex 1, which has been destroyed\n");
}

TEST(the_thread_that_fails_is_named_and_the_last_to_be_seen)
{
    const char *failure = failure_of("one_finds_it_empty");

    EXPECT_CONTAINS(failure, "  tests/zoo/schedules.c:154: rdl_assert_always(!is_full) (in "
                             "one)\n\n  no preemption: fails when");
    EXPECT_CONTAINS(failure, "    schedules.c:154               rdl_assert_always(!is_full);  "
                             "fails\n");
    failure = failure_of("asserts_hold");
    EXPECT_CONTAINS(failure, "  tests/zoo/schedules.c:183: assert(!is_full) (in one)\n");
    EXPECT_CONTAINS(failure, "    schedules.c:183               assert(!is_full);  fails\n");
    if (getenv("SANITIZE"))
        return; /* it would tell itself, at length */
    failure = failure_of("nobody_crashes");
    EXPECT_CONTAINS(failure, "  crashed with SIGSEGV in use_what_is_there at "
                             "tests/zoo/schedules.c:170 (in one)\n");
    EXPECT_CONTAINS(failure, "    schedules.c:170               *at = 1;  crashes\n");
}

TEST(what_goes_on_for_ever_is_shown_for_a_while)
{
    const char *failure = failure_of("spinning_ends");

    EXPECT_CONTAINS(failure, "  tests/zoo/schedules.c:200: livelock: ");
    EXPECT_CONTAINS(failure, "    schedules.c:200               pthread_mutex_unlock(&lock);\n"
                             "    schedules.c:201               rdl_yield();\n"
                             "    schedules.c:198               pthread_mutex_lock(&lock);\n");
}

TEST(threads_that_are_left_over_are_told_with_where_they_came_from)
{
    EXPECT_STR(failure_of("no_thread_is_left_over"),
               "  a thread is left over at the end: forgotten\n"
               "      forgotten waits for mutex lock at schedules.c:67, which main holds since "
               "schedules.c:213; it was created at schedules.c:214\n"
               "\n"
               "  no preemption: fails when threads just run until they wait\n"
               "\n"
               "                      main        forgotten\n"
               "    schedules.c:214   (void)rdl_spawn(t, \"forgotten\", lock_in_order, NULL);\n"
               "                      waits for the end of all other threads\n"
               "                                  starts\n"
               "    schedules.c:67                pthread_mutex_lock(&lock);  waits\n");
}

/* Which two of them meet is all the same. */
TEST(many_threads_have_their_names_in_front_and_bystanders_one_line)
{
    const char *failure = failure_of("many_add_up");
    int bystanders = 0;

    EXPECT_CONTAINS(failure, "\n\n  1 preemption: worker");
    EXPECT_CONTAINS(failure, " interrupted at schedules.c:232\n\n"
                             "    schedules.c:244   main      workers[i] = rdl_spawn(t, "
                             "\"worker\", add_one, a..\n"
                             "    schedules.c:246   main      rdl_join(workers[i]);  waits\n");
    EXPECT_CONTAINS(failure, "  pthread_mutex_unlock(&account->lock);\n"
                             "                      worker");
    EXPECT_CONTAINS(failure, "  -- interrupted --\n    schedules.c:229   worker");
    for (const char *at = failure; (at = strstr(at, "  runs from start to end\n")); at++)
        bystanders++;
    EXPECT_EQ(bystanders, 4);
}

TEST(notes_stand_where_they_were_left)
{
    const char *failure = failure_of("notes_are_left");

    EXPECT_CONTAINS(failure, "                      \"begins\"\n    schedules.c:");
    EXPECT_CONTAINS(failure, "\n                                  \"one was here\"\n");
    EXPECT_CONTAINS(failure, "\n                                              \"two was here\"\n");
}

TEST(of_a_long_schedule_those_steps_are_shown_in_which_threads_meet)
{
    const char *failure = failure_of("long_ones_add_up");

    EXPECT_CONTAINS(failure,
                    "  1 preemption: one interrupted at schedules.c:264\n"
                    "\n"
                    "                      main        one         two\n"
                    "    schedules.c:275   one = rdl_spawn(t, \"one\", add_one_slowly, account);\n"
                    "    schedules.c:276   two = rdl_spawn(t, \"two\", add_one, account);\n"
                    "    schedules.c:277   rdl_join(one);  waits\n"
                    "    schedules.c:258               pthread_mutex_unlock(&account->lock);\n"
                    "    schedules.c:262               pthread_mutex_unlock(&own.lock);\n"
                    "                                  -- interrupted --\n"
                    "    schedules.c:229                           pthread_mutex_lock(");
    EXPECT_CONTAINS(failure,
                    "    schedules.c:264               pthread_mutex_lock(&account->lock);\n"
                    "    schedules.c:266               pthread_mutex_unlock(&account->lo");
}

TEST(a_test_that_passes_says_what_it_covered)
{
    char *report;
    int status;

    report = run_one(&status, "deposits_at_once_add_up", "--strategy preemptions:1");
    EXPECT_CONTAINS(report, "ok     deposits_at_once_add_up  ");
    EXPECT_CONTAINS(report,
                    "20 different orders of the calls that Raddle sees passed. They have at");
    EXPECT_CONTAINS(report, "It did not see what the program does between them:");
    EXPECT_EQ(status, 0);
    report = run_one(&status, "deposits_at_once_add_up", "--strategy preemptions:1 --format json");
    EXPECT_CONTAINS(report, "\"covered\":{\"complete\":false,\"schedules\":20,\"unseen\":[{");
    EXPECT_CONTAINS(report, "\"bounds\":[\"schedules with at most 1 preemption\"],");
    EXPECT_CONTAINS(run_one(&status, "deposits_at_once_add_up", "--strategy random"),
                    "ok     deposits_at_once_add_up  100 schedules, ");
}

TEST(what_no_schedule_reaches_is_told)
{
    int status;
    char *report = run_one(&status, "somebody_gets_there", "");

    EXPECT_EQ(status, 1);
    EXPECT_CONTAINS(report, "in no schedule: \"reachable: balance > 20\"");
    EXPECT_CONTAINS(report, "reachable: balance > 20 (at least once)\n");
}

TEST(all_formats_have_the_schedule)
{
    int status;
    char *json = run_one(&status, "locks_are_taken_in_one_order", "--format json"), *tap, *junit;

    EXPECT_CONTAINS(json,
                    "\"schedule\":{\"headline\":\"1 preemption: one interrupted at "
                    "schedules.c:68\",\"preemptions\":1,\"steps\":10,"
                    "\"threads\":[\"main\",\"one\",\"two\"],\"rows\":[{\"thread\":\"main\","
                    "\"mark\":null,\"does\":\"creates a thread\",\"place\":\"schedules.c:25\","
                    "\"file\":\"tests/zoo/schedules.c\",\"line\":25,"
                    "\"source\":\"one = rdl_spawn(t, \\\"one\\\", run_one, t);\"},");
    EXPECT_CONTAINS(json, "{\"thread\":\"one\",\"mark\":\"interrupted\",\"does\":\"locks mutex "
                          "other_lock\",\"place\":\"schedules.c:68\",");
    EXPECT_CONTAINS(json, "\"kind\":\"deadlock\",\"message\":\"tests/zoo/schedules.c:68: deadlock: "
                          "one -> two -> one\",");
    tap = run_one(&status, "locks_are_taken_in_one_order", "--format tap");
    EXPECT_CONTAINS(tap, "  kind: \"deadlock\"\n");
    EXPECT_CONTAINS(tap, "  schedule: \"1 preemption: one interrupted at schedules.c:68\"\n"
                         "  rows:\n"
                         "    - \"                 main        one         two\"\n");
    junit = run_one(&status, "locks_are_taken_in_one_order", "--format junit");
    EXPECT_CONTAINS(junit, "type=\"deadlock\">tests/zoo/schedules.c:68: deadlock: one -&gt; two");
    EXPECT_CONTAINS(junit, "\n1 preemption: one interrupted at schedules.c:68\n\n"
                           "                   main        one         two\n");
}

/* ---- Columns -------------------------------------------------------------------------- */

static char *names[] = {(char *)"main", (char *)"g\xc3\xa4rtner", (char *)"two", (char *)"three",
                        (char *)"four"};

static struct rdl__row row(uint32_t thread, enum rdl__row_mark mark, const char *place,
                           const char *source, const char *does)
{
    return (struct rdl__row){.thread = thread,
                             .mark = mark,
                             .place = (char *)place,
                             .source = (char *)source,
                             .does = (char *)does};
}

static const char *shown(struct rdl__row *rows, size_t count, uint32_t threads, int width)
{
    static char text[4096];
    struct rdl__schedule schedule = {.threads = names,
                                     .thread_count = threads,
                                     .rows = rows,
                                     .count = count,
                                     .failing = "crashes"};
    struct rdl__text out = {0};

    rdl__add_schedule(&out, &schedule, width, NULL);
    snprintf(text, sizeof text, "%s", rdl__text_string(&out));
    rdl__text_release(&out);
    return text;
}

TEST(columns_move_together_where_there_is_little_room)
{
    struct rdl__row rows[] = {
        row(0, RDL__ROW_STEP, "a.c:7", "begin_with_something_long(and, on, and, on);", "starts"),
        row(1, RDL__ROW_STEP, "a.c:1234", "", "locks mutex 1"),
        row(1, RDL__ROW_INTERRUPTED, "a.c:10", "", ""),
        row(2, RDL__ROW_WAITS, "a.c:11", "pthread_mutex_lock(&m);", "waits for mutex 1"),
        row(1, RDL__ROW_GOES_ON, "a.c:11", "pthread_mutex_lock(&m);", "locks mutex 1"),
        row(2, RDL__ROW_FAILS, "", "", "x"),
    };

    EXPECT_STR(shown(rows, 6, 3, 80),
               "           main        g\xc3\xa4rtner     two\n"
               "a.c:7      begin_with_something_long(and, on, and, on);\n"
               "a.c:1234               locks mutex 1\n"
               "                       -- interrupted --\n"
               "a.c:11                             pthread_mutex_lock(&m);  waits\n"
               "a.c:11                 pthread_mutex_lock(&m);  goes on\n"
               "                                   x  crashes\n");
    EXPECT_STR(shown(rows, 6, 3, 58), "           main  g\xc3\xa4rtner  two\n"
                                      "a.c:7      begin_with_something_long(and, on, and, on);\n"
                                      "a.c:1234         locks mutex 1\n"
                                      "                 -- interrupted --\n"
                                      "a.c:11                    pthread_mutex_lock(&m);  waits\n"
                                      "a.c:11           pthread_mutex_lock(&m);  goes on\n"
                                      "                          x  crashes\n");
}

TEST(names_stand_in_front_where_there_is_no_room_for_columns)
{
    struct rdl__row rows[] = {
        row(0, RDL__ROW_STEP, "a.c:7", "begin_with_something_long(and, on, and, on);", "starts"),
        row(1, RDL__ROW_INTERRUPTED, "a.c:10", "", ""),
        row(4, RDL__ROW_WAITS, "a.c:11", "pthread_mutex_lock(&m);", "waits for mutex 1"),
    };

    EXPECT_STR(shown(rows, 3, 5, 52), "a.c:7    main     begin_with_something_long(and, o..\n"
                                      "         g\xc3\xa4rtner  -- interrupted --\n"
                                      "a.c:11   four     pthread_mutex_lock(&m);  waits\n");
    EXPECT_STR(shown(rows, 2, 3, 40), "a.c:7    main     begin_with_something..\n"
                                      "         g\xc3\xa4rtner  -- interrupted --\n");
    EXPECT_STR(shown(rows, 0, 3, 40), "");
}

TEST(a_line_that_was_interrupted_says_which_part_of_it_was_done)
{
    struct rdl__row rows[] = {
        row(0, RDL__ROW_STEP, "a.c:7", "count++;", "reads count"),
        row(0, RDL__ROW_INTERRUPTED, "a.c:7", "count++;", "writes count"),
        row(1, RDL__ROW_STEP, "a.c:7", "count++;", "reads count, writes count"),
        row(0, RDL__ROW_STEP, "a.c:7", "count++;", "writes count")};

    rows[0].partly = rows[3].partly = true;
    EXPECT_STR(shown(rows, 4, 2, 80), "        main        g\xc3\xa4rtner\n"
                                      "a.c:7   count++;  reads count\n"
                                      "        -- interrupted --\n"
                                      "a.c:7               count++;\n"
                                      "a.c:7   count++;  writes count\n");
}

/* ---- Steps -------------------------------------------------------------------------------- */

static struct rdl__steps *new_steps(void)
{
    static struct rdl__steps steps;

    rdl__steps_clear(&steps);
    rdl__steps_name_thread(&steps, 2, "worker");
    return &steps;
}

TEST(of_too_many_steps_the_last_and_the_milestones_are_kept)
{
    struct rdl__steps *steps = new_steps(), *copy = malloc(sizeof *copy);
    struct rdl__step *all;
    size_t count;
    char room[40];

    EXPECT(copy != NULL);
    for (uint64_t n = 1; n <= 100000; n++)
        rdl__steps_add(steps, &(struct rdl__step){.number = n},
                       RDL__STEP_IS_RECENT | (n % 1000 == 0 ? RDL__STEP_IS_KEPT : 0) |
                           (n % 20000 == 1 ? RDL__STEP_IS_MILESTONE : 0));
    rdl__steps_copy(copy, steps);
    all = rdl__steps_read(copy, &count);
    EXPECT_EQ(count, RDL__STEPS_TOLD + 97 + 5);
    EXPECT_EQ(all[0].number, 1);
    EXPECT_EQ(all[1].number, 1000);
    EXPECT_EQ(all[count - 1].number, 100000);
    for (size_t i = 1; i < count; i++)
        EXPECT(all[i].number > all[i - 1].number);
    EXPECT_STR(rdl__steps_thread(copy, 2, room), "worker");
    EXPECT_STR(rdl__steps_thread(copy, 1, room), "thread 1");
    EXPECT_STR(rdl__steps_thread(copy, 99999, room), "thread 99999");
    free(all);
    all = rdl__steps_read_all(copy, &count);
    EXPECT_EQ(count, RDL__STEPS_RECENT + 83 + 5);
    EXPECT_EQ(all[count - RDL__STEPS_RECENT].number, 100001 - RDL__STEPS_RECENT);
    free(all);
    free(copy);
}
