/* human.c -- results for people: what failed, in their own words, and how to see
 * it again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/report.h"

enum { LINES_SHOWN = 200, BAR = 24, MARGIN = 7 /* below the line of a test */ };

enum ink { PLAIN, BOLD, RED, GREEN, YELLOW, DIM };

static const char *ink(const struct rdl__report *report, enum ink which)
{
    static const char *const codes[] = {
        [PLAIN] = "\033[0m",  [BOLD] = "\033[1m",    [RED] = "\033[31;1m",
        [GREEN] = "\033[32m", [YELLOW] = "\033[33m", [DIM] = "\033[2m"};

    return report->looks.colour ? codes[which] : "";
}

/* ---- Parts of a report --------------------------------------------------------------- */

/* Whatever tests have drawn, printed or are called, it is only shown. */
static void say(struct rdl__report *report)
{
    rdl__text_tame(&report->text, report->looks.colour);
    rdl__report_flush(report);
}

/* Text of several lines, each behind the same margin. */
static void add_indented(struct rdl__text *out, const char *text, const char *margin)
{
    while (*text) {
        size_t length = strcspn(text, "\n");

        rdl__text_add(out, "%s%.*s\n", margin, (int)length, text);
        text += length + (text[length] == '\n');
    }
}

static void add_cases(struct rdl__text *out, const struct rdl__result *result)
{
    rdl__text_add(out, "%s", result->covered.count);
    if (result->stats.discards) {
        rdl__text_add(out, ", ");
        rdl__text_add_count(out, result->stats.discards);
        rdl__text_add(out, " discarded");
    }
}

static void add_story(struct rdl__report *report, const struct rdl__story *story)
{
    const struct rdl__story_looks looks = {"    ", ink(report, DIM), ink(report, PLAIN),
                                           LINES_SHOWN};

    rdl__add_story(&report->text, story, &looks);
}

static void add_shrinking(struct rdl__text *out, const struct rdl__failure *failure)
{
    if (failure->attempts == 0)
        return;
    rdl__text_add(out, ", shrunk from %u to ", failure->first_count);
    rdl__text_add_many(out, failure->made.count, "choice");
    rdl__text_add(out, " in ");
    rdl__text_add_many(out, failure->attempts, "run");
    if (failure->shrink_stopped)
        rdl__text_add(out, " (not to the end)");
}

/* A sentence on as many lines as it takes, behind a margin. */
static void add_wrapped(struct rdl__report *report, const char *text, int margin)
{
    size_t room = report->looks.width > 40 ? (size_t)(report->looks.width - margin) : 40;

    while (*text) {
        size_t length = strlen(text);

        if (length > room)
            for (length = room; length > 0 && text[length] != ' '; length--)
                continue;
        if (length == 0) /* a word that is longer than the line */
            length = strcspn(text, " ");
        rdl__text_add(&report->text, "%*s%s%.*s%s\n", margin, "", ink(report, DIM), (int)length,
                      text, ink(report, PLAIN));
        text += length;
        text += *text == ' ';
    }
}

/* "Shrinking: 31 choices; 12 after 3 runs, 7 after 20; 210 runs in 0.31 s": whenever it became
 * shorter than ever before; the first and the last of them if there are many. */
