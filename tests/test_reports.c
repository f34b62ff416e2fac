/* test_reports.c -- what reports say, and that no string can break their format.  Pages for
 * browsers: test_page.c. */
#include "harness.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "choice/regress.h"
#include "report/report.h"
#include "reports.h"

/* ---- Results made by hand ---- */

static struct rdl_test hostile_test = {.name = hostile, .file = hostile, .line = 1};

static struct rdl__line hostile_lines[] = {
    {RDL__EVENT_DRAW, 0, (char *)hostile, (char *)hostile, (char *)hostile},
    {RDL__EVENT_BEGIN, 0, (char *)hostile, (char *)hostile, (char *)hostile},
    {RDL__EVENT_NOTE, 1, (char *)hostile, (char *)hostile, (char *)hostile},
};

static char *hostile_threads[] = {(char *)hostile, (char *)"two"};

static struct rdl__row hostile_rows[] = {
    {.thread = 0,
     .file = (char *)hostile,
     .line = 1,
     .place = (char *)hostile,
     .source = (char *)hostile,
     .does = (char *)hostile,
     .partly = true},
    {.thread = 1,
     .mark = RDL__ROW_FAILS,
     .file = (char *)hostile,
     .place = (char *)hostile,
     .source = (char *)"",
     .does = (char *)hostile},
};

static struct rdl__failure hostile_failure = {
    .story = {.lines = hostile_lines, .count = 3, .lost = 9},
    .schedule = {.headline = (char *)hostile,
                 .threads = hostile_threads,
                 .thread_count = 2,
                 .failed = 1,
                 .failing = "fails",
                 .rows = hostile_rows,
                 .count = 2},
    .token = (char *)hostile,
    .token_file = (char *)hostile,
    .output = (char *)hostile,
    .unsteady = (char *)hostile,
    .source = hostile,
};

static struct rdl__result *hostile_result(void)
{
    struct rdl__result *result = new_result(&hostile_test, RDL__TEST_FAIL, hostile, hostile);
    struct rdl__outcome *outcome = &hostile_failure.outcome;

    snprintf(outcome->file, sizeof outcome->file, "%s", hostile);
    snprintf(outcome->check, sizeof outcome->check, "%s", hostile);
    snprintf(outcome->text, sizeof outcome->text, "%s", hostile);
    result->failures = &hostile_failure;
    result->failure_count = 1;
    result->stats.label_count = result->stats.measure_count = 1;
    result->stats.labels[0] = (struct rdl__label){.cases = 500, .required = 25};
    memcpy(result->stats.labels[0].name, hostile, RDL__NAME_ROOM - 1);
    result->stats.measures[0] = (struct rdl__measure){
        .name = "</p>\xff", .count = 2, .min = -INFINITY, .max = NAN, .sum = 1e300};
    result->stats.measures[0].buckets[RDL__BUCKETS - 1] = 2;
    return result;
}

/* ---- Writing and reading reports ---- */

/* The report about these tests, in a file of its own. */
static char *write_report(const char *format, struct rdl__result *const *results, size_t count,
                          size_t planned)
{
    char *path = fresh_path("report");
    struct rdl__error error;

    EXPECT(write_to(path, format, results, count, planned, &error));
    return path;
}

static char *report_of(const char *format, struct rdl__result *result)
{
    char *path = write_report(format, &result, 1, 1);
    char *text = contents(path);

    remove_folder_of(path);
    return text;
}

/* What a program in Python has to say about a report on all kinds of results. */
static char *judged(const char *format, const char *program)
{
    struct rdl__result *results[] = {
        new_result(&plain_test, RDL__TEST_PASS, "", ""), failing_result(2), hostile_result(),
        new_result(&hostile_test, RDL__TEST_SKIP, "", hostile),
        new_result(&hostile_test, RDL__TEST_ERROR, "discards", hostile)};
    char *path = write_report(format, results, 5, 5);
    char *script = fresh_path("judge.py"), *said;
    struct rdl__error error;

    EXPECT(rdl__write_file(script, program, strlen(program), &error));
    said = run(NULL, "python3 '%s' '%s'", script, path);
    remove_folder_of(script);
    remove_folder_of(path);
    return said;
}

/* ---- For people ---- */

