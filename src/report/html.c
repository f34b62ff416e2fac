/* html.c -- a page to read in a browser, complete in itself.
 *
 * One table: a row for each test, and below it a row for what there is to say
 * about it.  There is no script, and the page forbids itself to load or run
 * anything, so that a string from a test stays a string even if one day an
 * escape is forgotten.  It can be read with the keyboard alone, and without
 * colours. */
#include "report/report.h"

#include <inttypes.h>
#include <string.h>

const char rdl__html_head[] =
    "<!DOCTYPE html>\n"
    "<html lang=\"en\">\n"
    "<head>\n"
    "<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width\">\n"
    "<meta http-equiv=\"Content-Security-Policy\""
    " content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
    "<style>\n"
    ":root { color-scheme: light dark; --page: #fff; --text: #1c1e21; --faint: #666b73;\n"
    "  --line: #dfe2e6; --box: #f5f6f8; --pass: #1a7f37; --fail: #c62828; --skip: #8a6100;\n"
    "  --error: #9a3fa5; --bar: #5b8def; --link: #1f5fc4; }\n"
    "@media (prefers-color-scheme: dark) { :root { --page: #16181c; --text: #e4e6ea;\n"
    "  --faint: #9aa1ab; --line: #32363d; --box: #1f2228; --pass: #4ac26b; --fail: #ff7b72;\n"
    "  --skip: #d4a72c; --error: #d2a8ff; --bar: #4a78d0; --link: #7fb0ff; } }\n"
    "body { background: var(--page); color: var(--text); font: 16px/1.5 system-ui, sans-serif;\n"
    "  max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }\n"
    "h1 { font-size: 1.5rem; margin: 0; overflow-wrap: anywhere; }\n"
    "h2 { font-size: 1rem; margin: 1rem 0 .3rem; }\n"
    "p { margin: .3rem 0; }\n"
    "a { color: var(--link); }\n"
    ".faint { color: var(--faint); }\n"
    ".pass, .fail, .skip, .error { font-weight: 600; }\n"
    ".pass { color: var(--pass); }\n"
    ".fail { color: var(--fail); }\n"
    ".skip { color: var(--skip); }\n"
    ".error { color: var(--error); }\n"
    "table { width: 100%; border-collapse: collapse; margin-top: 1.5rem; }\n"
    "th, td { padding: .4rem .6rem; text-align: left; vertical-align: baseline; }\n"
    "thead th { font-weight: 600; color: var(--faint); font-size: .85rem; }\n"
    "tr.test > * { border-top: 1px solid var(--line); }\n"
    "tr.test th { overflow-wrap: anywhere; width: 100%; font-weight: 400; }\n"
    ".number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }\n"
    "td.more { padding: 0 .6rem .6rem; }\n"
    "td.more > :first-child { margin-top: 0; }\n"
    "code, pre { font: .875rem/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }\n"
    "pre { white-space: pre-wrap; margin: .3rem 0; }\n"
    "pre.rows { white-space: pre; overflow-x: auto; }\n"
    ".failure { border-left: 3px solid var(--fail); background: var(--box); border-radius: 4px;\n"
    "  margin: .4rem 0; padding: .6rem .9rem; }\n"
    ".failure h2:first-child { margin-top: 0; }\n"
    ".failure h2 code { font-size: .95rem; font-weight: 600; }\n"
    "details .failure { border-color: var(--line); }\n"
    "details { margin: .4rem 0; }\n"
    "@media (max-width: 40rem) { body { margin: 1rem auto; padding: 0 .5rem; }\n"
    "  th, td { padding: .4rem .3rem; } .wide { display: none; } }\n"
    ".copy { display: block; user-select: all; -webkit-user-select: all; }\n"
    ".labels { display: grid; gap: .2rem .8rem; align-items: center; font-size: .9rem;\n"
    "  grid-template-columns: minmax(4rem, max-content) minmax(5rem, 1fr) max-content;\n"
    "  overflow-wrap: anywhere; }\n"
    ".track { position: relative; height: .6rem; background: var(--line); border-radius: 3px; }\n"
    ".bar { height: 100%; background: var(--bar); border-radius: 3px; }\n"
    ".needed { position: absolute; top: -.2rem; bottom: -.2rem; border-left: 2px solid "
    "var(--text); }\n"
    "summary { cursor: pointer; color: var(--faint); font-size: .9rem; }\n"
    ":focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }\n"
    "</style>\n";

