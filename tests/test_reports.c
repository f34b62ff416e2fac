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

/* Everything that ends a string, a line, a tag or a comment somewhere; bytes
 * that are no characters (alone, too long, a surrogate, beyond Unicode, cut
 * off); and characters that must survive. */
static const char hostile[] =
    "</script><script>alert(1)</script> ]]> --> &amp; \" ' \\ # {} %s\n"
    "  ...\nnot ok 99 - forged\r\n\t\x01\x08\x1b[31m\x7f\xc2\x85\xe2\x80\xa8\xef\xbb\xbf"
    "\xef\xbf\xbf\x80\xff\xc0\xaf\xe0\x80\x80\xed\xa0\x80\xf4\x90\x80\x80\xf8\x88\x80\x80\x80"
    " gr\xc3\xbc\xc3\x9f \xf0\x9f\x90\x99 \xe2\x82";

static struct rdl__plan plan = {.command = "./tests", .seed = 7};

/* ---- Results made by hand ---- */

static struct rdl_test plain_test = {.name = "adds_up", .file = "tests/sum.c", .line = 12};
static struct rdl_test hostile_test = {.name = hostile, .file = hostile, .line = 1};

static struct rdl__line story_lines[] = {
    {RDL__EVENT_DRAW, 0, (char *)"xs", (char *)"{0, 1}", (char *)"any other value would do"},
    {RDL__EVENT_BEGIN, 0, (char *)"", (char *)"second half", (char *)""},
    {RDL__EVENT_NOTE, 1, (char *)"", (char *)"nothing\nleft", (char *)""},
};

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

static struct rdl__failure plain_failures[2] = {
    {
        .outcome = {.cause = RDL__BY_CHECK,
                    .file = "tests/sum.c",
                    .line = 15,
                    .check = "rdl_check_eq(sum(xs), 2)",
                    .text = "left:  1\nright: 2"},
        .story = {.lines = story_lines, .count = 3},
        .token = (char *)"rdl1.adds_up.AAEC",
        .output = (char *)"about to add\n",
        .found_at = 31,
        .source = "",
        .first_count = 40,
        .attempts = 187,
        .shrink_seconds = 0.25,
    },
    {
        .outcome = {.cause = RDL__BY_CRASH, .number = SIGSEGV, .text = "in sum+0x12 (tests)"},
        .token = (char *)"rdl1.adds_up.BBBB",
        .token_file = (char *)"tests/sum 2.token",
        .source = "tests/sum.raddle",
        .attempts = 13,
        .shrink_seconds = 0.5,
    },
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

/* A result is large, and changed by tests. */
static struct rdl__result *new_result(const struct rdl_test *test, enum rdl__test_verdict verdict,
                                      const char *kind, const char *text)
{
    static struct rdl__result results[8];
    static size_t next;
    struct rdl__result *result = &results[next++ % 8];

    *result = (struct rdl__result){
        .test = test, .verdict = verdict, .kind = kind, .seed = 7, .seconds = 1.5};
    snprintf(result->text, sizeof result->text, "%s", text);
    result->stats.cases = 1000;
    result->stats.discards = 3;
    return result;
}

static struct rdl__result *failing_result(size_t bugs)
{
    struct rdl__result *result = new_result(&plain_test, RDL__TEST_FAIL, "check", "");