static void add_how_it_shrank(struct rdl__report *report, const struct rdl__failure *failure)
{
    enum { SHOWN = 8 };
    struct rdl__text line = {0};
    uint32_t least = failure->first_count;
    size_t shorter = 0, nth = 0;

    if (failure->attempts == 0)
        return;
    for (size_t i = 0; i < failure->shrank_count; i++)
        if (failure->shrank[i].choices < least) {
            least = failure->shrank[i].choices;
            shorter++;
        }
    rdl__text_add(&line, "Shrinking: ");
    rdl__text_add_many(&line, failure->first_count, "choice");
    least = failure->first_count;
    for (size_t i = 0; i < failure->shrank_count; i++) {
        if (failure->shrank[i].choices >= least)
            continue;
        least = failure->shrank[i].choices;
        if (nth++ >= SHOWN && nth <= shorter - SHOWN)
            continue;
        rdl__text_add(&line, "%s%u after ",
                      nth == 1                                            ? "; "
                      : nth == shorter - SHOWN + 1 && shorter > 2 * SHOWN ? ", ..., "
                                                                          : ", ",
                      least);
        if (nth == 1)
            rdl__text_add_many(&line, failure->shrank[i].run, "run");
        else
            rdl__text_add_count(&line, failure->shrank[i].run);
    }
    rdl__text_add(&line, "; ");
    rdl__text_add_many(&line, failure->attempts, "run");
    rdl__text_add(&line, " in %.2f s%s", failure->shrink_seconds,
                  failure->shrink_stopped ? ", not to the end" : "");
    rdl__text_add(&report->text, "\n");
    add_wrapped(report, line.bytes, 2);
    rdl__text_release(&line);
}

static void add_schedule(struct rdl__report *report, const struct rdl__schedule *schedule)
{
    const struct rdl__paint paint = {ink(report, PLAIN), ink(report, BOLD), ink(report, DIM),
                                     ink(report, RED), ink(report, YELLOW)};
    struct rdl__text rows = {0};

    rdl__text_add(&report->text, "\n  %s\n", schedule->headline);
    rdl__add_schedule(&rows, schedule, report->looks.width - 4, &paint);
    if (rows.count)
        rdl__text_add(&report->text, "\n");
    add_indented(&report->text, rdl__text_string(&rows), "    ");
    rdl__text_release(&rows);
}

/* Everything that happened, in columns. */
static void add_timeline(struct rdl__report *report, const struct rdl__timeline *timeline)
{
    const struct rdl__paint paint = {ink(report, PLAIN), ink(report, BOLD), ink(report, DIM),
                                     ink(report, RED), ink(report, YELLOW)};
    struct rdl__excerpt all = {
        .end = timeline->count, .marked = UINT32_MAX, .with_places = true, .digits = 1};
    struct rdl__text rows = {0};

    if (timeline->count == 0)
        return;
    for (uint32_t most = timeline->moments; most >= 10; most /= 10)
        all.digits++;
    rdl__text_add(&report->text, "\n  All that happened, in its order:\n\n");
    rdl__add_timeline(&rows, timeline, &all, report->looks.width - 2, &paint);
    add_indented(&report->text, rows.bytes, "  ");
    if (timeline->lost) {
        rdl__text_add(&report->text, "    ... and ");
        rdl__text_add_count(&report->text, timeline->lost);
        rdl__text_add(&report->text, " more, for which there was no room\n");
    }
    rdl__text_release(&rows);
}

static void add_failure(struct rdl__report *report, const struct rdl__result *result,
                        const struct rdl__failure *failure)
{
    struct rdl__text *out = &report->text;

    rdl__text_add(out, "\n  %s", ink(report, RED));
    rdl__failure_headline(out, failure);
    rdl__text_add(out, "%s\n", ink(report, PLAIN));
    add_indented(out, rdl__failure_detail(failure), "      ");
    if (failure->unsteady)
        rdl__text_add(out, "\n  %sIt does not fail every time:%s %s.\n  It was not shrunk.\n",
                      ink(report, YELLOW), ink(report, PLAIN), failure->unsteady);
    if (failure->story.count > 0 && !failure->brief) {
        rdl__text_add(out, "\n");
        add_story(report, &failure->story);
    }
    if (failure->schedule.headline && (!failure->brief || report->looks.verbose))
        add_schedule(report, &failure->schedule);
    if (report->looks.verbose)
        add_timeline(report, &failure->timeline);
    if (failure->output && failure->output[0] && !failure->brief) {
        rdl__text_add(out, "\n  It printed:\n");
        add_indented(out, failure->output, "    | ");
    }
    if (failure->again) {
        rdl__text_add(out, "\n  Met ");
        rdl__text_add_many(out, failure->again, "more time");
        rdl__text_add(out, ".\n");
    }
    if (failure->token && !(result->replayed && failure->attempts == 0)) {
        rdl__text_add(out, "\n  %s  %s",
                      failure->unsteady ? "Try again:" : "Replay:", ink(report, BOLD));
        rdl__replay_command(out, report->plan, failure);
        rdl__text_add(out, "%s\n", ink(report, PLAIN));
    }
    if (failure->kept)
        rdl__text_add(out, "  Kept in: %s\n", failure->kept);
    if (report->looks.verbose)
        add_how_it_shrank(report, failure);
    if (failure->script) {
        rdl__text_add(out, "\n  %s%s:\n",
                      report->plan->export_order ? "Order in "
                      : report->plan->in_order   ? "Under this order"
                                                 : "Again",
                      report->plan->export_order ? report->plan->export_order : "");
        add_indented(out, failure->script, "    ");
    }
}

