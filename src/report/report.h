/* report.h -- results as text: where a report goes, and the formats there are.
 *
 *     struct rdl__report report;
 *     struct rdl__listener listener;
 *
 *     if (!rdl__report_open(&report, "tap", path, &error))
 *         ...
 *     listener = rdl__report_listener(&report, &looks);
 *     rdl__check_all(plan, &listener, ...);
 *     if (!rdl__report_close(&report, &error))
 *         ...
 *
 * Formats of lines (human, tap, json) go out as each test ends.  Documents
 * (junit, html) go out when they are closed, to a file all at once, so that
 * nobody ever reads half of one; of a run that could not be finished there is
 * none.
 *
 * A listener never fails: the first error in writing is kept, what follows is
 * dropped, and rdl__report_close tells. */
#ifndef RDL__REPORT_H
#define RDL__REPORT_H

#include "base/escape.h"
#include "check/plan.h"

enum { RDL__VERDICTS = RDL__TEST_ERROR + 1 };

/* How the human format may look. */
struct rdl__looks {
    bool colour;
    int width; /* of the terminal */
    bool quiet;
    bool verbose;
    bool requirements; /* all that is known of them */
};

struct rdl__format;
struct rdl__html;

struct rdl__report {
    const struct rdl__format *format;
    char *path;                /* NULL: standard output */
    int fd;                    /* -1: a document, for which a file is made when it is closed */
    int why;                   /* errno of the first write that failed; 0: none has */
    struct rdl__text text;     /* not written yet */
    struct rdl__text body;     /* of a document, while its head is not known */
    struct rdl__text warnings; /* since the last test ended, each with its NUL */
    struct rdl__html *html;    /* of what a page is made; NULL: it is none */
    bool kept;                 /* `text` stays here: it is to be part of a document */

    const struct rdl__plan *plan;
    size_t planned;               /* tests */
    size_t counts[RDL__VERDICTS]; /* tests that have ended */
    size_t first_failure;         /* the number of that test, from 1; 0: none yet */
    bool interrupted;
    bool ended;              /* the run; so a document is whole */
    uint64_t cases, arrows;  /* that are in a trace */
    struct rdl__looks looks; /* of the human format */
};

/* The path is NULL for standard output.  On failure there is nothing to close. */
bool rdl__report_open(struct rdl__report *out, const char *format, const char *path,
                      struct rdl__error *error);
struct rdl__listener rdl__report_listener(struct rdl__report *report,
                                          const struct rdl__looks *looks);

/* Write what is left.  False: something could not be written, now or earlier; the error says
 * nothing if whoever read standard output has gone. */
bool rdl__report_close(struct rdl__report *report, struct rdl__error *error);

/* Several listeners as one; they are told in order. */
enum { RDL__LISTENERS_MAX = 12 };

struct rdl__listeners {
    struct rdl__listener items[RDL__LISTENERS_MAX];
    size_t count;
};

struct rdl__listener rdl__report_many(struct rdl__listeners *listeners);

/* ---- For the formats -------------------------------------------------------------- */

struct rdl__listener rdl__report_human(struct rdl__report *report, const struct rdl__looks *looks);
struct rdl__listener rdl__report_tap(struct rdl__report *report);
struct rdl__listener rdl__report_junit(struct rdl__report *report);
struct rdl__listener rdl__report_json(struct rdl__report *report);
struct rdl__listener rdl__report_html(struct rdl__report *report);
struct rdl__listener rdl__report_trace(struct rdl__report *report);
void rdl__html_free(struct rdl__html *html); /* or NULL */

/* Write report->text now.  To be called with whole lines. */
void rdl__report_flush(struct rdl__report *report);

/* For listener.run_started and listener.warning: keep what they tell. */
void rdl__report_begin(void *self, const struct rdl__plan *plan, size_t tests);
void rdl__report_warned(void *self, const char *text);

/* A test has ended: count it.  To be called last, since it forgets the warnings. */
void rdl__report_count(struct rdl__report *report, const struct rdl__result *result);

/* A document is whole: `text` is its head, the body follows, then the tail. */
void rdl__report_end(struct rdl__report *report, const char *tail);

size_t rdl__report_ended(const struct rdl__report *report); /* tests */

