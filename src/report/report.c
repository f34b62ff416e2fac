/* report.c -- where a report goes, and what all formats say alike. */
#include "report/report.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "choice/regress.h"
#include "port/crash.h"
#include "port/io.h"
#include "port/write.h"

struct rdl__format {
    const char *name;
    bool document;
    struct rdl__listener (*listener)(struct rdl__report *report); /* NULL: needs looks, too */
};

static const struct rdl__format formats[] = {
    {"human", false, NULL},
    {"tap", false, rdl__report_tap},
    {"junit", true, rdl__report_junit},
    {"json", false, rdl__report_json},
    {"html", true, rdl__report_html},
    {"trace", true, rdl__report_trace},
};

/* ---- Where it goes ---------------------------------------------------------------- */

static const struct rdl__format *find_format(const char *name)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(formats[i].name, name) == 0)
            return &formats[i];
    return NULL;
}

static bool cannot_write(const struct rdl__report *report, int why, struct rdl__error *error)
{
    return rdl__fail(error, "cannot write %s: %s",
                     report->path ? report->path : "to standard output", strerror(why));
}

static bool open_path(struct rdl__report *report, struct rdl__error *error)
{
    if (!report->path) {
        report->fd = STDOUT_FILENO;
        return true;
    }
    if (report->format->document && rdl__is_replaceable(report->path)) {
        char *target = realpath(report->path, NULL); /* keeps a link a link */

        if (target) {
            free(report->path);
            report->path = target;
        }
        /* The run may take hours, so say now if its document will have no place. */
        return rdl__can_write_file(report->path, error);
    }
    report->fd = open(report->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    return report->fd >= 0 || cannot_write(report, errno, error);
}

bool rdl__report_open(struct rdl__report *out, const char *format, const char *path,
                      struct rdl__error *error)
{
    struct rdl__report report = {.format = find_format(format), .fd = -1};

    if (!report.format)
        return rdl__fail(error, "unknown format %s: it can be human, tap, junit, json or html",
                         format);
    report.path = path ? rdl__duplicate(path) : NULL;
    if (!open_path(&report, error)) {
        free(report.path);
        return false;
    }
    *out = report;
    return true;
}

void rdl__report_flush(struct rdl__report *report)
{
    const char *at = report->text.bytes;
    size_t left = report->why || report->fd < 0 ? 0 : report->text.count;

    if (report->kept)
        return;
    while (left > 0 && !report->why) {
        struct pollfd writable = {.fd = report->fd, .events = POLLOUT};
        ssize_t put = rdl__write_quietly(report->fd, at, left);

        if (put >= 0) {
            at += put;
            left -= (size_t)put;
        } else if (errno == EAGAIN) { /* whoever shares the file made it so */
            rdl__own_poll(&writable, 1, -1);
        } else if (errno != EINTR) {
            report->why = errno;
        }
    }
    rdl__text_clear(&report->text);
}

static bool write_rest(struct rdl__report *report, struct rdl__error *error)
{
    if (report->fd < 0)
        return !report->ended ||
               rdl__write_file(report->path, report->text.bytes, report->text.count, error);
    rdl__report_flush(report);
    if (report->path && close(report->fd) != 0 && !report->why)
        report->why = errno;
    if (report->why == EPIPE && !report->path) {
        error->text[0] = '\0'; /* the reader has seen enough, as head does: nobody wants to know */
        return false;
    }
    return !report->why || cannot_write(report, report->why, error);
}

bool rdl__report_close(struct rdl__report *report, struct rdl__error *error)
{
    bool ok = write_rest(report, error);

    rdl__text_release(&report->text);
    rdl__text_release(&report->body);
    rdl__text_release(&report->warnings);
    rdl__html_free(report->html);
    free(report->path);
    *report = (struct rdl__report){.fd = -1};
    return ok;
}

/* ---- Listening -------------------------------------------------------------------- */

struct rdl__listener rdl__report_listener(struct rdl__report *report,
                                          const struct rdl__looks *looks)
{
    if (report->format->listener)
        return report->format->listener(report);
    return rdl__report_human(report, looks);
}

void rdl__report_begin(void *self, const struct rdl__plan *plan, size_t tests)
{
    struct rdl__report *report = self;

    report->plan = plan;
    report->planned = tests;
}

void rdl__report_warned(void *self, const char *text)
{
    struct rdl__report *report = self;

    rdl__text_add_bytes(&report->warnings, text, strlen(text) + 1);
}

void rdl__report_count(struct rdl__report *report, const struct rdl__result *result)
{
    enum rdl__test_verdict verdict = result->verdict;

    if (verdict == RDL__TEST_FAIL && !report->first_failure)
        report->first_failure = rdl__report_ended(report) + 1;
    report->counts[verdict]++;
    report->interrupted = report->interrupted || result->interrupted;
    rdl__text_clear(&report->warnings);
}

size_t rdl__report_ended(const struct rdl__report *report)
{
    size_t sum = 0;

    for (int i = 0; i < RDL__VERDICTS; i++)
        sum += report->counts[i];
    return sum;
}

void rdl__report_end(struct rdl__report *report, const char *tail)
{
    rdl__text_add_bytes(&report->text, report->body.bytes, report->body.count);
    rdl__text_add(&report->text, "%s", tail);
    rdl__text_clear(&report->body);
    report->ended = true;
    if (report->fd >= 0)
        rdl__report_flush(report);
}

#define tell_each(self, function, ...)                                                             \
    do {                                                                                           \
        struct rdl__listeners *all = (self);                                                       \
        for (size_t i = 0; i < all->count; i++)                                                    \
            if (all->items[i].function)                                                            \
                all->items[i].function(all->items[i].self, __VA_ARGS__);                           \
    } while (0)

static void tell_run_started(void *self, const struct rdl__plan *plan, size_t tests)
{
    tell_each(self, run_started, plan, tests);
}

static void tell_test_started(void *self, const struct rdl_test *test)
{
    tell_each(self, test_started, test);
}

static void tell_progress(void *self, const struct rdl__progress *progress)
{
    tell_each(self, progress, progress);
}

static void tell_failure_found(void *self, const struct rdl_test *test,
                               const struct rdl__failure *failure)
{
    tell_each(self, failure_found, test, failure);
}

static void tell_warning(void *self, const char *text)
{
    tell_each(self, warning, text);
}

static void tell_test_ended(void *self, const struct rdl__result *result)
{
    tell_each(self, test_ended, result);
}

static void tell_exercised(void *self, const struct rdl__exercise *exercises, size_t count)
{
    tell_each(self, exercised, exercises, count);
}

static void tell_run_ended(void *self, double seconds)
{
    tell_each(self, run_ended, seconds);
}

struct rdl__listener rdl__report_many(struct rdl__listeners *listeners)
{
    struct rdl__listener all = {
        .run_started = tell_run_started,
        .test_started = tell_test_started,
        .progress = tell_progress,
        .failure_found = tell_failure_found,
        .warning = tell_warning,
        .test_ended = tell_test_ended,
        .exercised = tell_exercised,
        .run_ended = tell_run_ended,
        .self = listeners,
    };

    rdl__bug_if(listeners->count > RDL__LISTENERS_MAX);
    return all;
}

/* ---- What all formats say alike --------------------------------------------------- */

const char *rdl__verdict_name(enum rdl__test_verdict verdict)
{
    static const char *const names[RDL__VERDICTS] = {[RDL__TEST_PASS] = "pass",
                                                     [RDL__TEST_FAIL] = "fail",
                                                     [RDL__TEST_SKIP] = "skip",
                                                     [RDL__TEST_ERROR] = "error"};

    return names[verdict];
}

void rdl__result_message(struct rdl__text *out, const struct rdl__result *result)
{
    if (result->failure_count > 0 && !result->text[0]) {
        rdl__failure_headline(out, &result->failures[0]);
    } else {
        rdl__text_add(out, "%s", result->text);
    }
}

static void add_headline(struct rdl__text *out, const struct rdl__failure *failure)
{
    const struct rdl__outcome *outcome = &failure->outcome;

    switch (outcome->cause) {
    case RDL__BY_CHECK:
        rdl__text_add(out, "%s:%d: %s", outcome->file, outcome->line, outcome->check);
        if (strcmp(outcome->check, "rdl_fail") == 0)
            rdl__text_add(out, ": %.*s", (int)strcspn(outcome->text, "\n"), outcome->text);
        return;
    case RDL__BY_CRASH:
    case RDL__BY_EXIT:
    case RDL__BY_HANG:
        rdl__outcome_add_ending(out, outcome);
        break;
    case RDL__BY_ASSERT:
    case RDL__BY_DEADLOCK:
    case RDL__BY_LIVELOCK:
    case RDL__BY_RACE:
    case RDL__BY_LEAK:
    case RDL__BY_MEMORY:
    case RDL__BY_MISUSE:
    case RDL__BY_OUTPUT:
    case RDL__BY_SPEC:
        if (outcome->line)
            rdl__text_add(out, "%s:%d: ", outcome->file, outcome->line);
        rdl__text_add(out, "%s", outcome->check);
        return;
    }
    if (outcome->text[0])
        rdl__text_add(out, " %.*s", (int)strcspn(outcome->text, "\n"), outcome->text);
}

void rdl__failure_headline(struct rdl__text *out, const struct rdl__failure *failure)
{
    const struct rdl__schedule *schedule = &failure->schedule;
    bool names_it = failure->outcome.cause >= RDL__BY_DEADLOCK &&
                    failure->outcome.cause != RDL__BY_ASSERT; /* names the threads itself */

    add_headline(out, failure);
    if (schedule->failed > 1 && !names_it)
        rdl__text_add(out, " (in %s)", schedule->threads[schedule->failed - 1]);
}

const char *rdl__failure_detail(const struct rdl__failure *failure)
{
    const char *line_end = strchr(failure->outcome.text, '\n');

    switch (failure->outcome.cause) {
    case RDL__BY_CRASH:
    case RDL__BY_EXIT:
    case RDL__BY_HANG: /* the first line is part of the headline */
        return line_end ? line_end + 1 : "";
    default:
        return failure->outcome.text;
    }
}

const char *rdl__case_noun(const struct rdl_test *test)
{
    return test->options.explore ? "schedule" : "case";
}

void rdl__add_suspected_count(struct rdl__text *out, const struct rdl__result *result)
{
    rdl__text_add_many(out, result->suspected_count, "suspected data race");
    rdl__text_add(out, ", which only code that Raddle does not see may put in order");
}

const char *rdl__covered_text(const struct rdl__result *result)
{
    const struct rdl_options *options = &result->test->options;

    if (!options->explore || options->scheduled || result->replayed || result->stats.cases == 0)
        return NULL;
    return result->covered.sentence[0] ? result->covered.sentence : result->covered.count;
}

void rdl__add_shell_word(struct rdl__text *out, const char *word)
{
    static const char harmless[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                   "_-./+,:=@%";

    if (*word && !word[strspn(word, harmless)]) {
        rdl__text_add(out, "%s", word);
        return;
    }
    rdl__text_add(out, "'");
    for (; *word; word++)
        if (*word == '\'')
            rdl__text_add(out, "'\\''");
        else
            rdl__text_add(out, "%c", *word);
    rdl__text_add(out, "'");
}

void rdl__replay_command(struct rdl__text *out, const struct rdl__plan *plan,
                         const struct rdl__failure *failure)
{
    struct rdl__text what = {0};

    if (!failure->token && !failure->token_file)
        return;
    if (failure->token_file)
        rdl__text_add(&what, "@%s", failure->token_file);
    else
        rdl__text_add(&what, "%s", failure->token);
    if (plan->replay_command) {
        rdl__text_add(out, "%s ", plan->replay_command);
    } else {
        rdl__add_shell_word(out, plan->command);
        if (plan->deviation) {
            rdl__text_add(out, " --deviation ");
            rdl__add_shell_word(out, plan->deviation);
        }
        rdl__text_add(out, " --replay ");
    }
    rdl__add_shell_word(out, what.bytes);
    rdl__text_release(&what);
    if (plan->gates) {
        rdl__text_add(out, " --gates ");
        rdl__add_shell_word(out, plan->gates);
    }
}

void rdl__add_line(struct rdl__text *out, const struct rdl__line *line)
{
    if (line->kind == RDL__EVENT_DRAW)
        rdl__text_add(out, "%s = ", line->name);
    rdl__text_add(out, line->kind == RDL__EVENT_BEGIN ? "%s:" : "%s", line->value);
}

double rdl__label_percent(const struct rdl__label *label, const struct rdl__stats *stats)
{
    return stats->cases ? 100.0 * (double)label->cases / (double)stats->cases : 0;
}

/* ---- Any bytes as text of a certain kind ------------------------------------------ */

static bool add_xml_special(struct rdl__text *out, uint32_t code)
{
    if (code == '<')
        rdl__text_add(out, "&lt;");
    else if (code == '>')
        rdl__text_add(out, "&gt;");
    else if (code == '&' || code == '"' || code == '\'' || code == '\r')
        rdl__text_add(out, "&#%u;", code);
    else if ((code < ' ' && code != '\n' && code != '\t') || code == 0xfffe || code == 0xffff)
        rdl__text_add(out, "\xef\xbf\xbd");
    else
        return false;
    return true;
}

/* A reader of XML turns white space in attributes into spaces, unless it is
 * written as a number. */
static bool add_attribute_special(struct rdl__text *out, uint32_t code)
{
    if (code != '\n' && code != '\t')
        return add_xml_special(out, code);
    rdl__text_add(out, "&#%u;", code);
    return true;
}

void rdl__add_xml(struct rdl__text *out, const char *text)
{
    rdl__add_escaped(out, text, add_xml_special);
}

void rdl__add_xml_attribute(struct rdl__text *out, const char *name, const char *value)
{
    rdl__text_add(out, " %s=\"", name);
    rdl__add_escaped(out, value, add_attribute_special);
    rdl__text_add(out, "\"");
}

void rdl__add_number(struct rdl__text *out, double value, int decimals)
{
    static locale_t plain;
    locale_t old;

    if (!plain)
        plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    old = uselocale(plain);
    if (!isfinite(value))
        rdl__text_add(out, "null");
    else if (decimals < 0)
        rdl__text_add_double(out, value, false);
    else
        rdl__text_add(out, "%.*f", decimals, value);
    uselocale(old);
}
