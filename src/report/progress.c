/* progress.c -- the line that changes while something runs. */
#include "report/progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "port/clock.h"
#include "port/write.h"
#include "report/report.h"

enum { PERIOD_NS = 100 * 1000 * 1000, WIDTH_UNKNOWN = 80, WHO_MIN = 12 };

/* ---- The line ------------------------------------------------------------------------------- */

/* What is left out, one after the other, until there is room. */
enum { ALL, NO_RATE, NO_MORE, NO_COUNT, LEVELS };

static void add_seconds(struct rdl__text *out, double seconds)
{
    unsigned long long s = (unsigned long long)ceil(seconds);

    if (s < 100)
        rdl__text_add(out, "%llu s", s);
    else if (s < 100 * 60)
        rdl__text_add(out, "%llu:%02llu min", s / 60, s % 60);
    else
        rdl__text_add(out, "%llu:%02llu h", s / 3600, s / 60 % 60);
}

static double rate_of(const struct rdl__work *work)
{
    return work->seconds > 0 ? (double)work->count / work->seconds : 0;
}

static void add_count(struct rdl__text *out, const struct rdl__work *work)
{
    rdl__text_add(out, ", ");
    if (work->goal) {
        rdl__text_add_count(out, work->count);
        rdl__text_add(out, " of ");
    }
    rdl__text_add_many(out, work->goal ? work->goal : work->count, work->noun);
}

static void add_rate(struct rdl__text *out, double rate)
{
    rdl__text_add(out, ", ");
    if (rate < 10)
        rdl__text_add(out, "%.1f", rate);
    else
        rdl__text_add_count(out, (uint64_t)rate);
    rdl__text_add(out, "/s");
}

/* Unless it is told, it is as fast from now on as it was so far. */
static void add_left(struct rdl__text *out, const struct rdl__work *work)
{
    double rate = rate_of(work), left = work->left;
    const char *how = work->guessed ? "about " : work->at_most ? "at most " : "";

    if (work->goal > work->count && rate > 0 && !work->guessed) {
        double guess = (double)(work->goal - work->count) / rate;

        if (left <= 0 || guess < left) {
            left = guess;
            how = "about ";
        }
    }
    if (left > 0) {
        rdl__text_add(out, ", %s", how);
        add_seconds(out, left);
        rdl__text_add(out, " left");
    }
}

static void add_rest(struct rdl__text *out, const struct rdl__work *work, int level)
{
    rdl__text_add(out, "%s", work->doing);
    if (work->noun && level < NO_COUNT)
        add_count(out, work);
    if (work->noun && work->count > 0 && rate_of(work) > 0 && level < NO_RATE)
        add_rate(out, rate_of(work));
    if (work->more && *work->more && level < NO_MORE)
        rdl__text_add(out, ", %s", work->more);
    add_left(out, work);
}

/* Part of a name is better than none, if it is not too small a part. */
void rdl__add_work(struct rdl__text *out, const struct rdl__work *work, int width)
{
    int third = width / 3 > WHO_MIN ? width / 3 : WHO_MIN, room = 0;
    int needed = work->who ? rdl__text_width(work->who) : 0;
    struct rdl__text rest = {0};

    needed = needed < third ? needed : third;
    for (int level = ALL; level < LEVELS; level++) {
        rdl__text_clear(&rest);
        add_rest(&rest, work, level);
        room = width - rdl__text_width(rest.bytes) - (work->who ? 2 : 0);
        if (room >= needed)
            break;
    }
    if (work->who && room >= needed) {
        width -= 2 + rdl__text_add_clipped(out, work->who, room);
        rdl__text_add(out, ": ");
    }
    rdl__text_add_clipped(out, rest.bytes, width);
    rdl__text_release(&rest);
}

/* ---- On the terminal ------------------------------------------------------------------------ */

bool rdl__progress_wanted(bool quiet)
{
    const char *terminal = getenv("TERM");

    return !quiet && isatty(STDERR_FILENO) && !getenv("CI") &&
           !(terminal && strcmp(terminal, "dumb") == 0);
}

