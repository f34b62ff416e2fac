/* tap.c -- the Test Anything Protocol, version 14.
 *
 * A test is a line; below one that did not pass stands a block of YAML.  All
 * strings in it are in double quotes, so that they may hold anything. */
#include <string.h>

#include "report/report.h"

#include <inttypes.h>

/* A description or a reason ends with its line, and at a '#'. */
static bool add_special(struct rdl__text *out, uint32_t code)
{
    if (code == '#' || code == '\\')
        rdl__text_add(out, "\\%c", (char)code);
    else if (code < ' ' || (code >= 0x7f && code < 0xa0) || code == 0x2028 || code == 0x2029)
        rdl__text_add(out, " ");
    else
        return false;
    return true;
}

/* ---- YAML ------------------------------------------------------------------------- */

static void add_string(struct rdl__text *out, int indent, const char *key, const char *value)
{
    if (!value || !*value)
        return;
    rdl__text_add(out, "%*s%s: ", indent, "", key);
    rdl__add_json_string(out, value);
    rdl__text_add(out, "\n");
}

static void add_place(struct rdl__text *out, const struct rdl__result *result)
{
    const struct rdl__outcome *outcome =
        result->failure_count ? &result->failures[0].outcome : NULL;
    bool known = outcome && outcome->file[0];

    rdl__text_add(out, "  at:\n");
    add_string(out, 4, "file", known ? outcome->file : result->test->file);
    rdl__text_add(out, "    line: %d\n", known ? outcome->line : result->test->line);
}

static void add_replay(struct rdl__text *out, int indent, const struct rdl__plan *plan,
                       const struct rdl__failure *failure)
{
    struct rdl__text command = {0};

    rdl__replay_command(&command, plan, failure);
    add_string(out, indent, "token", failure->token);
    add_string(out, indent, "replay", command.bytes);
    rdl__text_release(&command);
}

static void add_story(struct rdl__text *out, const struct rdl__failure *failure)
{
    struct rdl__text line = {0};

    add_string(out, 2, "detail", rdl__failure_detail(failure));
    add_string(out, 2, "unsteady", failure->unsteady);
    if (failure->story.count)
        rdl__text_add(out, "  story:\n");
    for (size_t i = 0; i < failure->story.count; i++) {
        const struct rdl__line *it = &failure->story.lines[i];

        rdl__text_clear(&line);
        rdl__text_add(&line, "%*s", 2 * it->depth, "");
        rdl__add_line(&line, it);
        if (it->remark[0])
            rdl__text_add(&line, "    (%s)", it->remark);
        rdl__text_add(out, "    - ");
        rdl__add_json_string(out, line.bytes);
        rdl__text_add(out, "\n");
    }
    rdl__text_release(&line);
}

static void add_schedule(struct rdl__text *out, const struct rdl__schedule *schedule)
{
    struct rdl__text rows = {0}, line = {0};

    if (!schedule->headline)
        return;
    add_string(out, 2, "schedule", schedule->headline);
    rdl__add_schedule(&rows, schedule, RDL__PLAIN_WIDTH, NULL);
    if (rows.count)
        rdl__text_add(out, "  rows:\n");
    for (const char *at = rdl__text_string(&rows); *at;) {
        size_t length = strcspn(at, "\n");

        rdl__text_clear(&line);
        rdl__text_add_bytes(&line, at, length);
        rdl__text_add(out, "    - ");
        rdl__add_json_string(out, line.bytes);
        rdl__text_add(out, "\n");
        at += length + (at[length] == '\n');
    }
    rdl__text_release(&line);
    rdl__text_release(&rows);
}

static void add_others(struct rdl__text *out, const struct rdl__plan *plan,
                       const struct rdl__result *result)
{
    struct rdl__text headline = {0};

    if (result->failure_count > 1)
        rdl__text_add(out, "  others:\n");
    for (size_t i = 1; i < result->failure_count; i++) {
        const struct rdl__failure *failure = &result->failures[i];

        rdl__text_clear(&headline);
        rdl__failure_headline(&headline, failure);
        rdl__text_add(out, "    - kind: %s\n", rdl__failure_kind(failure));
        add_string(out, 6, "message", headline.bytes);
        add_replay(out, 6, plan, failure);
    }
    rdl__text_release(&headline);
}

static void add_diagnostic(struct rdl__text *out, const struct rdl__plan *plan,
                           const struct rdl__result *result, const char *message)
{
    rdl__text_add(out, "  ---\n");
    add_string(out, 2, "message", message);
    rdl__text_add(out, "  severity: %s\n", rdl__verdict_name(result->verdict));
    add_place(out, result);
    add_string(out, 2, "kind", result->kind);
    if (result->failure_count) {
        add_story(out, &result->failures[0]);
        add_schedule(out, &result->failures[0].schedule);
    }
    rdl__text_add(out, "  cases: %" PRIu64 "\n  discards: %" PRIu64 "\n  seed: %" PRIu64 "\n",
                  result->stats.cases, result->stats.discards, result->seed);
    if (result->failure_count)
        add_replay(out, 2, plan, &result->failures[0]);
    add_others(out, plan, result);
    rdl__text_add(out, "  ...\n");
}