/* ---- What all formats say alike --------------------------------------------------- */

const char *rdl__verdict_name(enum rdl__test_verdict verdict); /* "pass", ... */

/* Why: of the first failure the headline, else what was said about the run;
 * nothing if there is nothing to say. */
void rdl__result_message(struct rdl__text *out, const struct rdl__result *result);

/* "queue.c:12: rdl_check(n > 0)", "crashed with SIGSEGV in pop+0x12 (tests)" */
void rdl__failure_headline(struct rdl__text *out, const struct rdl__failure *failure);

/* A word of a shell command, in quotes if it needs them. */
void rdl__add_shell_word(struct rdl__text *out, const char *word);

/* "./tests --replay rdl1.name.AAEC", ready for a shell; nothing if the failure
 * cannot be repeated. */
void rdl__replay_command(struct rdl__text *out, const struct rdl__plan *plan,
                         const struct rdl__failure *failure);

/* "xs = {1, 2}", a note, or the label of a span; without depth and remark. */
void rdl__add_line(struct rdl__text *out, const struct rdl__line *line);

/* All of them, each on a line; in a long story, what is repeated once. */
struct rdl__story_looks {
    const char *margin, *dim, *plain; /* the last two are around remarks */
    size_t lines_max;
};
void rdl__add_story(struct rdl__text *out, const struct rdl__story *story,
                    const struct rdl__story_looks *looks);

/* What is said of the failure below its headline; "" if that has said it all. */
const char *rdl__failure_detail(const struct rdl__failure *failure);

/* "schedule" or "case": what a test has many of. */
const char *rdl__case_noun(const struct rdl_test *test);

/* "2 suspected data races, which only code that Raddle does not see may put in order" */
void rdl__add_suspected_count(struct rdl__text *out, const struct rdl__result *result);

/* What the passing schedules of a test mean, in one sentence; NULL if the test claims nothing of
 * the kind, as it says itself what is scheduled. */
const char *rdl__covered_text(const struct rdl__result *result);

/* The rows of a schedule, if there are any: columns.c.  `paint` may be NULL. */
struct rdl__paint {
    const char *plain, *bold, *dim, *red, *yellow;
};
enum { RDL__PLAIN_WIDTH = 100 };
void rdl__add_schedule(struct rdl__text *out, const struct rdl__schedule *schedule, int width,
                       const struct rdl__paint *paint);

/* Some items of a timeline in columns, in the same way: in front of each is its moment. */
struct rdl__excerpt {
    uint32_t first, end; /* items */
    uint32_t marked;     /* one of them is pointed at; UINT32_MAX: none */
    int digits;          /* of the largest moment */
    bool with_places;
};
void rdl__add_timeline(struct rdl__text *out, const struct rdl__timeline *timeline,
                       const struct rdl__excerpt *excerpt, int width,
                       const struct rdl__paint *paint);

/* Of all the cases, how many percent carry the label? */
double rdl__label_percent(const struct rdl__label *label, const struct rdl__stats *stats);

/* "requirements: 3 of 4 exercised; never: R4"; and with a paragraph for each: requirements.c */
void rdl__add_exercised(struct rdl__text *out, const struct rdl__exercise *exercises, size_t count);
void rdl__add_exercised_table(struct rdl__text *out, const struct rdl__plan *plan,
                              const struct rdl__exercise *exercises, size_t count);

/* That table in a file of its own; error says whether it could be written. */
struct rdl__requirements_file {
    const char *path;
    const struct rdl__plan *plan;
    struct rdl__error error;
};
struct rdl__listener rdl__report_requirements(struct rdl__requirements_file *file);

/* ---- Any bytes as text of a certain kind ------------------------------------------
 *
 * What is not UTF-8 becomes U+FFFD. */

/* XML and HTML.  Characters that XML cannot have become U+FFFD. */
void rdl__add_xml(struct rdl__text *out, const char *text);
void rdl__add_xml_attribute(struct rdl__text *out, const char *name, const char *value);

/* A number with so many decimals, or if they are -1 the fewest that tell it
 * exactly.  Whatever the locale, it has a point; if it is not finite, it is
 * "null". */
void rdl__add_number(struct rdl__text *out, double value, int decimals);

#endif