/* What code prints, and tests note, may be anything; a terminal is not to obey it. */
TEST(people_see_what_a_terminal_would_obey)
{
    struct rdl__line line = {RDL__EVENT_NOTE, 0, (char *)"", (char *)"read \x1b]0;me\x07",
                             (char *)""};
    struct rdl__failure failure = plain_failures[0];
    struct rdl__result *result = failing_result(1);
    char *said;

    failure.output = (char *)"\x1b[2Jgone\r\tback\xc2\x9b\n";
    failure.story = (struct rdl__story){.lines = &line, .count = 1};
    snprintf(failure.outcome.text, sizeof failure.outcome.text, "left: \x1b[31m");
    result->failures = &failure;
    said = report_of("human", result);
    EXPECT_CONTAINS(said, "    | \\x1b[2Jgone\\x0d\tback\\xc2\\x9b\n");
    EXPECT_CONTAINS(said, "    read \\x1b]0;me\\x07\n");
    EXPECT_CONTAINS(said, "      left: \\x1b[31m\n");
    EXPECT_LACKS(said, "\x1b[2J");
    EXPECT_LACKS(said, "\x1b]0");
}

/* ---- JSON ---- */

TEST(json_is_valid_whatever_the_bytes)
{
    EXPECT_STR(judged("json", "import json, sys\n"
                              "def refuse(what): raise ValueError(what)\n"
                              "text = open(sys.argv[1], 'rb').read().decode('utf-8')\n"
                              "lines = text.splitlines()\n"
                              "tests = [json.loads(s, parse_constant=refuse) for s in lines]\n"
                              "assert len({tuple(t) for t in tests}) == 1, 'keys differ'\n"
                              "bad = tests[2]\n"
                              "for said in bad['test'], bad['failures'][0]['story'][0]['value'], "
                              "bad['failures'][0]['output'], bad['warnings'][0], "
                              "bad['failures'][0]['schedule']['rows'][0]['does']:\n"
                              "    assert said.startswith('</script><script>'), said\n"
                              "    assert 'gr\\u00fc\\u00df \\U0001f419' in said, said\n"
                              "    assert '\\r\\n\\t\\x01\\x08\\x1b[31m\\x7f' in said, said\n"
                              "print([t['verdict'] for t in tests])\n"),
               "['pass', 'fail', 'fail', 'skip', 'error']\n");
}

TEST(json_tells_everything_in_a_fixed_order)
{
    EXPECT_CONTAINS(
        report_of("json", failing_result(1)),
        "{\"test\":\"adds_up\",\"file\":\"tests/sum.c\",\"line\":12,\"verdict\":\"fail\","
        "\"kind\":\"check\",\"message\":\"tests/sum.c:15: rdl_check_eq(sum(xs), 2)\","
        "\"cases\":1000,\"class\":null,\"round\":null,\"phases\":null,\"schedules\":null,"
        "\"preemptions\":null,\"hash\":null,\"discards\":3,\"deviation\":null,"
        "\"deviated\":null,\"seconds\":1.500000,\"seed\":7,\"exhausted\":false,"
        "\"interrupted\":false,\"replayed\":false,\"token\":\"rdl1.adds_up.AAEC\","
        "\"replay\":\"./tests --replay rdl1.adds_up.AAEC\","
        "\"shrink\":{\"attempts\":187,\"seconds\":0.250000},\"labels\":[],"
        "\"measures\":[],\"lengths\":{\"count\":3,\"min\":2.0,\"mean\":7.0,\"max\":14.0,"
        "\"buckets\":[{\"from\":2,\"below\":4,\"count\":1},{\"from\":4,\"below\":8,\"count\":1},"
        "{\"from\":8,\"below\":16,\"count\":1}]},\"calls\":[],\"followed\":[],\"states\":[],"
        "\"preconditions\":[],\"requirements\":[],\"warnings\":[");
}

TEST(json_says_null_where_nothing_is_known)
{
    char *passed = report_of("json", new_result(&plain_test, RDL__TEST_PASS, "", ""));
    char *bad = report_of("json", hostile_result());

    EXPECT_CONTAINS(passed, "\"kind\":null,\"message\":null,");
    EXPECT_CONTAINS(passed, "\"token\":null,\"replay\":null,");
    EXPECT_CONTAINS(passed, "\"failures\":[],\"suspected\":[]}\n");
    EXPECT_CONTAINS(bad, "\"min\":null,\"mean\":5e+299,\"max\":null,"
                         "\"buckets\":[{\"from\":4194304,\"below\":null,\"count\":2}]}");
    EXPECT_CONTAINS(bad, "\"cases\":500,\"percent\":50.000,\"required\":25.0}");
}