/* The most frequent first; of equals, the one that came first. */
static int compare_labels(const void *a, const void *b)
{
    const struct rdl__label *one = *(const struct rdl__label *const *)a;
    const struct rdl__label *two = *(const struct rdl__label *const *)b;

    if (one->cases != two->cases)
        return one->cases > two->cases ? -1 : 1;
    return (one > two) - (one < two);
}

static void add_labels(struct rdl__report *report, const struct rdl__stats *stats)
{
    struct rdl__text *out = &report->text;

    const struct rdl__label *labels[RDL__LABELS_MAX];

    for (uint32_t i = 0; i < stats->label_count; i++)
        labels[i] = &stats->labels[i];
    qsort(labels, stats->label_count, sizeof *labels, compare_labels);
    for (uint32_t i = 0; i < stats->label_count; i++) {
        if (labels[i]->required < 0 && (labels[i]->cases == 0 || !report->looks.verbose))
            continue;
        if (labels[i]->required == RDL__ONCE_UNSAID && labels[i]->cases > 0)
            continue;
        rdl__text_add(out, "    %5.1f%%  %s", rdl__label_percent(labels[i], stats),
                      labels[i]->name);
        if (labels[i]->required > 0 && labels[i]->required <= RDL__ONCE)
            rdl__text_add(out, " (at least once)");
        else if (labels[i]->required > 0)
            rdl__text_add(out, " (at least %g%%)", labels[i]->required);
        rdl__text_add(out, "\n");
    }
}

/* What never happened in all cases, though the test speaks of it. */
static void add_missing(struct rdl__text *out, const struct rdl__stats *stats)
{
    for (uint32_t i = 0; i < stats->label_count; i++)
        if (stats->labels[i].required < 0 && stats->labels[i].cases == 0)
            rdl__text_add(out, "    never:  %s\n", stats->labels[i].name);
}

static void add_measure(struct rdl__text *out, const struct rdl__measure *measure)
{
    uint64_t most = 1;
    int last = RDL__BUCKETS - 1;

    rdl__text_add(out, "    %s: %g to %g, mean %.4g\n", measure->name, measure->min, measure->max,
                  measure->sum / (double)measure->count);
    while (last > 0 && measure->buckets[last] == 0)
        last--;
    for (int i = 0; i <= last; i++)
        most = measure->buckets[i] > most ? measure->buckets[i] : most;
    for (int i = 0; i <= last; i++) {
        uint64_t count = measure->buckets[i];
        int bar = (int)((count * BAR + most - 1) / most);

        rdl__text_add(out, "      %8s%-8.0f |%.*s ", i ? "from " : "below ",
                      i ? (double)(1u << (i - 1)) : 1.0, bar, "########################");
        rdl__text_add_count(out, count);
        rdl__text_add(out, "\n");
    }
}

static uint64_t count_calls(const struct rdl__stats *stats)
{
    uint64_t total = 0;

    for (uint32_t i = 0; i < stats->called_count; i++)
        total += stats->called[i].calls;
    return total;
}

