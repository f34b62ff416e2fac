/* grade_table.c -- the grades for people: a row a file, then the totals as the paper on
 * testing shared resources has them in its Table 1, then how to see a failing case. */
#include <stdlib.h>
#include <string.h>

#include "cli/raddle/grade.h"
#include "report/report.h"

enum { FILE_WIDTH_MAX = 100, REPLAYS_SHOWN = 1 };

const char *rdl__grade_name(enum rdl__grade_verdict verdict)
{
    static const char *const names[] = {[RDL__GRADE_NONE] = "none",
                                        [RDL__GRADE_PASS] = "pass",
                                        [RDL__GRADE_FAIL] = "fail",
                                        [RDL__GRADE_ERROR] = "error"};

    return names[verdict];
}

static const char *ink(enum rdl__grade_verdict verdict, bool colour)
{
    static const char *const codes[] = {[RDL__GRADE_NONE] = "\033[0m",
                                        [RDL__GRADE_PASS] = "\033[32m",
                                        [RDL__GRADE_FAIL] = "\033[31;1m",
                                        [RDL__GRADE_ERROR] = "\033[35m"};

    return colour ? codes[verdict] : "";
}

/* ---- The totals --------------------------------------------------------------------------- */

struct rdl__grade_totals rdl__grade_count(const struct rdl__grade *grades, int count)
{
    struct rdl__grade_totals totals = {.patterns = {{.found = {[1] = true}},
                                                    {.found = {[2] = true}},
                                                    {.found = {[1] = true, [2] = true}},
                                                    {.found = {[3] = true}, .runs_third = true}}};

    for (int i = 0; i < count; i++) {
        const struct rdl__found *rounds = grades[i].rounds;
        bool first = rounds[1].verdict == RDL__GRADE_FAIL;
        bool second = rounds[2].verdict == RDL__GRADE_FAIL;

        totals.passed += grades[i].grade.verdict == RDL__GRADE_PASS;
        totals.errors += grades[i].grade.verdict == RDL__GRADE_ERROR;
        totals.with_rounds += !rounds[1].is_sequential;
        if (grades[i].grade.verdict != RDL__GRADE_FAIL)
            continue;
        totals.failed++;
        totals.patterns[first && second ? 2 : first ? 0 : second ? 1 : 3].number++;
    }
    return totals;
}

static const char *mark(const struct rdl__grade_pattern *pattern, int round)
{
    if (round == RDL__ROUNDS && !pattern->runs_third)
        return " ";
    return pattern->found[round] ? "✓" : "–";
}

static void add_totals(struct rdl__text *out, const struct rdl__grade_totals *totals)
{
    bool has_rounds = totals->with_rounds > totals->errors;

    rdl__text_add(out, "\nPASSED  FAILED\n%6d  %6d\n", totals->passed, totals->failed);
    rdl__text_add(out, has_rounds ? "\n        round1  round2  round3  number\n" : "");
    for (int i = 0; has_rounds && i < RDL__GRADE_PATTERNS; i++) {
        const struct rdl__grade_pattern *pattern = &totals->patterns[i];

        rdl__text_add(out, "        %s       %s       %s       %6d\n", mark(pattern, 1),
                      mark(pattern, 2), mark(pattern, 3), pattern->number);
    }
    if (totals->errors)
        rdl__text_add(out, "\n%d could not be judged\n", totals->errors);
}

/* ---- Rows --------------------------------------------------------------------------------- */

static int file_width(const struct rdl__grading *grading)
{
    size_t width = strlen("file");

    for (int i = 0; i < grading->file_count; i++) {
        size_t length = strlen(grading->files[i]);

        width = length > width ? length : width;
    }
    return width > FILE_WIDTH_MAX ? FILE_WIDTH_MAX : (int)width;
}

void rdl__grade_table_head(struct rdl__text *out, const struct rdl__grading *grading, bool colour)
{
    rdl__text_add(out, "%s%-*s  verdict  class          round  phases  seconds%s\n",
                  colour ? "\033[2m" : "", file_width(grading), "file", colour ? "\033[0m" : "");
}

static void add_indented(struct rdl__text *out, const char *text)
{
    while (*text) {
        size_t length = strcspn(text, "\n");

        rdl__text_add(out, length ? "    %.*s\n" : "\n", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

/* A number, or a dash where there is none. */
static void add_cell(struct rdl__text *out, int width, int number)
{
    if (number)
        rdl__text_add(out, "  %*d", width, number);
    else
        rdl__text_add(out, "  %*s", width, "-");
}

void rdl__grade_table_row(struct rdl__text *out, const struct rdl__grading *grading,
                          const struct rdl__grade *grade, bool colour)
{
    const struct rdl__found *found = &grade->grade;
    bool shown = grading->verbose || grading->file_count == 1;

    rdl__text_add(out, "%-*s  %s%-7s%s  %-13s", file_width(grading), grade->file,
                  ink(found->verdict, colour), rdl__grade_name(found->verdict),
                  ink(RDL__GRADE_NONE, colour), found->class ? found->class : "-");
    add_cell(out, 5, grade->found_in);
    add_cell(out, 6, found->phases);
    rdl__text_add(out, "  %7.2f\n", grade->seconds);
    if (found->verdict == RDL__GRADE_ERROR)
        add_indented(out, found->message ? found->message : "");
    else if (found->verdict == RDL__GRADE_FAIL && shown)
        add_indented(out, found->report && *found->report ? found->report : found->message);
}

static void add_replays(struct rdl__text *out, const struct rdl__grading *grading,
                        const struct rdl__grade *grades)
{
    int shown = 0;

    for (int i = 0; i < grading->file_count; i++) {
        if (grades[i].grade.verdict != RDL__GRADE_FAIL || !grades[i].grade.token)
            continue;
        if (shown++ == REPLAYS_SHOWN && !grading->verbose)
            break;
        if (shown == 1)
            rdl__text_add(out, grading->file_count == 1
                                   ? "\nTo see it again:\n"
                                   : "\nTo see the smallest failing run of a file, grade it "
                                     "alone; or replay it:\n");
        rdl__text_add(out, "  ");
        rdl__grade_command(out, grading, &grades[i]);
        rdl__text_add(out, " --replay %s\n", grades[i].grade.token);
    }
}

void rdl__grade_table_foot(struct rdl__text *out, const struct rdl__grading *grading,
                           const struct rdl__grade *grades, bool colour)
{
    struct rdl__grade_totals totals = rdl__grade_count(grades, grading->file_count);

    add_totals(out, &totals);
    rdl__text_add(out, "%s\nseed %llu%s\n", colour ? "\033[2m" : "",
                  (unsigned long long)grading->seed, colour ? "\033[0m" : "");
    add_replays(out, grading, grades);
}