TEST(json_lists_every_bug)
{
    char *text = report_of("json", failing_result(2));

    EXPECT_CONTAINS(text, "\"shrink\":{\"attempts\":200,\"seconds\":0.750000}");
    EXPECT_CONTAINS(text, "\"story\":[{\"name\":\"xs\",\"value\":\"{0, 1}\","
                          "\"remark\":\"any other value would do\",\"depth\":0},");
    EXPECT_CONTAINS(text, "{\"kind\":\"crash\","
                          "\"message\":\"crashed with SIGSEGV in sum+0x12 (tests)\"");
    EXPECT_CONTAINS(text, "\"replay\":\"./tests --replay '@tests/sum 2.token'\"");
}

/* ---- TAP ---- */

/* Each line of TAP, with what the YAML strings hold, which are strings of JSON. */
static const char tap_judge[] =
    "import json, re, sys\n"
    "text = open(sys.argv[1], 'rb').read().decode('utf-8')\n"
    "assert not re.search('[\\0-\\x09\\x0b-\\x1f\\x7f-\\x9f\\u2028\\u2029]', text)\n"
    "block = False\n"
    "for line in text.splitlines():\n"
    "    if line in ('  ---', '  ...'):\n"
    "        assert block == (line == '  ...')\n"
    "        block = not block\n"
    "    elif block:\n"
    "        shape = re.fullmatch(r' +(- )?([a-z]+:( |$))?(\".*\"|[a-z0-9]+)?', line)\n"
    "        assert shape, line\n"
    "        if shape[4] and shape[4][0] == '\"': json.loads(shape[4])\n"
    "    else:\n"
    "        assert re.match(r'TAP version 14$|1\\.\\.5$|# warning: |(not )?ok [1-5] - ', line)\n"
    "        print(line[:12] if line[0] != '#' else '')\n";

TEST(tap_keeps_its_structure_whatever_the_bytes)
{
    EXPECT_STR(judged("tap", tap_judge), "TAP version \n1..5\n\nok 1 - adds_\n\nnot ok 2 - a\n"
                                         "\nnot ok 3 - <\n\nok 4 - </scr\n\nnot ok 5 - <\n");
}

TEST(tap_explains_a_failure_in_yaml)
{
    EXPECT_CONTAINS(report_of("tap", failing_result(2)),
                    "not ok 1 - adds_up\n"
                    "  ---\n"
                    "  message: \"tests/sum.c:15: rdl_check_eq(sum(xs), 2)\"\n"
                    "  severity: fail\n"
                    "  at:\n"
                    "    file: \"tests/sum.c\"\n"
                    "    line: 15\n"
                    "  kind: \"check\"\n"
                    "  detail: \"left:  1\\nright: 2\"\n"
                    "  story:\n"
                    "    - \"xs = {0, 1}    (any other value would do)\"\n"
                    "    - \"second half:\"\n"
                    "    - \"  nothing\\nleft\"\n"
                    "  cases: 1000\n"
                    "  discards: 3\n"
                    "  seed: 7\n"
                    "  token: \"rdl1.adds_up.AAEC\"\n"
                    "  replay: \"./tests --replay rdl1.adds_up.AAEC\"\n"
                    "  others:\n"
                    "    - kind: crash\n"
                    "      message: \"crashed with SIGSEGV in sum+0x12 (tests)\"\n"
                    "      token: \"rdl1.adds_up.BBBB\"\n"
                    "      replay: \"./tests --replay '@tests/sum 2.token'\"\n"
                    "  ...\n");
}

TEST(tap_escapes_what_would_begin_a_directive)
{
    struct rdl_test tricky = {.name = "a # skip \\ b", .file = "t.c", .line = 1};

    EXPECT_CONTAINS(report_of("tap", new_result(&tricky, RDL__TEST_SKIP, "", "see #5\nand\\or")),
                    "ok 1 - a \\# skip \\\\ b # SKIP see \\#5 and\\\\or\n");
}

TEST(tap_bails_out_when_the_run_does_not_get_to_its_end)
{
    struct rdl__result *cut =
        new_result(&plain_test, RDL__TEST_SKIP, "interrupted", "interrupted after 9 cases");
    struct rdl__result *failed = failing_result(1);
    char *path;

    cut->interrupted = true;
    EXPECT_CONTAINS(report_of("tap", cut), "Bail out! interrupted\n");
    EXPECT_LACKS(report_of("tap", cut), "ok 1");
    path = write_report("tap", &failed, 1, 3);
    EXPECT_CONTAINS(contents(path), "  ...\nBail out! stopped at the first failure\n");
    remove_folder_of(path);
    EXPECT_LACKS(report_of("tap", failed), "Bail out!");
}