/* "calls: put 51% of 10,012 (3% waited), get 49%" */
static void add_calls(struct rdl__text *out, const struct rdl__stats *stats)
{
    uint64_t total = count_calls(stats);

    if (total == 0)
        return;
    rdl__text_add(out, "    ");
    rdl__text_add_many(out, total, "call");
    for (uint32_t i = 0; i < stats->called_count; i++) {
        const struct rdl__called *called = &stats->called[i];

        rdl__text_add(out, "%s%s %.1f%%", i ? ", " : ": ", called->name,
                      100.0 * (double)called->calls / (double)total);
        if (called->waited)
            rdl__text_add(out, " (%.1f%% of them waited)",
                          100.0 * (double)called->waited / (double)called->calls);
    }
    rdl__text_add(out, "\n");
}

/* "after put: put 51.2%, get 48.8%" */
static void add_followed(struct rdl__text *out, const struct rdl__stats *stats)
{
    for (uint32_t i = 0; i < stats->called_count; i++) {
        const char *before = ": ";
        uint64_t total = 0;

        for (uint32_t k = 0; k < stats->called_count; k++)
            total += stats->followed[i][k];
        if (total == 0)
            continue;
        rdl__text_add(out, "    after %s", stats->called[i].name);
        for (uint32_t k = 0; k < stats->called_count; k++) {
            if (stats->followed[i][k] == 0)
                continue;
            rdl__text_add(out, "%s%s %.1f%%", before, stats->called[k].name,
                          100.0 * (double)stats->followed[i][k] / (double)total);
            before = ", ";
        }
        rdl__text_add(out, "\n");
    }
}

/* "entered: from half 12, from other states 3" */
static void add_entered(struct rdl__text *out, const struct rdl__stats *stats, uint32_t which)
{
    const struct rdl__visited *visited = &stats->visited[which];
    const char *before = "      entered: ";

    for (uint32_t i = 0; i <= RDL__STATES_MAX; i++) {
        if (visited->from[i] == 0)
            continue;
        rdl__text_add(out, "%sfrom %s ", before,
                      i < RDL__STATES_MAX ? stats->visited[i].name : "other states");
        rdl__text_add_count(out, visited->from[i]);
        before = ", ";
    }
    rdl__text_add(out, *before == ',' ? "\n" : "");
}

/* "state full: in 45.0% of the cases, after 12.1% of the calls" */
static void add_states(struct rdl__text *out, const struct rdl__stats *stats, bool all)
{
    uint64_t calls = count_calls(stats);

    for (uint32_t i = 0; i < stats->visited_count && stats->cases > 0 && calls > 0; i++) {
        const struct rdl__visited *visited = &stats->visited[i];

        rdl__text_add(out, "    state %s: in %.1f%% of the cases, after %.1f%% of the calls\n",
                      visited->name, 100.0 * (double)visited->cases / (double)stats->cases,
                      100.0 * (double)visited->calls / (double)calls);
        if (all)
            add_entered(out, stats, i);
    }
}

/* "preconditions of send: S1 812 calls, S2 3,017; never: S3 (the receiver is continued)" */
static void add_tried_of(struct rdl__text *out, const struct rdl__stats *stats, uint32_t first,
                         uint32_t end)
{
    const char *before = ": ", *noun = " calls";

    rdl__text_add(out, "    preconditions of %s", stats->tried[first].operation);
    for (uint32_t i = first; i < end; i++) {
        if (stats->tried[i].calls == 0)
            continue;
        rdl__text_add(out, "%s%s ", before, stats->tried[i].name);
        rdl__text_add_count(out, stats->tried[i].calls);
        rdl__text_add(out, "%s", stats->tried[i].calls == 1 && *noun ? " call" : noun);
        before = ", ";
        noun = "";
    }
    before = *noun ? ": never: " : "; never: ";
    for (uint32_t i = first; i < end; i++) {
        if (stats->tried[i].calls > 0)
            continue;
        rdl__text_add(out, "%s%s", before, stats->tried[i].name);
        if (stats->tried[i].text[0])
            rdl__text_add(out, " (%s)", stats->tried[i].text);
        before = ", ";
    }
    rdl__text_add(out, "\n");
}

