/* plan.h -- what is to be run, how, and who is told about it. */
#ifndef RDL__PLAN_H
#define RDL__PLAN_H

#include "base/error.h"
#include "base/text.h"
#include "case/requirements.h"
#include "check/covered.h"
#include "check/objects.h"
#include "check/timeline.h"
#include "observe/followed.h"
#include "port/lines.h"
#include "run/worker.h"
#include "shrink/shrink.h"

struct rdl__plan {
    uint64_t seed;
    uint64_t cases;      /* 0: what the test says */
    double seconds;      /* of searching for each test; 0: no limit */
    int jobs;            /* how many workers */
    unsigned timeout_ms; /* 0: what the test says */
    bool no_fork;
    bool no_capture;
    bool fail_fast;             /* stop after the first test that fails */
    bool more_bugs;             /* go on after a failure, looking for others */
    bool exhaustive;            /* for all tests */
    bool requirements;          /* find the smallest case for each */
    bool firsts;                /* keep failing cases as they were found, too, to be shown */
    bool require_all;           /* a run that leaves one out fails */
    uint64_t shrink_runs;       /* the most runs to shrink one failure */
    double shrink_seconds;      /* and the most time; 0: do not shrink */
    bool no_regressions;        /* neither read nor write regression files */
    const char *regressions;    /* their directory; NULL: beside the test's source */
    const char *gates;          /* a file of gates, or folder of them; "none"; NULL: beside */
    const char *command;        /* the program, as a user would call it again */
    const char *replay_command; /* what replays a token, if not `command --replay` */
    const char *suppressions;   /* a file of them; "none"; NULL: beside tests alone */
    bool stacks;                /* tell all calls that led to a place */
    const char *strategy;       /* for controlled threads; NULL: what the test says */
    unsigned round;             /* of tests of resources; 0: all */
    const char *deviation;      /* in force in all tests; NULL: what the test says */
    const char *export_order;   /* of what is replayed, to this file; NULL: nowhere */
    const char *export_program; /* likewise, a C program */
    const char *program;        /* that is explored; NULL: tests are run */
    char *const *program_arguments, *const *program_options; /* up to NULL */
    const struct rdl__followed *followed; /* how it came to be explored; NULL: it was named */
    bool in_order;                        /* a test is run under an order of a file, */
    bool turns_anew;                      /* whose token is data, and not yet a schedule */
};

/* One line of what a failing case did. */
struct rdl__line {
    enum rdl__event_kind kind;
    int depth;
    char *name; /* of the variable, or the generator; "" for notes */
    char *value;
    char *remark; /* what explaining found; "" if nothing */
};

struct rdl__story {
    struct rdl__line *lines;
    size_t count;
    uint32_t lost; /* lines there was no room for */
};

enum rdl__row_mark {
    RDL__ROW_STEP,
    RDL__ROW_INTERRUPTED, /* before this: another thread took over */
    RDL__ROW_WAITS,       /* for this */
    RDL__ROW_GOES_ON,     /* with this: it has waited long enough */
    RDL__ROW_FAILS,       /* here */
    RDL__ROW_NOTE,        /* of the user's: `does` is its text */
};

/* One step of a schedule, as it is shown. */
struct rdl__row {
    uint32_t thread; /* which of the schedule's */
    enum rdl__row_mark mark;
    char *file; /* "" if not known */
    int line;
    char *place;  /* "bank.c:31", or a function; "": not known */
    char *source; /* the line itself; "" if it is not there to be read */
    char *does;   /* in words: "locks mutex 1" */
    bool partly;  /* the line does more than that: other rows tell the rest */
};

/* How controlled threads came to fail: who did what when, as far as it matters. */
struct rdl__schedule {
    char *headline; /* "1 preemption: ..."; NULL: there was only one thread, or no control */
    char **threads; /* names */
    uint32_t thread_count;
    uint32_t preemptions;
    uint32_t failed;        /* 1 + which thread did; 0: not one alone */
    uint32_t failed_thread; /* the same, in order of creation */
    const char *failing;    /* "crashes": what it does where it fails */
    struct rdl__row *rows;
    size_t count;
    uint64_t *shown; /* numbers of the steps that the rows are about, in order */
    size_t shown_count;
    uint64_t steps; /* all that there were */
};

/* A failing case as it was found, before it was made simpler. */
struct rdl__first {
    struct rdl__outcome outcome;
    struct rdl__story story;
    struct rdl__schedule schedule;
    struct rdl__timeline timeline;
    uint32_t choices;
};

