/* deviations.c -- the table of deviations, for people and for programs.
 *
 * For people, rows stand below the name of their test.  Nothing is cut off: what is too long for
 * its column goes on below. */
#include "report/deviations.h"

#include <inttypes.h>
#include <string.h>

#include "drive/stage.h"

enum {
    COLUMNS = 4,
    MARGIN = 2,
    GAP = 2,
    VERDICT_WIDTH = 13,
    REMARK_MIN = 24,
    CELL_MIN = 10,
    STORY_LINES = 50
};

static const struct {
    const char *name, *key, *many, *ink;
} verdicts[] = {
    [RDL__TOLERATED] = {"tolerated", "tolerated", "tolerated", "\033[32m"},
    [RDL__NOT_TOLERATED] = {"not tolerated", "not-tolerated", "not tolerated", "\033[31;1m"},
    [RDL__NEVER_MET] = {"never met", "never-met", "never met", "\033[33m"},
    [RDL__FAILS_ANYWAY] = {"fails", "fails-anyway", "failing anyway", "\033[31;1m"},
    [RDL__NOT_RUN] = {"skipped", "skipped", "skipped", "\033[33m"},
    [RDL__IN_ERROR] = {"error", "error", "in error", "\033[35m"},
};

/* ---- For programs ---------------------------------------------------------------------------- */

static void add_text(struct rdl__text *out, const char *key, const char *value)
{
    rdl__text_add(out, ",\"%s\":", key);
    if (value && *value)
        rdl__add_json_string(out, value);
    else
        rdl__text_add(out, "null");
}

static void add_json(struct rdl__text *out, const struct rdl__tolerances *table,
                     const struct rdl__tolerance_row *row)
{
    rdl__text_add(out, "{\"test\":");
    rdl__add_json_string(out, row->test->name);
    add_text(out, "file", row->test->file);
    rdl__text_add(out, ",\"line\":%d", row->test->line);
    add_text(out, "deviation", row->deviation);
    add_text(out, "components", row->components);
    add_text(out, "verdict", verdicts[row->verdict].key);
    rdl__text_add(out, ",\"cases\":%" PRIu64 ",\"deviated\":%" PRIu64, row->cases, row->deviated);
    add_text(out, "message", row->why);
    rdl__text_add(out, row->calls ? ",\"calls\":%" PRIu32 : ",\"calls\":null", row->calls);
    add_text(out, "token", row->token);
    add_text(out, "replay", row->replay);
    rdl__text_add(out, ",\"seconds\":");
    rdl__add_number(out, row->seconds, 6);
    rdl__text_add(out, ",\"seed\":%" PRIu64 "}\n", table->seed);
}

/* ---- Columns --------------------------------------------------------------------------------- */

static const char *ink(const struct rdl__tolerances *table, const char *code)
{
    return table->report->looks.colour ? code : "";
}

/* What fits into so many columns, up to a blank if possible; *at moves on, past blanks. */
static int add_piece(struct rdl__text *out, const char **at, int width)
{
    const char *from = *at, *end = from, *blank = NULL;
    int count = 0, shown = 0;

    for (; *end && count < width; count++) {
        if (*end == ' ') {
            blank = end;
            shown = count;
        }
        rdl__utf8_next(&end);
    }
    if (*end && *end != ' ' && blank && blank > from)
        end = blank;
    else
        shown = count;
    rdl__text_add_bytes(out, from, (size_t)(end - from));
    *at = end + strspn(end, " ");
    return shown;
}

static bool is_left(const char *const *cells)
{
    for (int i = 0; i < COLUMNS; i++)
        if (*cells[i])
            return true;
    return false;
}

/* The deviation's column makes room for remarks if it must; components are short. */
static void fit(const struct rdl__tolerances *table, int *widths)
{
    int width = table->report->looks.width, room;

    widths[0] = table->component_width;
    widths[1] = table->deviation_width;
    widths[2] = VERDICT_WIDTH;
    room = width - MARGIN - widths[0] - widths[2] - 3 * GAP - REMARK_MIN;
    if (widths[1] > room)
        widths[1] = room > CELL_MIN ? room : CELL_MIN;
    widths[3] = width - MARGIN - widths[0] - widths[1] - widths[2] - 3 * GAP;
    if (widths[3] < REMARK_MIN)
        widths[3] = REMARK_MIN;
}

/* So many lines as the longest of the cells needs. */
static void add_cells(struct rdl__text *out, const struct rdl__tolerances *table,
                      const char *const *given, const char *code)
{
    const char *cells[COLUMNS];
    int widths[COLUMNS];

    fit(table, widths);
    memcpy(cells, given, sizeof cells);
    while (is_left(cells)) {
        int behind = MARGIN;

        for (int i = 0; i < COLUMNS; i++) {
            if (!*cells[i]) {
                behind += widths[i] + GAP;
                continue;
            }
            rdl__text_add(out, "%*s%s", behind, "", i == 2 ? ink(table, code) : "");
            behind = widths[i] - add_piece(out, &cells[i], widths[i]) + GAP;
            rdl__text_add(out, "%s", i == 2 ? ink(table, "\033[0m") : "");
        }
        rdl__text_add(out, "\n");
    }
}

/* ---- For people ------------------------------------------------------------------------------ */