/* ---- Parts of a test -------------------------------------------------------------- */

void rdl__html_element(struct rdl__text *out, const char *open, const char *text, const char *close)
{
    rdl__text_add(out, "%s", open);
    rdl__add_xml(out, text);
    rdl__text_add(out, "%s", close);
}

static void add_story(struct rdl__text *out, const struct rdl__story *story)
{
    struct rdl__text line = {0};

    for (size_t i = 0; i < story->count; i++) {
        const struct rdl__line *it = &story->lines[i];

        rdl__text_clear(&line);
        rdl__add_line(&line, it);
        rdl__text_add(out, "<pre style=\"margin-left: %dem\">", 2 * it->depth);
        rdl__html_element(out, it->kind == RDL__EVENT_DRAW ? "" : "<i>", line.bytes,
                          it->kind == RDL__EVENT_DRAW ? "" : "</i>");
        if (it->remark[0])
            rdl__html_element(out, "<span class=\"faint\">    ", it->remark, "</span>");
        rdl__text_add(out, "</pre>\n");
    }
    if (story->lost)
        rdl__text_add(out, "<p class=\"faint\">and %" PRIu32 " more</p>\n", story->lost);
    rdl__text_release(&line);
}

/* How it was found and made smaller. */
static void add_history(struct rdl__text *out, const struct rdl__failure *failure)
{
    rdl__text_add(out, "<p class=\"faint\">Found ");
    if (failure->found_at) {
        rdl__text_add(out, "at %s ", failure->schedule.headline ? "schedule" : "case");
        rdl__text_add_count(out, failure->found_at);
    } else {
        rdl__html_element(out, "by ", failure->source ? failure->source : "", "");
    }
    if (failure->attempts) {
        rdl__text_add(out, ", shrunk from %" PRIu32 " to %" PRIu32 " choices in ",
                      failure->first_count, failure->made.count);
        rdl__text_add_count(out, failure->attempts);
        rdl__text_add(out, failure->shrink_stopped ? " runs, not to the end" : " runs");
    }
    rdl__text_add(out, ".</p>\n");
}

static void add_failure(struct rdl__text *out, const struct rdl__plan *plan,
                        const struct rdl__failure *failure)
{
    struct rdl__text text = {0};

    rdl__failure_headline(&text, failure);
    rdl__html_element(out, "<div class=\"failure\">\n<h2><code>", text.bytes, "</code></h2>\n");
    if (rdl__failure_detail(failure)[0])
        rdl__html_element(out, "<pre>", rdl__failure_detail(failure), "</pre>\n");
    if (failure->story.count) {
        rdl__text_add(out, "<h2>The case</h2>\n");
        add_story(out, &failure->story);
    }
    if (failure->schedule.headline) {
        rdl__html_element(out, "<h2>", failure->schedule.headline, "</h2>\n");
        rdl__text_clear(&text);
        rdl__add_schedule(&text, &failure->schedule, RDL__PLAIN_WIDTH, NULL);
        rdl__html_element(out, "<pre class=\"rows\">", rdl__text_string(&text), "</pre>\n");
    }
    if (failure->unsteady)
        rdl__html_element(out, "<p>It does not fail every time: ", failure->unsteady, "</p>\n");
    rdl__text_clear(&text);
    rdl__replay_command(&text, plan, failure);
    if (text.count)
        rdl__html_element(out, "<h2>Replay it</h2>\n<code class=\"copy\">", text.bytes,
                          "</code>\n");
    if (failure->output && failure->output[0])
        rdl__html_element(out, "<details><summary>What it printed</summary>\n<pre>",
                          failure->output, "</pre>\n</details>\n");
    add_history(out, failure);
    rdl__text_add(out, "</div>\n");
    rdl__text_release(&text);
}