/* A simpler case that fails as well, and after how many tries it was found. */
struct rdl__better {
    uint64_t run;
    uint32_t choices, preemptions;
};

/* A bug, as far as we have got with it. */
struct rdl__failure {
    struct rdl__outcome outcome;
    struct rdl__race race; /* of a race */
    struct rdl__made made;
    struct rdl__settings settings;
    struct rdl__story story;
    struct rdl__schedule schedule;
    struct rdl__timeline timeline;
    struct rdl__first *first; /* as it was found; NULL: it was not made simpler, or not asked for */
    struct rdl__better *shrank; /* how it became simpler, one after the other */
    size_t shrank_count;
    char *token;          /* NULL: none, it could not be repeated */
    char *token_file;     /* where a long token was put; NULL: nowhere */
    char *kept;           /* the regression file it was put into; NULL: none */
    char *output;         /* what the case printed */
    char *script;         /* how the order fares that was made of its schedule; NULL: none was */
    char *unsteady;       /* not NULL: it does not fail every time, and how that shows */
    uint64_t found_at;    /* after so many cases; 0: from a regression file or token */
    const char *source;   /* "": by chance, else where it came from */
    uint32_t first_count; /* choices before shrinking */
    uint64_t attempts;
    double shrink_seconds;
    bool shrink_stopped; /* before it was done */
    bool any_alike;      /* see rdl__fails_alike */
    bool brief;          /* a race beside other failures: told in few words */
    uint64_t again;      /* met so many times more */
};

/* "check", "crash", "exit", "hang", "nondeterministic" */
const char *rdl__failure_kind(const struct rdl__failure *failure);

enum rdl__test_verdict { RDL__TEST_PASS, RDL__TEST_FAIL, RDL__TEST_SKIP, RDL__TEST_ERROR };

/* What became of a test. */
struct rdl__result {
    const struct rdl_test *test;
    enum rdl__test_verdict verdict;
    const char *kind; /* "check", "crash", "exit", "hang", "coverage", ... */
    char text[1024];  /* of a skip or an error, or what a run as a whole lacks */
    struct rdl__failure *failures;
    size_t failure_count;
    struct rdl__failure *suspected; /* races that are no failures: see case/races.h */
    size_t suspected_count;
    struct rdl__stats stats;
    const char *deviation; /* that was in force, and could take effect; NULL: none */
    uint64_t seed;
    double seconds;
    bool exhausted; /* all cases there are; of controlled threads, all that the strategy makes */
    struct rdl__covered covered;
    bool interrupted;
    bool replayed; /* a token was tried, nothing else, */

    /* and it passes: */
    struct rdl__story story;
    struct rdl__timeline timeline;
    struct rdl__ids exercised;
};

/* What became of a requirement, in all tests. */
struct rdl__exercise {
    const struct rdl__requirement *requirement;
    uint64_t cases; /* that exercised it */
    const struct rdl_test **tests;
    size_t test_count;

    /* The smallest case, if it was asked for: */
    char *token; /* NULL: there is none, or it could not be repeated */
    struct rdl__story story;
    struct rdl__made made;
};

struct rdl__progress {
    const struct rdl_test *test;
    const char *doing;               /* "searching", "shrinking" */
    const char *noun;                /* what is counted; NULL: cases */
    uint64_t count;                  /* of those */
    uint64_t goal;                   /* 0: none */
    double seconds;                  /* that it has taken so far */
    double left;                     /* until its time is over; 0: there is no such limit */
    uint32_t choices, first_choices; /* shrinking: of the best so far, and of what was found */
};

/* Told about everything as it happens.  Any function may be NULL. */
struct rdl__listener {
    void (*run_started)(void *self, const struct rdl__plan *plan, size_t tests);
    void (*test_started)(void *self, const struct rdl_test *test);
    void (*progress)(void *self, const struct rdl__progress *progress);
    void (*failure_found)(void *self, const struct rdl_test *test,
                          const struct rdl__failure *failure); /* not shrunk yet */
    void (*warning)(void *self, const char *text);
    void (*test_ended)(void *self, const struct rdl__result *result);
    void (*exercised)(void *self, const struct rdl__exercise *exercises, size_t count);
    void (*run_ended)(void *self, double seconds);
    void *self;
};

/* ---- Between the files of this folder ------------------------------------------ */

