/* grade.h -- raddle grade: many implementations, one spec.
 *
 *     grade.c         who is graded when, and where the grades go
 *     grade_options.c the command line
 *     grade_process.c processes are started and waited for
 *     grade_build.c   from sources to test programs
 *     grade_run.c     one implementation, from its source to its grade
 *     grade_read.c    what a test program has reported
 *     grade_table.c   the grades for people
 *     grade_json.c    and for programs
 *     grade_page.c    and for browsers
 *
 * A grade goes through steps, each of which is a process: it is built, asked for its tests,
 * and run in one round after the other.  rdl__grade_start begins; whenever its process ends,
 * rdl__grade_go_on starts the next.  So one process looks after all, and waits for whatever
 * ends first. */
#ifndef RDL__GRADE_H
#define RDL__GRADE_H

#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/text.h"

enum { RDL__ROUNDS = 3, RDL__GRADE_JOBS = 64 };

/* What is asked for. */
struct rdl__grading {
    const char *spec; /* a directory */
    char **flags;     /* of the compiler: -I... and -D... */
    int flag_count;
    char **files; /* the implementations */
    int file_count;
    uint64_t seed;
    double seconds; /* of search for each; 0: as the tests say */
    int jobs;
    bool json;
    const char *output; /* NULL: standard output */
    const char *html;   /* NULL: no page */
    const char *keep;   /* NULL: nothing is kept */
    const char *replay; /* a token; NULL: grade */
    const char *export; /* its case goes to this file; NULL: it is shown */
    bool gdb;           /* the case is run in the debugger */
    const char *trace;  /* a file that its case is written to; NULL: none */
    bool step;          /* through its case */
    bool quiet, verbose;
    bool colour;
    bool help;

    struct rdl__text folder;  /* where all is built */
    struct rdl__text headers; /* where raddle.h is; "": the compiler knows */
    char **objects;           /* the spec, compiled */
    int object_count;
};

enum rdl__grade_verdict {
    RDL__GRADE_NONE, /* not run */
    RDL__GRADE_PASS,
    RDL__GRADE_FAIL,
    RDL__GRADE_ERROR, /* it could not be judged */
};

/* What came of a round, and of all of them. */
struct rdl__found {
    enum rdl__grade_verdict verdict;
    bool has_threads, is_sequential; /* some test has threads; none has: rounds are all alike */
    const char *class;               /* of a failure */
    int phases;                      /* of the smallest failing case; 0: not known */
    char *token;                     /* NULL: there is none */
    char *message; /* in a line or a few: what failed, or why it could not be judged */
    char *report;  /* as people read it; NULL: there is none */
    char *tests;   /* as programs do: a line of JSON a test; NULL: none */
};

struct rdl__grade {
    const char *file;
    struct rdl__text folder, program;
    enum { RDL__GRADE_BUILDS, RDL__GRADE_LISTS, RDL__GRADE_RUNS, RDL__GRADE_IS_DONE } step;
    pid_t pid;   /* of the process that is at it; 0: none */
    int round;   /* that runs, or was the last to */
    bool again;  /* it runs a second time, with the time that others do not need */
    int tests;   /* that each round runs */
    bool tagged; /* those with the tag "grade"; else all */
    uint64_t started_ns;

    struct rdl__found rounds[RDL__ROUNDS + 1]; /* [0]: before any, why there were none */
    struct rdl__found grade;                   /* of these, the one that counts */
    int found_in;                              /* which that is; 0: none has found anything */
    double seconds;                            /* of running */
};

/* ---- grade_options.c ------------------------------------------------------------------ */

/* False: the arguments are wrong, and error says how. */
bool rdl__grade_options(struct rdl__grading *out, int argc, char **argv, struct rdl__error *error);
void rdl__grade_help(struct rdl__text *out);

/* ---- grade.c -------------------------------------------------------------------------- */

/* Build one implementation, as arguments of raddle grade say, and have a conversation with it, or
 * with the spec alone; the exit status.  `test`: whose clients; NULL: any. */
int rdl__grade_shell(int argc, char **argv, const char *test, bool is_spec);

/* undefined.c: C code for all that this object uses and that is not known. */
bool rdl__add_stubs(struct rdl__text *out, const char *path, struct rdl__error *error);