bool rdl__progress_is_due(struct rdl__progress_line *line)
{
    uint64_t now;

    if (!line->on)
        return false;
    now = rdl__now_ns();
    if (line->last_ns == 0)
        line->last_ns = now;
    return now - line->last_ns >= PERIOD_NS;
}

/* It may have been changed since. */
static int width_now(void)
{
    struct winsize size = {0};

    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col
                                                                       : WIDTH_UNKNOWN;
}

/* All at once, so that nobody sees half of it; the last column stays free, or some terminals would
 * go on to the next line. */
void rdl__progress_show(struct rdl__progress_line *line, const struct rdl__work *work)
{
    struct rdl__text text = {0};

    if (!line->on)
        return;
    rdl__text_add(&text, "\r");
    rdl__add_work(&text, work, width_now() - 1);
    rdl__text_add(&text, "\033[K");
    rdl__write_quietly(STDERR_FILENO, text.bytes, text.count);
    rdl__text_release(&text);
    line->shown = true;
    line->last_ns = rdl__now_ns();
}

void rdl__progress_wipe(struct rdl__progress_line *line)
{
    if (!line->shown)
        return;
    line->shown = false;
    rdl__write_quietly(STDERR_FILENO, "\r\033[K", 4);
}

/* ---- Of tests ------------------------------------------------------------------------------- */

struct rdl__work rdl__work_of(const struct rdl__progress *progress, struct rdl__text *more)
{
    if (progress->choices) {
        rdl__text_add(more, "%u", progress->choices);
        if (progress->first_choices > progress->choices)
            rdl__text_add(more, " of %u", progress->first_choices);
        rdl__text_add(more, " choices left");
    }
    return (struct rdl__work){
        .who = progress->test->name,
        .doing = progress->doing,
        .noun = progress->noun ? progress->noun : rdl__case_noun(progress->test),
        .count = progress->count,
        .goal = progress->goal,
        .more = rdl__text_string(more),
        .seconds = progress->seconds,
        .left = progress->left,
        .at_most = progress->choices > 0,
    };
}

static void run_started(void *self, const struct rdl__plan *plan, size_t tests)
{
    struct rdl__progress_report *report = self;

    (void)plan;
    report->tests = tests;
}

static void test_started(void *self, const struct rdl_test *test)
{
    struct rdl__progress_report *report = self;

    (void)test;
    report->started++;
}

static void progressed(void *self, const struct rdl__progress *progress)
{
    struct rdl__progress_report *report = self;
    struct rdl__text who = {0}, more = {0};
    struct rdl__work work;

    if (!rdl__progress_is_due(&report->line))
        return;
    work = rdl__work_of(progress, &more);
    if (report->tests > 1)
        rdl__text_add(&who, "[%zu/%zu] ", report->started, report->tests);
    rdl__text_add(&who, "%s", work.who);
    work.who = who.bytes;
    rdl__progress_show(&report->line, &work);
    rdl__text_release(&who);
    rdl__text_release(&more);
}

static void wipe(void *self)
{
    rdl__progress_wipe(&((struct rdl__progress_report *)self)->line);
}

static void failure_found(void *self, const struct rdl_test *test,
                          const struct rdl__failure *failure)
{
    (void)test, (void)failure;
    wipe(self);
}

static void warned(void *self, const char *text)
{
    (void)text;
    wipe(self);
}

static void test_ended(void *self, const struct rdl__result *result)
{
    (void)result;
    wipe(self);
}

static void exercised(void *self, const struct rdl__exercise *exercises, size_t count)
{
    (void)exercises, (void)count;
    wipe(self);
}

static void run_ended(void *self, double seconds)
{
    (void)seconds;
    wipe(self);
}

struct rdl__listener rdl__report_progress(struct rdl__progress_report *report)
{
    return (struct rdl__listener){
        .run_started = run_started,
        .test_started = test_started,
        .progress = progressed,
        .failure_found = failure_found,
        .warning = warned,
        .test_ended = test_ended,
        .exercised = exercised,
        .run_ended = run_ended,
        .self = report,
    };
}