static void add_tried(struct rdl__text *out, const struct rdl__stats *stats)
{
    for (uint32_t i = 0, end; i < stats->tried_count; i = end) {
        for (end = i + 1; end < stats->tried_count; end++)
            if (strcmp(stats->tried[end].operation, stats->tried[i].operation) != 0)
                break;
        add_tried_of(out, stats, i, end);
    }
}

static void add_statistics(struct rdl__report *report, const struct rdl__stats *stats)
{
    if (report->looks.verbose) {
        add_calls(&report->text, stats);
        add_followed(&report->text, stats);
    }
    add_states(&report->text, stats, report->looks.verbose);
    add_tried(&report->text, stats);
    add_labels(report, stats);
    add_missing(&report->text, stats);
    for (uint32_t i = 0; i < stats->measure_count; i++)
        if (stats->measures[i].count)
            add_measure(&report->text, &stats->measures[i]);
    if (stats->lost)
        rdl__text_add(&report->text, "    (%u labels or measures found no room)\n", stats->lost);
}

/* ---- The listener ---------------------------------------------------------------------- */

static void run_started(void *self, const struct rdl__plan *plan, size_t tests)
{
    struct rdl__report *report = self;

    rdl__report_begin(self, plan, tests);
    if (report->looks.verbose) {
        rdl__text_add(&report->text, "seed %llu\n", (unsigned long long)plan->seed);
        say(report);
    }
}

static void failure_found(void *self, const struct rdl_test *test,
                          const struct rdl__failure *failure)
{
    struct rdl__report *report = self;

    if (report->looks.quiet)
        return;
    rdl__text_add(&report->text, "%s%-6s%s %s", ink(report, RED), "found", ink(report, PLAIN),
                  test->name);
    if (failure->found_at) {
        rdl__text_add(&report->text, " at %s ", rdl__case_noun(test));
        rdl__text_add_count(&report->text, failure->found_at);
    } else {
        rdl__text_add(&report->text, " by %s", failure->source);
    }
    rdl__text_add(&report->text, " (");
    rdl__text_add_many(&report->text, failure->first_count, "choice");
    rdl__text_add(&report->text, "): ");
    rdl__failure_headline(&report->text, failure);
    rdl__text_add(&report->text, "\n");
    say(report);
}

static void warned(void *self, const char *text)
{
    struct rdl__report *report = self;

    if (report->looks.quiet)
        return;
    rdl__text_add(&report->text, "%swarning:%s %s\n", ink(report, YELLOW), ink(report, PLAIN),
                  text);
    say(report);
}

/* Was its (first) failure known from a regression file? */
static bool is_from_file(const struct rdl__result *result)
{
    return result->failure_count > 0 && result->failures[0].found_at == 0 && !result->replayed;
}

/* The program that was explored is not the one that was named. */
static void add_explored(struct rdl__report *report, const struct rdl__followed *followed)
{
    struct rdl__text line = {0};

    if (!*followed->started_by)
        rdl__text_add(&line, "explored %s", followed->program);
    else if (followed->is_copy)
        rdl__text_add(&line, "explored a process that %s forked", followed->started_by);
    else
        rdl__text_add(&line, "explored %s, which %s started; only %s is judged", followed->program,
                      followed->started_by, followed->program);
    for (size_t i = 0; i < followed->other_count; i++)
        rdl__text_add(&line, "%s %s", i ? "," : "; not explored:", followed->others[i]);
    if (followed->input_is_cut)
        rdl__text_add(&line, "; its standard input did not end, and was cut");
    add_wrapped(report, line.bytes, MARGIN);
    rdl__text_release(&line);
}