/* Races that are suspected: who counts failures is to see none. */
static struct rdl__result *suspecting_result(void)
{
    static struct rdl__failure suspected = {
        .outcome = {.cause = RDL__BY_RACE,
                    .file = "sum.c",
                    .line = 9,
                    .check = "suspected data race between a and b # SKIP",
                    .text = "a wrote 4 bytes at sum.c:8\nb reads 4 bytes at sum.c:9"},
        .token = (char *)"rdl1.adds_up.CC",
    };
    struct rdl__result *result = new_result(&plain_test, RDL__TEST_PASS, "", "");

    result->suspected = &suspected;
    result->suspected_count = 1;
    return result;
}

TEST(tap_lists_suspected_races_in_comments)
{
    EXPECT_CONTAINS(report_of("tap", suspecting_result()),
                    "ok 1 - adds_up\n"
                    "# 1 suspected data race, which only code that Raddle does not see may put in "
                    "order\n"
                    "# sum.c:9: suspected data race between a and b \\# SKIP\n"
                    "#   a wrote 4 bytes at sum.c:8\n"
                    "#   b reads 4 bytes at sum.c:9\n"
                    "#   replay: ./tests --replay rdl1.adds_up.CC\n");
}

/* ---- JUnit ---- */

TEST(junit_lists_suspected_races_in_the_output_of_a_test_that_passes)
{
    char *text = report_of("junit", suspecting_result());

    EXPECT_CONTAINS(text, "tests=\"1\" failures=\"0\" errors=\"0\"");
    EXPECT_CONTAINS(text, "<system-out>1 suspected data race, which only code that Raddle does not "
                          "see may put in order:\n"
                          "\n"
                          "sum.c:9: suspected data race between a and b # SKIP\n"
                          "  a wrote 4 bytes at sum.c:8\n"
                          "  b reads 4 bytes at sum.c:9\n"
                          "\n"
                          "token:  rdl1.adds_up.CC\n"
                          "replay: ./tests --replay rdl1.adds_up.CC\n"
                          "</system-out>");
    EXPECT_LACKS(text, "<failure");
}

TEST(junit_is_well_formed_whatever_the_bytes)
{
    struct rdl__result *results[] = {new_result(&plain_test, RDL__TEST_PASS, "", ""),
                                     hostile_result(),
                                     new_result(&hostile_test, RDL__TEST_SKIP, "", hostile),
                                     new_result(&hostile_test, RDL__TEST_ERROR, hostile, hostile)};
    char *path = write_report("junit", results, 4, 4);

    EXPECT_STR(run(NULL, "xmllint --noout '%s'", path), "");
    EXPECT_STR(run(NULL, "xmllint --xpath 'string(//testsuite/@tests)' '%s'", path), "4\n");
    EXPECT_STR(run(NULL, "xmllint --xpath 'count(//failure)' '%s'", path), "1\n");
    EXPECT_STR(run(NULL, "xmllint --xpath 'count(//error)' '%s'", path), "1\n");
    EXPECT_STR(run(NULL, "xmllint --xpath 'string(//testsuite/@skipped)' '%s'", path), "1\n");
    EXPECT_CONTAINS(run(NULL, "xmllint --xpath 'string(//system-out)' '%s'", path),
                    "</script><script>alert(1)</script> ]]> --> &amp; \" ' \\ # {} %s\n");
    remove_folder_of(path);
}

TEST(junit_tells_the_story_of_each_bug)
{
    char *text = report_of("junit", failing_result(2));

    EXPECT_CONTAINS(text, "<testsuite name=\"tests\" tests=\"1\" failures=\"1\" errors=\"0\" "
                          "skipped=\"0\" time=\"2.500000\">");
    EXPECT_CONTAINS(text, "<testcase name=\"adds_up\" classname=\"tests/sum\" file=\"tests/sum.c\" "
                          "line=\"12\" time=\"1.500000\">");
    EXPECT_CONTAINS(text, "<failure message=\"tests/sum.c:15: rdl_check_eq(sum(xs), 2)\" "
                          "type=\"check\">tests/sum.c:15: rdl_check_eq(sum(xs), 2)\n"
                          "  left:  1\n"
                          "  right: 2\n"
                          "\n"
                          "with\n"
                          "  xs = {0, 1}    (any other value would do)\n"
                          "  second half:\n"
                          "    nothing\n"
                          "    left\n"
                          "\n"
                          "token:  rdl1.adds_up.AAEC\n"
                          "replay: ./tests --replay rdl1.adds_up.AAEC\n"
                          "\n"
                          "crashed with SIGSEGV in sum+0x12 (tests)\n");
    EXPECT_CONTAINS(text, "<system-out>about to add\n</system-out>");
}