/* A line of a comment, whatever stands in it. */
static void add_comment(struct rdl__text *out, const char *margin, const char *text, size_t length)
{
    struct rdl__text line = {0};

    rdl__text_add_bytes(&line, text, length);
    rdl__text_add(out, "# %s", margin);
    rdl__add_escaped(out, rdl__text_string(&line), add_special);
    rdl__text_add(out, "\n");
    rdl__text_release(&line);
}

/* Races that are no failures: in comments, which nobody counts. */
static void add_suspected(struct rdl__text *out, const struct rdl__plan *plan,
                          const struct rdl__result *result)
{
    struct rdl__text text = {0};

    for (size_t i = 0; i < result->suspected_count; i++) {
        const struct rdl__failure *failure = &result->suspected[i];

        rdl__text_clear(&text);
        rdl__failure_headline(&text, failure);
        add_comment(out, "", text.bytes, text.count);
        for (const char *at = rdl__failure_detail(failure); at && *at;) {
            size_t length = strcspn(at, "\n");

            add_comment(out, "  ", at, length);
            at += length + (at[length] == '\n');
        }
        rdl__text_clear(&text);
        rdl__replay_command(&text, plan, failure);
        add_comment(out, "  replay: ", text.bytes, text.count);
    }
    rdl__text_release(&text);
}

/* ---- Listening -------------------------------------------------------------------- */

static void start(void *self, const struct rdl__plan *plan, size_t tests)
{
    struct rdl__report *report = self;

    rdl__report_begin(report, plan, tests);
    rdl__text_add(&report->text, "TAP version 14\n1..%zu%s\n", tests, tests ? "" : " # no tests");
    rdl__report_flush(report);
}

static void warn(void *self, const char *text)
{
    struct rdl__report *report = self;

    rdl__text_add(&report->text, "# warning: ");
    rdl__add_escaped(&report->text, text, add_special);
    rdl__text_add(&report->text, "\n");
    rdl__report_flush(report);
}

static void add_result(struct rdl__report *report, const struct rdl__result *result)
{
    bool passed = result->verdict == RDL__TEST_PASS || result->verdict == RDL__TEST_SKIP;
    struct rdl__text message = {0}, *out = &report->text;

    rdl__result_message(&message, result);
    rdl__text_add(out, "%s %zu - ", passed ? "ok" : "not ok", rdl__report_ended(report) + 1);
    rdl__add_escaped(out, result->test->name, add_special);
    if (result->verdict == RDL__TEST_SKIP) {
        rdl__text_add(out, " # SKIP ");
        rdl__add_escaped(out, rdl__text_string(&message), add_special);
    }
    rdl__text_add(out, "\n");
    if (result->verdict == RDL__TEST_PASS && rdl__covered_text(result)) {
        rdl__text_add(out, "# covered: ");
        rdl__add_escaped(out, rdl__covered_text(result), add_special);
        rdl__text_add(out, "\n");
    }
    if (result->covered.note[0])
        rdl__text_add(out, "# note: %s\n", result->covered.note);
    if (result->suspected_count > 0) {
        rdl__text_add(out, "# ");
        rdl__add_suspected_count(out, result);
        rdl__text_add(out, "\n");
        add_suspected(out, report->plan, result);
    }
    if (!passed)
        add_diagnostic(out, report->plan, result, rdl__text_string(&message));
    rdl__text_release(&message);
}

/* Of a test that was cut short nothing is said: the run bails out. */
static void add_test(void *self, const struct rdl__result *result)
{
    struct rdl__report *report = self;

    if (strcmp(result->kind, "interrupted") != 0)
        add_result(report, result);
    rdl__report_flush(report);
    rdl__report_count(report, result);
}

static void end(void *self, double seconds)
{
    struct rdl__report *report = self;

    (void)seconds;
    if (report->interrupted)
        rdl__text_add(&report->text, "Bail out! interrupted\n");
    else if (rdl__report_ended(report) < report->planned)
        rdl__text_add(&report->text, "Bail out! stopped at the first failure\n");
    rdl__report_flush(report);
}

struct rdl__listener rdl__report_tap(struct rdl__report *report)
{
    return (struct rdl__listener){.run_started = start,
                                  .warning = warn,
                                  .test_ended = add_test,
                                  .run_ended = end,
                                  .self = report};
}