static void add_labels(struct rdl__text *out, const struct rdl__stats *stats)
{
    rdl__text_add(out, "<div class=\"labels\">\n");
    for (uint32_t i = 0; i < stats->label_count; i++) {
        const struct rdl__label *label = &stats->labels[i];
        double percent = rdl__label_percent(label, stats);

        rdl__html_element(out, "<span>", label->name, "</span>");
        rdl__text_add(out, "<div class=\"track\"><div class=\"bar\" style=\"width: ");
        rdl__add_number(out, percent, 2);
        rdl__text_add(out, "%%\"></div>");
        if (label->required > 0) {
            rdl__text_add(out, "<div class=\"needed\" style=\"left: ");
            rdl__add_number(out, label->required, 2);
            rdl__text_add(out, "%%\"></div>");
        }
        rdl__text_add(out, "</div><span class=\"number\">%.3g%%", percent);
        if (label->required > 0)
            rdl__text_add(out, " of at least %.3g%%", label->required);
        rdl__text_add(out, "</span>\n");
    }
    rdl__text_add(out, "</div>\n");
}

static void add_statistics(struct rdl__text *out, const struct rdl__stats *stats, bool open)
{
    rdl__text_add(out, "<details%s><summary>What the cases were like</summary>\n",
                  open ? " open" : "");
    if (stats->label_count)
        add_labels(out, stats);
    for (uint32_t i = 0; i < stats->tried_count; i++) {
        const struct rdl__tried *tried = &stats->tried[i];

        rdl__html_element(out, "<p>", tried->operation, " ");
        rdl__add_xml(out, tried->name);
        rdl__html_element(out, " <span class=\"faint\">", tried->text, "</span>: ");
        rdl__text_add_many(out, tried->calls, "call");
        rdl__text_add(out, "</p>\n");
    }
    for (uint32_t i = 0; i < stats->measure_count; i++) {
        const struct rdl__measure *measure = &stats->measures[i];

        rdl__html_element(out, "<p>", measure->name, "");
        rdl__text_add(out, " <span class=\"faint\">from %.4g to %.4g, on average %.4g</span></p>\n",
                      measure->min, measure->max,
                      measure->count ? measure->sum / (double)measure->count : 0);
    }
    rdl__text_add(out, "</details>\n");
}

/* ---- Listening -------------------------------------------------------------------- */

static void add_row(struct rdl__text *out, const struct rdl__result *result, size_t number)
{
    const char *verdict = rdl__verdict_name(result->verdict);

    rdl__text_add(out, "<tr class=\"test\" id=\"test%zu\"><td class=\"%s\">%s</td>", number,
                  verdict, verdict);
    rdl__html_element(out, "<th scope=\"row\">", result->test->name, " <span class=\"faint\">");
    rdl__add_xml(out, result->test->file);
    rdl__text_add(out, ":%d</span></th><td class=\"number\">%s", result->test->line,
                  result->exhausted ? "all " : "");
    rdl__text_add_count(out, result->stats.cases);
    rdl__text_add(out, "</td><td class=\"number wide\">");
    rdl__text_add_count(out, result->stats.discards);
    rdl__text_add(out, "</td><td class=\"number\">%.3f s</td></tr>\n", result->seconds);
}