/* ---- grade_process.c ------------------------------------------------------------------ */

/* To be called before anything is started. */
void rdl__grade_watch(void);

/* Start a process whose output and error output go to files in a folder.  So many seconds
 * later it is ended, unless they are 0. */
pid_t rdl__grade_spawn(char *const *argv, const char *folder, const char *output,
                       const char *errors, unsigned seconds);

/* The same for a copy of this process, which is told by 0. */
pid_t rdl__grade_fork(const char *folder, const char *output, const char *errors);

/* Run something that talks to the user; its exit status. */
int rdl__grade_run_here(char *const *argv);

/* Wait until one of them ends, or, if it ticks, for a second (then *out_pid is 0).  False: we are
 * to end, by rdl__grade_interrupted, and no process is left. */
bool rdl__grade_await(pid_t *out_pid, int *out_status, bool ticks);
extern int rdl__grade_interrupted; /* the signal; 0: none */

/* ---- grade_build.c -------------------------------------------------------------------- */

/* Find the headers, and compile the spec.  What the compiler says goes to standard error. */
bool rdl__grade_build_spec(struct rdl__grading *grading, struct rdl__error *error);

/* Start to compile this implementation and to link it with the spec. */
pid_t rdl__grade_build(const struct rdl__grading *grading, const struct rdl__grade *grade);

/* ---- grade_run.c ---------------------------------------------------------------------- */

void rdl__grade_start(const struct rdl__grading *grading, struct rdl__grade *grade, int number);

/* Its process has ended with this status of waitpid. */
void rdl__grade_go_on(const struct rdl__grading *grading, struct rdl__grade *grade, int status);
void rdl__grade_release(struct rdl__grade *grade);

/* Build one and show the case of a token; the exit status. */
int rdl__grade_replay(const struct rdl__grading *grading);

/* Talk to it: as rdl__grade_shell. */
int rdl__grade_converse(const struct rdl__grading *grading, const char *test, bool is_spec);

/* ---- grade_read.c --------------------------------------------------------------------- */

/* A file in the folder of a grade; nothing if it cannot be read. */
void rdl__grade_read(struct rdl__text *out, const struct rdl__grade *grade, const char *name);

/* What the round that ran last has found. */
void rdl__grade_read_round(const struct rdl__grading *grading, struct rdl__grade *grade,
                           int status);

/* Why the process could not do its work: what it printed, but not all of it. */
char *rdl__grade_excerpt(const struct rdl__grade *grade, const char *name, const char *otherwise);

/* The text, in which the path of the test program has become a command for users. */
char *rdl__grade_for_users(const struct rdl__grading *grading, const struct rdl__grade *grade,
                           const char *text);

/* "raddle grade --spec DIRECTORY FILE" */
void rdl__grade_command(struct rdl__text *out, const struct rdl__grading *grading,
                        const struct rdl__grade *grade);

/* ---- The grades, as they are shown ---------------------------------------------------- */

/* As in the paper: which rounds found something, and how often that was so. */
enum { RDL__GRADE_PATTERNS = 4 };

struct rdl__grade_pattern {
    bool found[RDL__ROUNDS + 1];
    bool runs_third;
    int number;
};

struct rdl__grade_totals {
    int passed, failed, errors;
    struct rdl__grade_pattern patterns[RDL__GRADE_PATTERNS];
    int with_rounds; /* that were judged in more rounds than the first */
};

struct rdl__grade_totals rdl__grade_count(const struct rdl__grade *grades, int count);
const char *rdl__grade_name(enum rdl__grade_verdict verdict); /* "pass", ... */

void rdl__grade_table_head(struct rdl__text *out, const struct rdl__grading *grading, bool colour);
void rdl__grade_table_row(struct rdl__text *out, const struct rdl__grading *grading,
                          const struct rdl__grade *grade, bool colour);
void rdl__grade_table_foot(struct rdl__text *out, const struct rdl__grading *grading,
                           const struct rdl__grade *grades, bool colour);

void rdl__grade_json(struct rdl__text *out, const struct rdl__grading *grading,
                     const struct rdl__grade *grade);
void rdl__grade_page(struct rdl__text *out, const struct rdl__grading *grading,
                     const struct rdl__grade *grades);

#endif
