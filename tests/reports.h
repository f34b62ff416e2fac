/* reports.h -- results made by hand, and reports of them: for tests of reports. */
#ifndef TESTS_REPORTS_H
#define TESTS_REPORTS_H

#include "harness.h"

#include <stdio.h>
#include <stdlib.h>

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

static struct rdl__line story_lines[] = {
    {RDL__EVENT_DRAW, 0, (char *)"xs", (char *)"{0, 1}", (char *)"any other value would do"},
    {RDL__EVENT_BEGIN, 0, (char *)"", (char *)"second half", (char *)""},
    {RDL__EVENT_NOTE, 1, (char *)"", (char *)"nothing\nleft", (char *)""},
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

#endif