/* What there is to say below the row of a test; often nothing. */
static void add_details(struct rdl__text *out, const struct rdl__report *report,
                        const struct rdl__result *result)
{
    bool expected = result->verdict == RDL__TEST_PASS && result->failure_count > 0;
    struct rdl__text message = {0};

    rdl__result_message(&message, result);
    if (result->covered[0])
        rdl__html_element(out, "<p class=\"faint\">", result->covered, "</p>\n");
    if (message.count && (result->failure_count == 0 || result->text[0]))
        rdl__html_element(out, "<p>", message.bytes, "</p>\n");
    for (size_t i = 0; i < report->warnings.count; i += strlen(report->warnings.bytes + i) + 1)
        rdl__html_element(out, "<p class=\"skip\">", report->warnings.bytes + i, "</p>\n");
    if (expected)
        rdl__text_add(out, "<details><summary>It fails, as expected</summary>\n");
    for (size_t i = 0; i < result->failure_count; i++)
        add_failure(out, report->plan, &result->failures[i]);
    if (expected)
        rdl__text_add(out, "</details>\n");
    if (result->stats.label_count + result->stats.measure_count + result->stats.tried_count > 0)
        add_statistics(out, &result->stats, strcmp(result->kind, "coverage") == 0);
    rdl__text_release(&message);
}

static void add_test(void *self, const struct rdl__result *result)
{
    struct rdl__report *report = self;
    struct rdl__text details = {0};

    add_row(&report->body, result, rdl__report_ended(report) + 1);
    add_details(&details, report, result);
    if (details.count)
        rdl__text_add(&report->body,
                      "<tr><td></td><td class=\"more\" colspan=\"4\">\n%s</td></tr>\n",
                      details.bytes);
    rdl__text_release(&details);
    rdl__report_count(report, result);
}

static void add_summary(struct rdl__report *report, double seconds)
{
    static const struct {
        enum rdl__test_verdict verdict;
        const char *words;
    } parts[] = {{RDL__TEST_FAIL, "failed"},
                 {RDL__TEST_ERROR, "could not be judged"},
                 {RDL__TEST_PASS, "passed"},
                 {RDL__TEST_SKIP, "skipped"}};
    struct rdl__text *out = &report->text;

    rdl__text_add(out, "<p>%zu of %zu tests in %.2f s", rdl__report_ended(report), report->planned,
                  seconds);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (report->counts[parts[i].verdict])
            rdl__text_add(out, " · <span class=\"%s\">%zu %s</span>",
                          rdl__verdict_name(parts[i].verdict), report->counts[parts[i].verdict],
                          parts[i].words);
    if (report->interrupted)
        rdl__text_add(out, " · <span class=\"skip\">interrupted</span>");
    if (report->first_failure)
        rdl__text_add(out, " · <a href=\"#test%zu\">first failure</a>", report->first_failure);
    rdl__text_add(out, " <span class=\"faint\">· seed %" PRIu64 "</span></p>\n",
                  report->plan->seed);
}

static void end(void *self, double seconds)
{
    struct rdl__report *report = self;
    struct rdl__text *out = &report->text;

    rdl__text_add(out, "%s", rdl__html_head);
    rdl__html_element(out, "<title>", report->plan->command, "</title>\n</head>\n<body>\n");
    rdl__html_element(out, "<h1>", report->plan->command, "</h1>\n");
    add_summary(report, seconds);
    rdl__text_add(out,
                  "<table>\n<thead><tr><th scope=\"col\">verdict</th><th scope=\"col\">test</th>"
                  "<th scope=\"col\" class=\"number\">cases</th>"
                  "<th scope=\"col\" class=\"number wide\">discards</th>"
                  "<th scope=\"col\" class=\"number\">time</th></tr></thead>\n<tbody>\n");
    rdl__report_end(report, "</tbody>\n</table>\n</body>\n</html>\n");
}

struct rdl__listener rdl__report_html(struct rdl__report *report)
{
    return (struct rdl__listener){.run_started = rdl__report_begin,
                                  .warning = rdl__report_warned,
                                  .test_ended = add_test,
                                  .run_ended = end,
                                  .self = report};
}