TEST(an_interrupted_test_has_not_passed)
{
    struct rdl__result *cut =
        new_result(&plain_test, RDL__TEST_SKIP, "interrupted", "interrupted after 9 cases");

    cut->interrupted = true;
    EXPECT_CONTAINS(report_of("junit", cut), "<skipped message=\"interrupted after 9 cases\"/>");
    EXPECT_CONTAINS(report_of("json", cut), "\"verdict\":\"skip\"");
}

/* ---- What formats share ---- */

static char *headline(enum rdl__cause cause, int number, const char *text)
{
    static struct rdl__text out;
    struct rdl__failure failure = {.outcome = {.cause = cause, .number = number}};

    snprintf(failure.outcome.text, sizeof failure.outcome.text, "%s", text);
    rdl__text_clear(&out);
    rdl__failure_headline(&out, &failure);
    return out.bytes;
}

TEST(headlines_say_how_a_case_ended)
{
    EXPECT_STR(headline(RDL__BY_CRASH, SIGABRT, ""), "crashed with SIGABRT");
    EXPECT_STR(headline(RDL__BY_EXIT, 3, ""), "exited with status 3 in the middle of a case");
    EXPECT_STR(headline(RDL__BY_HANG, 50, "in spin+0x4"), "did not end within 50 ms in spin+0x4");
}

TEST(a_replay_command_can_be_pasted_into_a_shell)
{
    struct rdl__plan odd = {.command = "./my tests/it's"};
    struct rdl__failure lost = {0};
    struct rdl__text command = {0};

    rdl__replay_command(&command, &odd, &lost);
    EXPECT_EQ(command.count, 0);
    rdl__replay_command(&command, &odd, &plain_failures[0]);
    EXPECT_STR(command.bytes, "'./my tests/it'\\''s' --replay rdl1.adds_up.AAEC");
    rdl__text_clear(&command);
    rdl__replay_command(&command, &plan, &hostile_failure);
    EXPECT_CONTAINS(run(NULL, "printf '<%%s>' %s", command.bytes + strlen("./tests ")),
                    "<--replay><@</script><script>alert(1)</script> ]]> --> &amp; \" ' \\ # {} %s");
    rdl__text_release(&command);
}

TEST(long_texts_arrive_whole)
{
    static const char *const formats[] = {"tap", "json", "junit", "html"};
    struct rdl__failure failure = plain_failures[0];
    struct rdl__result *result = failing_result(1);
    struct rdl__text value = {0};

    for (int i = 0; i < 300000; i++)
        rdl__text_add_bytes(&value, "<\xc3\xbc>\n", 5);
    failure.story = (struct rdl__story){
        .lines = &(struct rdl__line){RDL__EVENT_NOTE, 0, (char *)"", value.bytes, (char *)""},
        .count = 1};
    result->failures = &failure;
    for (int i = 0; i < 4; i++)
        EXPECT(strlen(report_of(formats[i], result)) > value.count);
    rdl__text_release(&value);
}

/* What counts is its end, and what was made to go wrong. */
TEST(of_a_long_story_the_middle_is_left_out)
{
    enum { LINES = 500, WRONG = 200 };
    struct rdl__failure failure = plain_failures[0];
    struct rdl__result *result = failing_result(1);
    struct rdl__line lines[LINES];
    char values[LINES][40];
    const char *report;

    for (int i = 0; i < LINES; i++) {
        snprintf(values[i], sizeof values[i], "call(%d)%s", i,
                 i == WRONG ? " -> -1, injected" : "");
        lines[i] = (struct rdl__line){RDL__EVENT_NOTE, 0, (char *)"", values[i], (char *)""};
    }
    failure.story = (struct rdl__story){.lines = lines, .count = LINES};
    result->failures = &failure;
    report = report_of("human", result);
    EXPECT_CONTAINS(report, "    call(99)\n    ... and 100 more\n    call(200) -> -1, injected\n"
                            "    ... and 199 more\n    call(400)\n");
    EXPECT_CONTAINS(report, "    call(0)\n");
    EXPECT_CONTAINS(report, "    call(499)\n");
}