/* "took effect in 937 of 1,000 cases" */
static void add_extent(struct rdl__text *out, const struct rdl__tolerance_row *row)
{
    rdl__text_add(out, "took effect in ");
    if (row->deviated)
        rdl__text_add_count(out, row->deviated);
    else
        rdl__text_add(out, "none");
    rdl__text_add(out, " of ");
    rdl__text_add_many(out, row->cases, rdl__case_noun(row->test));
}

static void add_remark(struct rdl__text *out, const struct rdl__tolerance_row *row)
{
    switch (row->verdict) {
    case RDL__TOLERATED:
    case RDL__NEVER_MET:
        add_extent(out, row);
        break;
    case RDL__FAILS_ANYWAY:
        rdl__text_add(out, row->deviation ? "where the deviation takes no effect: " : "");
        break;
    case RDL__NOT_TOLERATED:
        if (row->calls) {
            rdl__text_add_many(out, row->calls, "call");
            rdl__text_add(out, ": ");
        }
        break;
    default:
        break;
    }
    rdl__text_add(out, "%s", row->why);
}

static void keep_replay(struct rdl__tolerances *table, const struct rdl__tolerance_row *row)
{
    if (!row->replay[0])
        return;
    rdl__text_add(&table->replays, "  %s%s%s\n    %s%s%s\n", row->test->name,
                  row->deviation ? ", " : "", row->deviation ? row->deviation : "",
                  ink(table, "\033[1m"), row->replay, ink(table, "\033[0m"));
}

/* Across all columns. */
static void add_lines(struct rdl__tolerances *table, const char *text, int margin, const char *code)
{
    struct rdl__text *out = &table->report->text;

    while (*text) {
        rdl__text_add(out, "%*s%s", margin, "", ink(table, code));
        add_piece(out, &text, table->report->looks.width - margin);
        rdl__text_add(out, "%s\n", ink(table, "\033[0m"));
    }
}

/* Of a test that is not run under deviations. */
static void add_test_as_it_is(struct rdl__tolerances *table, const struct rdl__tolerance_row *row,
                              const char *remark)
{
    struct rdl__text line = {0};

    rdl__text_add(&line, "%s without any deviation%s%s", verdicts[row->verdict].name,
                  *remark ? ": " : "", remark);
    add_lines(table, line.bytes, MARGIN, verdicts[row->verdict].ink);
    rdl__text_release(&line);
}

static void add_human(struct rdl__tolerances *table, const struct rdl__tolerance_row *row)
{
    struct rdl__text *out = &table->report->text, remark = {0};
    const char *cells[COLUMNS] = {row->components, row->deviation, verdicts[row->verdict].name};

    if (table->last != row->test)
        rdl__text_add(out, "%s%s%s%s\n", table->last ? "\n" : "", ink(table, "\033[1m"),
                      row->test->name, ink(table, "\033[0m"));
    table->last = row->test;
    add_remark(&remark, row);
    cells[3] = rdl__text_string(&remark);
    if (row->deviation)
        add_cells(out, table, cells, verdicts[row->verdict].ink);
    else
        add_test_as_it_is(table, row, cells[3]);
    if (row->story && table->report->looks.verbose)
        rdl__add_story(out, row->story,
                       &(struct rdl__story_looks){"      ", ink(table, "\033[2m"),
                                                  ink(table, "\033[0m"), STORY_LINES});
    keep_replay(table, row);
    rdl__text_release(&remark);
}

static bool is_bad(enum rdl__tolerance verdict)
{
    return verdict == RDL__NOT_TOLERATED || verdict == RDL__FAILS_ANYWAY ||
           verdict == RDL__IN_ERROR;
}

void rdl__tolerances_row(struct rdl__tolerances *table, const struct rdl__tolerance_row *row)
{
    table->counts[row->verdict]++;
    if (table->report->looks.quiet && !table->json && !is_bad(row->verdict))
        return;
    if (table->json)
        add_json(&table->report->text, table, row);
    else
        add_human(table, row);
    rdl__report_flush(table->report);
}

/* "5 tolerated, 1 never met (seed 1)", what to do about the latter, and how to see what fails. */
static void add_foot(struct rdl__tolerances *table)
{
    struct rdl__text *out = &table->report->text, line = {0};
    bool quiet = table->report->looks.quiet;

    for (int i = 0; i < RDL__TOLERANCES && !quiet; i++)
        if (table->counts[i])
            rdl__text_add(&line, "%s%zu %s", line.count ? ", " : "", table->counts[i],
                          verdicts[i].many);
    if (!quiet) {
        rdl__text_add(&line, " (seed %" PRIu64 ")", table->seed);
        rdl__text_add(out, "\n");
        add_lines(table, line.bytes, 0, "");
    }
    if (table->counts[RDL__NEVER_MET] && !quiet) {
        rdl__text_clear(&line);
        rdl__text_add(&line, "Where one is never met, %s.", rdl__deviation_advice);
        rdl__text_add(out, "\n");
        add_lines(table, line.bytes, 0, "");
    }
    if (table->replays.count)
        rdl__text_add(out, "\nReplay the smallest case that fails:\n%s", table->replays.bytes);
    rdl__text_release(&line);
}

void rdl__tolerances_end(struct rdl__tolerances *table)
{
    if (!table->json && table->last)
        add_foot(table);
    rdl__text_release(&table->replays);
    rdl__report_flush(table->report);
}
