/* grade_page.c -- the grades for browsers: a page that is complete in itself, in the style of
 * the pages that test programs write. */
#include <inttypes.h>
#include <stdlib.h>

#include "cli/raddle/grade.h"
#include "report/report.h"

/* What failed opens below its row, and however long its lines are, the table stays as wide. */
static const char style[] = "<style>\n"
                            "table.totals { width: auto; margin-top: 1rem; }\n"
                            "table.totals td, table.totals th { text-align: center; }\n"
                            "table.totals tr > * { border-top: 1px solid var(--line); }\n"
                            "table.totals tr:first-child > * { border-top: 0; }\n"
                            "td.more { max-width: 0; }\n"
                            "td.more details { margin: 0; }\n"
                            "</style>\n";

/* ---- Totals ------------------------------------------------------------------------------- */

static void add_summary(struct rdl__text *out, const struct rdl__grading *grading,
                        const struct rdl__grade_totals *totals)
{
    rdl__text_add(out, "<p>%d implementation%s", grading->file_count,
                  grading->file_count == 1 ? "" : "s");
    rdl__text_add(out, " · <span class=\"pass\">%d passed</span>", totals->passed);
    if (totals->failed)
        rdl__text_add(out, " · <span class=\"fail\">%d failed</span>", totals->failed);
    if (totals->errors)
        rdl__text_add(out, " · <span class=\"error\">%d could not be judged</span>",
                      totals->errors);
    rdl__text_add(out, " <span class=\"faint\">· seed %" PRIu64 "</span></p>\n", grading->seed);
}

static const char *mark(const struct rdl__grade_pattern *pattern, int round)
{
    if (round == RDL__ROUNDS && !pattern->runs_third)
        return "";
    return pattern->found[round] ? "✓" : "–";
}

static void add_patterns(struct rdl__text *out, const struct rdl__grade_totals *totals)
{
    rdl__text_add(out, "<h2>Which rounds found the failures</h2>\n<table class=\"totals\">\n"
                       "<thead><tr><th scope=\"col\">round 1</th><th scope=\"col\">round 2</th>"
                       "<th scope=\"col\">round 3</th><th scope=\"col\">number</th></tr></thead>\n"
                       "<tbody>\n");
    for (int i = 0; i < RDL__GRADE_PATTERNS; i++) {
        rdl__text_add(out, "<tr>");
        for (int round = 1; round <= RDL__ROUNDS; round++)
            rdl__text_add(out, "<td>%s</td>", mark(&totals->patterns[i], round));
        rdl__text_add(out, "<td>%d</td></tr>\n", totals->patterns[i].number);
    }
    rdl__text_add(out, "</tbody>\n</table>\n");
}

/* ---- Rows --------------------------------------------------------------------------------- */

static void add_cell(struct rdl__text *out, int number)
{
    if (number)
        rdl__text_add(out, "<td class=\"number\">%d</td>", number);
    else
        rdl__text_add(out, "<td class=\"number faint\">–</td>");
}

static void add_failure(struct rdl__text *out, const struct rdl__grading *grading,
                        const struct rdl__grade *grade)
{
    const struct rdl__found *found = &grade->grade;
    struct rdl__text command = {0};

    rdl__text_add(out, "<details><summary>");
    rdl__add_xml(out, found->message ? found->message : "the failing run");
    rdl__text_add(out, "</summary>\n<div class=\"failure\">\n");
    if (found->report && *found->report)
        rdl__html_element(out, "<pre class=\"rows\">", found->report, "</pre>\n");
    if (found->token) {
        rdl__grade_command(&command, grading, grade);
        rdl__text_add(&command, " --replay %s", found->token);
        rdl__html_element(out, "<h2>Replay it</h2>\n<code class=\"copy\">", command.bytes,
                          "</code>\n");
        rdl__text_release(&command);
    }
    rdl__text_add(out, "</div>\n</details>\n");
}

static void add_row(struct rdl__text *out, const struct rdl__grading *grading,
                    const struct rdl__grade *grade)
{
    const struct rdl__found *found = &grade->grade;
    const char *verdict = rdl__grade_name(found->verdict);

    rdl__text_add(out, "<tr class=\"test\"><td class=\"%s\">%s</td>", verdict, verdict);
    rdl__html_element(out, "<th scope=\"row\">", grade->file, "</th>");
    rdl__text_add(out, "<td style=\"white-space: nowrap\">%s</td>",
                  found->class ? found->class : "");
    add_cell(out, grade->found_in);
    add_cell(out, found->phases);
    rdl__text_add(out, "<td class=\"number\">%.2f s</td></tr>\n", grade->seconds);
    if (found->verdict == RDL__GRADE_PASS)
        return;
    rdl__text_add(out, "<tr><td></td><td class=\"more\" colspan=\"5\">\n");
    if (found->verdict == RDL__GRADE_FAIL)
        add_failure(out, grading, grade);
    else
        rdl__html_element(out, "<pre>", found->message ? found->message : "", "</pre>\n");
    rdl__text_add(out, "</td></tr>\n");
}

void rdl__grade_page(struct rdl__text *out, const struct rdl__grading *grading,
                     const struct rdl__grade *grades)
{
    struct rdl__grade_totals totals = rdl__grade_count(grades, grading->file_count);

    rdl__text_add(out, "%s%s", rdl__html_head, style);
    rdl__html_element(out, "<title>", grading->spec, "</title>\n</head>\n<body>\n");
    rdl__html_element(out, "<h1>", grading->spec, "</h1>\n");
    add_summary(out, grading, &totals);
    rdl__text_add(out,
                  "<table>\n<thead><tr><th scope=\"col\">verdict</th><th scope=\"col\">file</th>"
                  "<th scope=\"col\">class</th><th scope=\"col\" class=\"number\">round</th>"
                  "<th scope=\"col\" class=\"number\">phases</th>"
                  "<th scope=\"col\" class=\"number\">time</th></tr></thead>\n<tbody>\n");
    for (int i = 0; i < grading->file_count; i++)
        add_row(out, grading, &grades[i]);
    rdl__text_add(out, "</tbody>\n</table>\n");
    if (totals.failed)
        add_patterns(out, &totals);
    rdl__text_add(out, "</body>\n</html>\n");
}
