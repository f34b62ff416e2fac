/* progress.h -- the line that changes while something runs: what is being done, how far it has
 * got, how fast, and how long it will take yet.
 *
 *     struct rdl__progress_line line = {.on = rdl__progress_wanted(quiet)};
 *
 *     while (...)
 *         if (rdl__progress_is_due(&line))
 *             rdl__progress_show(&line, &(struct rdl__work){...});
 *     rdl__progress_wipe(&line);
 *
 * It is on standard error, if that is a terminal, so it never gets into a report; whoever prints
 * something wipes it before.  It takes the room that the terminal has at the moment, and what was
 * there is written over instead of being erased first, so that it does not flicker. */
#ifndef RDL__PROGRESS_H
#define RDL__PROGRESS_H

#include "check/plan.h"

struct rdl__progress_line {
    bool on;
    bool shown;
    uint64_t last_ns; /* when it was shown last, or begun; 0: not yet */
};

/* What it tells.  Nothing is said of what is NULL or 0. */
struct rdl__work {
    const char *who;      /* is it about: "bank" */
    const char *doing;    /* "searching" */
    const char *noun;     /* what is counted: "case" */
    uint64_t count, goal; /* of those; the latter may be unknown */
    const char *more;     /* "12 of 30 choices left" */
    double seconds;       /* that it has taken so far */
    double left;          /* until its time is over, */
    bool at_most;         /* though it may well end before; */
    bool guessed;         /* or as far as one can guess */
};

/* Is there somebody to look at it? */
bool rdl__progress_wanted(bool quiet);

/* Not before it has run for a moment, and then so often that one can read it. */
bool rdl__progress_is_due(struct rdl__progress_line *line);
void rdl__progress_show(struct rdl__progress_line *line, const struct rdl__work *work);
void rdl__progress_wipe(struct rdl__progress_line *line);

/* The line itself, in so many columns: what matters least goes first where there is no room. */
void rdl__add_work(struct rdl__text *out, const struct rdl__work *work, int width);

/* The progress of tests, for whatever reports there are: it is to hear of everything before them,
 * since it wipes the line that they would write behind. */
struct rdl__progress_report {
    struct rdl__progress_line line;
    size_t tests, started;
};
struct rdl__listener rdl__report_progress(struct rdl__progress_report *report);

/* What the listener shows of it; `more` is for a text. */
struct rdl__work rdl__work_of(const struct rdl__progress *progress, struct rdl__text *more);

#endif