    result->failures = plain_failures;
    result->failure_count = bugs;
    for (uint64_t choices = 2; choices < 20; choices = 3 * choices - 1)
        rdl__stats_length(&result->stats, choices); /* 2, 5 and 14 */
    return result;
}

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

/* A path in a new folder. */
static char *fresh_path(const char *name)
{
    char folder[] = "/tmp/test_reports.XXXXXX";

    EXPECT(mkdtemp(folder));
    return run(NULL, "printf %%s %s/%s", folder, name);
}

static char *contents(const char *path)
{
    return run(NULL, "cat '%s'", path);
}

static void remove_folder_of(const char *path)
{
    run(NULL, "rm -r \"$(dirname '%s')\"", path);
}

static void tell(const struct rdl__listener *listener, struct rdl__result *const *results,
                 size_t count, size_t planned)
{
    listener->run_started(listener->self, &plan, planned);
    for (size_t i = 0; i < count; i++) {
        if (listener->warning)
            listener->warning(listener->self, hostile);
        listener->test_ended(listener->self, results[i]);
    }
    if (listener->run_ended)
        listener->run_ended(listener->self, 2.5);
}

static bool write_to(const char *path, const char *format, struct rdl__result *const *results,
                     size_t count, size_t planned, struct rdl__error *error)
{
    struct rdl__report report;
    struct rdl__listener listener;

    EXPECT(rdl__report_open(&report, format, path, error));
    listener = rdl__report_listener(&report, &(struct rdl__looks){.width = 80});
    tell(&listener, results, count, planned);
    return rdl__report_close(&report, error);
}

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
    EXPECT_CONTAINS(passed, "\"failures\":[]}\n");
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

/* ---- JUnit ---- */

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

/* ---- Where reports go ---- */

TEST(several_reports_are_written_at_once)
{
    static const char *const formats[] = {"tap", "junit", "json", "html", "human"};
    struct rdl__report reports[5];
    struct rdl__listeners listeners = {.count = 5};
    struct rdl__result *result = failing_result(1);
    struct rdl__listener all;
    struct rdl__error error;
    char *paths[5];

    for (int i = 0; i < 5; i++) {
        paths[i] = fresh_path("report");
        EXPECT(rdl__report_open(&reports[i], formats[i], paths[i], &error));
        listeners.items[i] = rdl__report_listener(&reports[i], &(struct rdl__looks){0});
    }
    all = rdl__report_many(&listeners);
    all.test_started(all.self, result->test);
    tell(&all, &result, 1, 1);
    for (int i = 0; i < 5; i++) {
        EXPECT(rdl__report_close(&reports[i], &error));
        EXPECT_CONTAINS(contents(paths[i]), "rdl_check_eq(sum(xs), 2)");
        remove_folder_of(paths[i]);
    }
}

TEST(lines_go_out_when_their_test_ends)
{
    static const char *const formats[] = {"tap", "json"};

    for (int i = 0; i < 2; i++) {
        char *path = fresh_path("report");
        struct rdl__report report;
        struct rdl__listener listener;
        struct rdl__error error;

        EXPECT(rdl__report_open(&report, formats[i], path, &error));
        listener = rdl__report_listener(&report, NULL);
        listener.run_started(listener.self, &plan, 2);
        listener.test_ended(listener.self, failing_result(1));
        EXPECT_CONTAINS(contents(path), "adds_up");
        EXPECT(rdl__report_close(&report, &error));
        remove_folder_of(path);
    }
}

TEST(a_document_is_whole_or_not_there)
{
    char *path = fresh_path("report.xml");
    struct rdl__report report;
    struct rdl__listener listener;
    struct rdl__error error;

    EXPECT(rdl__report_open(&report, "junit", path, &error));
    listener = rdl__report_listener(&report, NULL);
    listener.run_started(listener.self, &plan, 2);
    listener.test_ended(listener.self, failing_result(1));
    EXPECT(rdl__report_close(&report, &error));
    EXPECT_STR(run(NULL, "ls -A \"$(dirname '%s')\"", path), "");
    remove_folder_of(path);
}

TEST(a_document_goes_where_a_link_points)
{
    char *path = fresh_path("link");
    struct rdl__result *result = failing_result(1);
    struct rdl__error error;

    run(NULL, "cd \"$(dirname '%s')\" && touch real && ln -s real link", path);
    EXPECT(write_to(path, "html", &result, 1, 1, &error));
    EXPECT_CONTAINS(run(NULL, "cat \"$(dirname '%s')/real\"", path), "</html>");
    EXPECT_STR(run(NULL, "readlink '%s'", path), "real\n");
    remove_folder_of(path);
}

TEST(a_place_that_cannot_be_written_is_told_at_once)
{
    static const char *const formats[] = {"tap", "json", "junit", "html"};
    struct rdl__report report;
    struct rdl__error error;

    for (int i = 0; i < 4; i++) {
        EXPECT(!rdl__report_open(&report, formats[i], "/nowhere/at/all", &error));
        EXPECT_STR(error.text, "cannot write /nowhere/at/all: No such file or directory");
        EXPECT(!rdl__report_open(&report, formats[i], "/tmp", &error));
        EXPECT_STR(error.text, "cannot write /tmp: Is a directory");
        EXPECT(!rdl__report_open(&report, formats[i], "", &error));
    }
    EXPECT(!rdl__report_open(&report, "yaml", NULL, &error));
    EXPECT_STR(error.text, "unknown format yaml: it can be human, tap, junit, json or html");
}

/* Documents are not given the path: were they to replace the device, as the
 * superuser they could. */
TEST(a_full_disk_is_told_in_the_end)
{
    static const char *const formats[] = {"tap", "json", "human", "junit", "html"};
    int full = open("/dev/full", O_WRONLY), output = dup(STDOUT_FILENO);
    struct rdl__result *result = failing_result(1);
    struct rdl__error errors[5];
    bool ok = false;

    EXPECT(full >= 0 && output >= 0);
    fflush(stdout);
    dup2(full, STDOUT_FILENO);
    for (int i = 0; i < 5; i++)
        ok = write_to(NULL, formats[i], &result, 1, 1, &errors[i]) || ok;
    dup2(output, STDOUT_FILENO);
    EXPECT(!ok);
    for (int i = 0; i < 5; i++)
        EXPECT_STR(errors[i].text, "cannot write to standard output: No space left on device");
    EXPECT(!write_to("/dev/full", "tap", &result, 1, 1, &errors[0]));
    EXPECT_STR(errors[0].text, "cannot write /dev/full: No space left on device");
    close(full);
    close(output);
}

TEST(a_document_does_not_take_the_place_of_a_pipe)
{
    char *path = fresh_path("pipe");
    struct rdl__result *result = failing_result(1);
    struct rdl__error error;
    struct stat status;
    char head[6] = "";
    int reader;

    EXPECT(mkfifo(path, 0600) == 0);
    reader = open(path, O_RDONLY | O_NONBLOCK);
    EXPECT(write_to(path, "junit", &result, 1, 1, &error));
    EXPECT(stat(path, &status) == 0 && S_ISFIFO(status.st_mode));
    EXPECT_EQ(read(reader, head, 5), 5);
    EXPECT_STR(head, "<?xml");
    close(reader);
    remove_folder_of(path);
}

TEST(a_reader_that_went_away_is_told_and_does_not_end_us)
{
    struct rdl__result *result = failing_result(1);
    struct rdl__report report;
    struct rdl__listener listener;
    struct rdl__error error;
    char path[64];
    int ends[2];

    EXPECT(pipe(ends) == 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", ends[1]);
    EXPECT(rdl__report_open(&report, "tap", path, &error));
    close(ends[0]);
    listener = rdl__report_listener(&report, NULL);
    tell(&listener, &result, 1, 1);
    EXPECT(!rdl__report_close(&report, &error));
    EXPECT_CONTAINS(error.text, "Broken pipe");
    close(ends[1]);
}

/* Whoever shares our standard output may have made it so. */
TEST(a_pipe_that_does_not_block_gets_everything_all_the_same)
{
    struct rdl__result *result = failing_result(1);
    struct rdl__failure failure = plain_failures[0];
    struct rdl__text output = {0};
    int ends[2], status;
    pid_t writer;

    for (int i = 0; i < 300000; i++)
        rdl__text_add(&output, "x");
    failure.output = output.bytes;
    result->failures = &failure;
    EXPECT(pipe(ends) == 0 && fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0);
    writer = fork();
    if (writer == 0) {
        struct rdl__error error;

        dup2(ends[1], STDOUT_FILENO);
        _exit(!write_to(NULL, "json", &result, 1, 1, &error));
    }
    close(ends[1]);
    EXPECT_STR(run(NULL, "sleep 0.1; tail -c 6 <&%d", ends[0]), "x\"}]}\n");
    close(ends[0]);
    EXPECT(waitpid(writer, &status, 0) == writer && status == 0);
    rdl__text_release(&output);
}