/* A program that was to be explored, and has no second thread: that it passed says nothing. */
static bool is_alone(const struct rdl__report *report, const struct rdl__result *result)
{
    return report->plan->program && !result->replayed && result->verdict == RDL__TEST_PASS &&
           result->covered.explored.tally.threads == 1;
}

/* "ok", "FAIL" and what goes with them, on one line. */
static void add_verdict_line(struct rdl__report *report, const struct rdl__result *result)
{
    static const struct {
        const char *word;
        enum ink ink;
    } looks[] = {[RDL__TEST_PASS] = {"ok", GREEN},
                 [RDL__TEST_FAIL] = {"FAIL", RED},
                 [RDL__TEST_SKIP] = {"skip", YELLOW},
                 [RDL__TEST_ERROR] = {"ERROR", RED}};
    enum rdl__test_verdict verdict = result->verdict;
    struct rdl__text *out = &report->text;

    rdl__text_add(out, "%s%-6s%s %s  ", ink(report, looks[verdict].ink),
                  is_alone(report, result) ? "alone" : looks[verdict].word, ink(report, PLAIN),
                  result->test->name);
    if (verdict == RDL__TEST_SKIP || verdict == RDL__TEST_ERROR || result->text[0])
        rdl__text_add(out, "%s", result->text);
    if (result->text[0] == '\0' || verdict == RDL__TEST_FAIL) {
        if (result->text[0])
            rdl__text_add(out, "; ");
        if (result->replayed)
            rdl__text_add(out, verdict == RDL__TEST_PASS && result->failure_count == 0
                                   ? "this case passes"
                                   : "replayed");
        else if (is_from_file(result))
            rdl__text_add(out, "failed before, and fails again");
        else
            add_cases(out, result);
        if (result->failure_count > 0)
            add_shrinking(out, &result->failures[0]);
        rdl__text_add(out, ", %.2f s", result->seconds);
    }
    if (verdict == RDL__TEST_FAIL && !result->replayed && !is_from_file(result))
        rdl__text_add(out, " (seed %llu)", (unsigned long long)result->seed);
    if (verdict == RDL__TEST_PASS && result->failure_count > 0)
        rdl__text_add(out, " (fails, as expected)");
    rdl__text_add(out, "\n");
    if (result->covered.sentence[0] &&
        (report->looks.verbose || (verdict == RDL__TEST_PASS && rdl__covered_text(result))))
        add_wrapped(report, result->covered.sentence, MARGIN);
    if (result->covered.note[0])
        add_wrapped(report, result->covered.note, MARGIN);
    if (report->plan->followed)
        add_explored(report, report->plan->followed);
}

/* Which deviation was in force, and what there was of it. */
static void add_deviation(struct rdl__report *report, const struct rdl__result *result)
{
    struct rdl__text line = {0};

    if (!result->deviation || result->verdict == RDL__TEST_SKIP)
        return;
    rdl__text_add(&line, "under the deviation '%s'", result->deviation);
    if (!result->replayed) {
        rdl__text_add(&line, ", which took effect in ");
        rdl__text_add_count(&line, result->stats.deviated);
        rdl__text_add(&line, " of ");
        rdl__text_add_many(&line, result->stats.cases, rdl__case_noun(result->test));
    }
    add_wrapped(report, line.bytes, MARGIN);
    rdl__text_release(&line);
}

/* What a case did that was replayed, and passed. */
static void add_passing(struct rdl__report *report, const struct rdl__result *result)
{
    const char *before = "\n  It exercises: ";

    if (result->story.count > 0)
        rdl__text_add(&report->text, "\n");
    add_story(report, &result->story);
    for (uint32_t i = 0; i < rdl__requirement_count(); i++)
        if (rdl__ids_have(&result->exercised, i)) {
            rdl__text_add(&report->text, "%s%s", before, rdl__requirement_at(i)->id);
            before = ", ";
        }
    if (result->story.count > 0 || *before == ',')
        rdl__text_add(&report->text, *before == ',' ? "\n\n" : "\n");
}