/* What single runs are made for, one after the other. */
struct rdl__stage {
    struct rdl__progress progress;
    uint64_t started_ns, deadline_ns; /* the latter is 0 if there is none */
    uint64_t done_before;             /* cases, on the first board */
};

struct rdl__session {
    const struct rdl__plan *plan;
    const struct rdl__listener *listener;
    struct rdl__worker *workers;
    int worker_count;
    struct rdl__error error; /* why the run cannot go on; "" while it can */
    uint64_t last_tick_ns;
    struct rdl__stage stage;
    struct rdl__suppressions *suppressions;
    uint64_t told_last; /* hash of the failure that was told when it was found */
    bool is_last;       /* no other test comes after this one */
    uint64_t wanted;    /* the failure that single runs are about; 0: any. See struct rdl__task */
    enum rdl__cause wanted_cause;
    struct rdl__exercise *exercises; /* by number, of all requirements */
    uint32_t exercise_count;
};

/* progress.c: to be called at least as often. */
enum { RDL__TICK_MS = 100 };
void rdl__tell_progress(struct rdl__session *session, const struct rdl__progress *progress);

/* From here on rdl__run_task is called for this ("shrinking"), and tells how far it has got.  The
 * time is 0 if there is no limit to it. */
void rdl__begin_stage(struct rdl__session *session, const struct rdl_test *test, const char *doing,
                      double seconds_max);
