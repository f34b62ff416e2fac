/* junit.c -- XML as Jenkins and its like read it.
 *
 * There is no standard; this keeps to what all readers know.  Most of them look
 * at the first failure of a test case only, so several bugs go into one. */
#include "report/report.h"

#include <inttypes.h>
#include <string.h>

/* Where the first line starts, the others follow. */
static void add_indented(struct rdl__text *out, int indent, const char *text)
{
    while (*text) {
        size_t length = strcspn(text, "\n");

        rdl__text_add(out, "%*s%.*s\n", indent, "", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

static void add_story(struct rdl__text *out, const struct rdl__story *story)
{
    struct rdl__text line = {0};

    for (size_t i = 0; i < story->count; i++) {
        const struct rdl__line *it = &story->lines[i];

        rdl__text_clear(&line);
        rdl__add_line(&line, it);
        if (it->remark[0])
            rdl__text_add(&line, "    (%s)", it->remark);
        add_indented(out, 2 + 2 * it->depth, line.bytes);
    }
    if (story->lost)
        rdl__text_add(out, "  (and %" PRIu32 " more)\n", story->lost);
    rdl__text_release(&line);
}

/* A failure as plain text, not escaped yet. */
static void describe(struct rdl__text *out, const struct rdl__plan *plan,
                     const struct rdl__failure *failure)
{
    struct rdl__text command = {0}, rows = {0};

    rdl__failure_headline(out, failure);
    rdl__text_add(out, "\n");
    add_indented(out, 2, rdl__failure_detail(failure));
    if (failure->story.count)
        rdl__text_add(out, "\nwith\n");
    add_story(out, &failure->story);
    rdl__text_add(out, "\n");
    if (failure->schedule.headline) {
        rdl__text_add(out, "%s\n\n", failure->schedule.headline);
        rdl__add_schedule(&rows, &failure->schedule, RDL__PLAIN_WIDTH, NULL);
        add_indented(out, 2, rdl__text_string(&rows));
        rdl__text_add(out, "\n");
        rdl__text_release(&rows);
    }
    if (failure->unsteady)
        rdl__text_add(out, "It does not fail every time: %s\n", failure->unsteady);
    if (failure->token)
        rdl__text_add(out, "token:  %s\n", failure->token);
    rdl__replay_command(&command, plan, failure);
    if (command.count)
        rdl__text_add(out, "replay: %s\n", command.bytes);
    rdl__text_release(&command);
}

static void add_problem(struct rdl__text *out, const struct rdl__plan *plan,
                        const struct rdl__result *result, const char *message)
{
    const char *element = result->verdict == RDL__TEST_FAIL ? "failure" : "error";
    struct rdl__text story = {0};

    rdl__text_add(out, "      <%s", element);
    rdl__add_xml_attribute(out, "message", message);
    rdl__add_xml_attribute(out, "type", result->kind);
    rdl__text_add(out, ">");
    if (result->text[0])
        rdl__text_add(&story, "%s\n", result->text);
    for (size_t i = 0; i < result->failure_count; i++) {
        if (story.count)
            rdl__text_add(&story, "\n");
        describe(&story, plan, &result->failures[i]);
    }
    rdl__text_add(&story, "seed:   %" PRIu64 "\n", result->seed);
    rdl__add_xml(out, story.bytes);
    rdl__text_add(out, "</%s>\n", element);
    rdl__text_release(&story);
}

static void add_element(struct rdl__text *out, const char *element, const char *text)
{
    rdl__text_add(out, "      <%s>", element);
    rdl__add_xml(out, text);
    rdl__text_add(out, "</%s>\n", element);
}

/* Races that are no failures: what other tools show, and do not count. */
static void add_suspected(struct rdl__report *report, const struct rdl__result *result)
{
    struct rdl__text text = {0};

    if (result->suspected_count == 0)
        return;
    rdl__add_suspected_count(&text, result);
    rdl__text_add(&text, ":\n");
    for (size_t i = 0; i < result->suspected_count; i++) {
        rdl__text_add(&text, "\n");
        describe(&text, report->plan, &result->suspected[i]);
    }
    add_element(&report->body, "system-out", text.bytes);
    rdl__text_release(&text);
}

static void add_output(struct rdl__report *report, const struct rdl__result *result)
{
    const struct rdl__text *warnings = &report->warnings;

    if (result->verdict == RDL__TEST_PASS && rdl__covered_text(result))
        add_element(&report->body, "system-out", rdl__covered_text(result));
    if (result->covered.note[0])
        add_element(&report->body, "system-out", result->covered.note);
    add_suspected(report, result);
    if (result->verdict == RDL__TEST_FAIL)
        for (size_t i = 0; i < result->failure_count; i++)
            if (result->failures[i].output && result->failures[i].output[0])
                add_element(&report->body, "system-out", result->failures[i].output);
    for (size_t i = 0; i < warnings->count; i += strlen(warnings->bytes + i) + 1)
        add_element(&report->body, "system-err", warnings->bytes + i);
}

static void add_seconds(struct rdl__text *out, double seconds)
{
    rdl__text_add(out, " time=\"");
    rdl__add_number(out, seconds, 6);
    rdl__text_add(out, "\"");
}

/* The source file without its extension stands for the class. */
static void add_class(struct rdl__text *out, const char *file)
{
    const char *slash = strrchr(file, '/'), *dot = strrchr(file, '.');
    struct rdl__text name = {0};
    size_t length =
        dot && dot > file && (!slash || dot > slash + 1) ? (size_t)(dot - file) : strlen(file);

    rdl__text_add_bytes(&name, file, length);
    rdl__add_xml_attribute(out, "classname", name.bytes);
    rdl__text_release(&name);
}

static void add_test(void *self, const struct rdl__result *result)
{
    struct rdl__report *report = self;
    struct rdl__text message = {0}, *out = &report->body;
    enum rdl__test_verdict verdict = result->verdict;

    rdl__result_message(&message, result);
    rdl__text_add(out, "    <testcase");
    rdl__add_xml_attribute(out, "name", result->test->name);
    add_class(out, result->test->file);
    rdl__add_xml_attribute(out, "file", result->test->file);
    rdl__text_add(out, " line=\"%d\"", result->test->line);
    add_seconds(out, result->seconds);
    rdl__text_add(out, ">\n");
    if (verdict == RDL__TEST_SKIP) {
        rdl__text_add(out, "      <skipped");
        rdl__add_xml_attribute(out, "message", rdl__text_string(&message));
        rdl__text_add(out, "/>\n");
    } else if (verdict != RDL__TEST_PASS) {
        add_problem(out, report->plan, result, rdl__text_string(&message));
    }
    add_output(report, result);
    rdl__text_add(out, "    </testcase>\n");
    rdl__text_release(&message);
    rdl__report_count(report, result);
}

static void add_counts(struct rdl__report *report, double seconds)
{
    rdl__text_add(&report->text, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\"",
                  rdl__report_ended(report), report->counts[RDL__TEST_FAIL],
                  report->counts[RDL__TEST_ERROR], report->counts[RDL__TEST_SKIP]);
    add_seconds(&report->text, seconds);
    rdl__text_add(&report->text, ">\n");
}

static void end(void *self, double seconds)
{
    struct rdl__report *report = self;
    const char *slash = strrchr(report->plan->command, '/');
    const char *program = slash ? slash + 1 : report->plan->command;

    rdl__text_add(&report->text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites");
    rdl__add_xml_attribute(&report->text, "name", program);
    add_counts(report, seconds);
    rdl__text_add(&report->text, "  <testsuite");
    rdl__add_xml_attribute(&report->text, "name", program);
    add_counts(report, seconds);
    rdl__text_add(&report->text,
                  "    <properties>\n"
                  "      <property name=\"seed\" value=\"%" PRIu64 "\"/>\n"
                  "    </properties>\n",
                  report->plan->seed);
    rdl__report_end(report, "  </testsuite>\n</testsuites>\n");
}

struct rdl__listener rdl__report_junit(struct rdl__report *report)
{
    return (struct rdl__listener){.run_started = rdl__report_begin,
                                  .warning = rdl__report_warned,
                                  .test_ended = add_test,
                                  .run_ended = end,
                                  .self = report};
}