/* Of a run that is not to say much, only what failed for them. */
static bool shows_statistics(const struct rdl__report *report, const struct rdl__result *result)
{
    const struct rdl__stats *stats = &result->stats;
    bool bad = result->verdict == RDL__TEST_FAIL || result->verdict == RDL__TEST_ERROR;

    if (report->looks.quiet)
        return bad && result->failure_count == 0;
    return bad || report->looks.verbose || stats->label_count || stats->measure_count ||
           stats->tried_count || stats->visited_count;
}

/* Races of which nobody knows whether they are some. */
static void add_suspected(struct rdl__report *report, const struct rdl__result *result)
{
    if (result->suspected_count == 0 || report->looks.quiet)
        return;
    rdl__text_add(&report->text, "\n  ");
    rdl__add_suspected_count(&report->text, result);
    rdl__text_add(&report->text, ":\n");
    for (size_t i = 0; i < result->suspected_count; i++)
        add_failure(report, result, &result->suspected[i]);
    rdl__text_add(&report->text, "\n");
}

static void test_ended(void *self, const struct rdl__result *result)
{
    struct rdl__report *report = self;
    enum rdl__test_verdict verdict = result->verdict;
    bool bad = verdict == RDL__TEST_FAIL || verdict == RDL__TEST_ERROR;
    bool shows_failures = bad || report->looks.verbose || result->replayed;

    rdl__report_count(report, result);
    if (!bad && report->looks.quiet)
        return;
    add_verdict_line(report, result);
    add_deviation(report, result);
    for (size_t i = 0; i < result->failure_count && shows_failures; i++) {
        if (result->failure_count > 1)
            rdl__text_add(&report->text, "\n  %sFailure %zu of %zu%s", ink(report, BOLD), i + 1,
                          result->failure_count, ink(report, PLAIN));
        add_failure(report, result, &result->failures[i]);
    }
    if (shows_failures && result->failure_count > 0)
        rdl__text_add(&report->text, "\n");
    add_suspected(report, result);
    if (result->replayed && result->failure_count == 0)
        add_passing(report, result);
    if (shows_statistics(report, result))
        add_statistics(report, &result->stats);
    say(report);
}

static void exercised(void *self, const struct rdl__exercise *exercises, size_t count)
{
    struct rdl__report *report = self;
    bool fails = false;

    for (size_t i = 0; i < count && report->plan->require_all; i++)
        fails = fails || exercises[i].cases == 0;
    if (report->looks.requirements)
        rdl__add_exercised_table(&report->text, report->plan, exercises, count);
    else if (!report->looks.quiet || fails)
        rdl__add_exercised(&report->text, exercises, count);
    if (fails)
        rdl__text_add(&report->text, "%sFAIL%s   all requirements are to be exercised\n",
                      ink(report, RED), ink(report, PLAIN));
    say(report);
}

static void run_ended(void *self, double seconds)
{
    struct rdl__report *report = self;
    struct rdl__text *out = &report->text;

    if (!report->looks.quiet) {
        rdl__text_add(out, "%zu passed, %zu failed", report->counts[RDL__TEST_PASS],
                      report->counts[RDL__TEST_FAIL] + report->counts[RDL__TEST_ERROR]);
        if (report->counts[RDL__TEST_SKIP])
            rdl__text_add(out, ", %zu skipped", report->counts[RDL__TEST_SKIP]);
        rdl__text_add(out, "\n");
    }
    (void)seconds;
    say(report);
}

struct rdl__listener rdl__report_human(struct rdl__report *report, const struct rdl__looks *looks)
{
    report->looks = *looks;
    return (struct rdl__listener){
        .run_started = run_started,
        .failure_found = failure_found,
        .warning = warned,
        .test_ended = test_ended,
        .exercised = exercised,
        .run_ended = run_ended,
        .self = report,
    };
}