void rdl__tell_stage(struct rdl__session *session);
void rdl__warn(struct rdl__session *session, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Run one case on the first worker; the outcome is on its board.  False: no
 * outcome, because we were interrupted or nothing can run (session->error). */
bool rdl__run_feed(struct rdl__session *session, const struct rdl_test *test,
                   const struct rdl__settings *settings, const struct rdl__feed *feed, bool traced);

/* Run exactly these choices on it; any that does not fit ends the case. */
bool rdl__run_made(struct rdl__session *session, const struct rdl_test *test,
                   const struct rdl__settings *settings, const struct rdl__made *made, bool traced);

/* Hand the task on the first board to its worker, and wait for the end of it. */
bool rdl__run_task(struct rdl__session *session);

struct rdl__board *rdl__first_board(struct rdl__session *session);

/* Are different failures of the test to be looked for? */
static inline bool rdl__wants_more(const struct rdl__plan *plan, const struct rdl_test *test)
{
    return plan->more_bugs || test->options.more_bugs;
}

/* The limits that hold for a test. */
struct rdl__settings rdl__settings_of(const struct rdl_test *test);
unsigned rdl__timeout_of(const struct rdl__session *session, const struct rdl_test *test);

/* search.c: look for failures; each is settled and added to the result. */
void rdl__search(struct rdl__session *session, struct rdl__result *result);

/* settle.c: the failure on this board becomes one that can be reported: does it
 * repeat, what is its simplest form, what matters in it? */
void rdl__settle(struct rdl__session *session, struct rdl__result *result,
                 const struct rdl__board *board, uint64_t found_at, const char *source);

/* The same in two steps, where others are looked for in between. */
struct rdl__failure rdl__failure_on(struct rdl__session *session, const struct rdl_test *test,
                                    const struct rdl__board *board, uint64_t found_at,
                                    const char *source);

/* The same of a race that the case has met, whatever it failed by. */
struct rdl__failure rdl__failure_by_race(struct rdl__session *session, const struct rdl_test *test,
                                         const struct rdl__board *board,
                                         const struct rdl__race *race, uint64_t found_at,
                                         const char *source);

/* From now on, single runs are about this failure. */
void rdl__want_failure(struct rdl__session *session, const struct rdl_test *test,
                       struct rdl__failure *failure);
void rdl__settle_failure(struct rdl__session *session, struct rdl__result *result,
                         struct rdl__failure *failure);
void rdl__failure_release(struct rdl__failure *failure);

/* The picture of a case that has just been run, traced, on the first board, and that passes. */
void rdl__draw_passing(struct rdl__session *session, const struct rdl_test *test,
                       struct rdl__timeline *out);

/* exercised.c: requirements.  Those of a test are taken in when its search is over; when all have
 * been, they are told.  How many were exercised by none? */
void rdl__exercises_init(struct rdl__session *session);
void rdl__exercises_release(struct rdl__session *session);
void rdl__exercises_take_in(struct rdl__session *session, const struct rdl__result *result);
uint32_t rdl__exercises_tell(struct rdl__session *session);

/* story.c */
void rdl__story_read(struct rdl__story *out, const struct rdl__trace *trace);
void rdl__story_forget_notes(struct rdl__story *story);
void rdl__story_release(struct rdl__story *story);

/* The line of a file, without its newline; NULL if there is none.  free() it. */
char *rdl__source_line(const char *file, int number);

/* places.c: the texts of an outcome, with files and lines.  `objects` may be NULL, and
 * then variables have numbers instead of names.  Of each place that a text speaks of, at most so
 * many calls that led to it are told. */
void rdl__outcome_want(const struct rdl__outcome *outcome, const struct rdl__crash *crash,
                       struct rdl__lines *lines);
void rdl__outcome_resolve(struct rdl__outcome *outcome, const struct rdl__crash *crash,
                          const struct rdl__lines *lines, struct rdl__objects *objects,
                          uint32_t callers);

/* "crashed with SIGSEGV", if it has not come to its end; else nothing. */
void rdl__outcome_add_ending(struct rdl__text *out, const struct rdl__outcome *outcome);

/* All places of stacks that texts may speak of. */
void rdl__stacks_want(const struct rdl__steps *steps, struct rdl__lines *lines);

/* A copy of the outcome on this board, without further ado. */
void rdl__outcome_resolve_alone(struct rdl__outcome *outcome, const struct rdl__board *board);
struct rdl__lines rdl__lines_of_test(const struct rdl_test *test);

/* schedule.c.  In a test of a spec the first thread only gives calls to others, which begin by
 * waiting for them: such a step tells nothing of the code under test. */
bool rdl__step_is_harness(const struct rdl__outcome *outcome, const struct rdl__step *step);
void rdl__schedule_want(const struct rdl__steps *steps, struct rdl__lines *lines);
void rdl__schedule_read(struct rdl__schedule *out, const struct rdl__trace *trace,
                        const struct rdl__outcome *outcome, const struct rdl__lines *lines,
                        struct rdl__objects *objects);
void rdl__schedule_release(struct rdl__schedule *schedule);

/* script.c: its schedule becomes an order, in a file; or, being one of a test under an order, it
 * is counted how often that fails; or how often its case does. */
void rdl__script_export(struct rdl__session *session, const struct rdl_test *test,
                        struct rdl__failure *failure, const char *path);
void rdl__script_repeat(struct rdl__session *session, const struct rdl_test *test,
                        struct rdl__failure *failure, uint64_t runs);

/* debug.c: where a debugger is to stop.  Tests are then run in this process, up to the first
 * failure; or a program is, whose board this is. */
void rdl__debug_tests(struct rdl__plan *plan);
void rdl__debug_failure(const struct rdl__board *board);

/* reproduce.c: the case becomes a C program, in a file. */
void rdl__reproducer_export(struct rdl__session *session, const struct rdl_test *test,
                            const struct rdl__failure *failure, const char *path);

/* explain.c: which of the values matter? */
void rdl__explain(struct rdl__session *session, const struct rdl_test *test,
                  struct rdl__failure *failure, const struct rdl__trace *trace);

/* ---- For those who run tests ------------------------------------------------------ */

/* The registered tests, sorted by file and line. */
struct rdl_test **rdl__tests(size_t *out_count);

/* Its threads are to be free. */
void rdl__set_free(struct rdl_test *test);

/* "": all; "=name": exactly; "#tag"; "-..." : not; else part of the name. */
bool rdl__filter_matches(const struct rdl_test *test, const char *filter);

struct rdl__totals {
    size_t passed, failed, skipped, errors;
    size_t unexercised; /* requirements, where all are required */
    bool interrupted;
};

/* Run these tests.  False: set-up went wrong, see error. */
bool rdl__check_all(const struct rdl__plan *plan, const struct rdl__listener *listener,
                    struct rdl_test **tests, size_t count, struct rdl__totals *out_totals,
                    struct rdl__error *error);

/* Try one token, or the bytes a fuzzer has found; the latter's failure is
 * shrunk. */
bool rdl__check_token(const struct rdl__plan *plan, const struct rdl__listener *listener,
                      struct rdl_test *test, const struct rdl__token *token,
                      struct rdl__totals *out_totals, struct rdl__error *error);
bool rdl__check_bytes(const struct rdl__plan *plan, const struct rdl__listener *listener,
                      struct rdl_test *test, const uint8_t *bytes, size_t count,
                      struct rdl__totals *out_totals, struct rdl__error *error);

#endif
