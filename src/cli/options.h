/* options.h -- what a test program was asked to do.
 *
 * Every option has a twin in the environment: --shrink-time is
 * RADDLE_SHRINK_TIME.  The command line goes before it. */
#ifndef RDL__OPTIONS_H
#define RDL__OPTIONS_H

#include "base/error.h"
#include "base/text.h"
#include "check/plan.h"
#include "control/gate/script.h"
#include "report/report.h"

enum { RDL__FILTERS_MAX = 64, RDL__OUTPUTS_MAX = 8 };

struct rdl__output {
    const char *format;
    const char *path; /* NULL: standard output */
};

/* What a program that is explored must do, and how it is run. */
enum {
    RDL__FAIL_CRASH = 1,
    RDL__FAIL_EXIT = 2,
    RDL__FAIL_DEADLOCK = 4,
    RDL__FAIL_LIVELOCK = 8,
    RDL__FAIL_RACE = 16,
    RDL__FAIL_OUTPUT = 32,
    RDL__FAIL_ASSERTION = 64,
    RDL__FAIL_MISUSE = 128,
    RDL__FAIL_MEMORY = 256,
    RDL__FAIL_ALL = 511,
};

struct rdl__exploring {
    unsigned fail_on;   /* RDL__FAIL_CRASH | ... */
    int status;         /* what it must exit with */
    const char *output; /* a file with what it must print; NULL: see same_output */
    bool same_output;   /* it must print the same under every schedule */
    unsigned faults;
    uint64_t points_max;
    bool gdb;
};

struct rdl__options {
    struct rdl__plan plan;
    const char *filters[RDL__FILTERS_MAX]; /* a test must match one of them, and no "-" one */
    int filter_count;
    struct rdl__output outputs[RDL__OUTPUTS_MAX];
    int output_count;
    unsigned shard, shards;           /* shard 0 .. shards - 1 */
    const char *replay;               /* a token, or @FILE */
    const struct rdl__token *decided; /* a case that is replayed; NULL: none but that of `replay` */
    const char *bytes;                /* a file of bytes */
    bool shrink;                      /* what is replayed, too */
    bool step;                        /* through what is replayed */
    bool list, help, version, quiet, verbose;
    bool plan_only;           /* show plans, and run nothing */
    const char *export;       /* to this file; a program, if it ends in .c and a case is replayed */
    const char *order;        /* of this file */
    const char *shell;        /* a conversation with this: "code" or "spec"; NULL: none */
    bool controlled;          /* threads of a test under an order */
    const char *requirements; /* the table goes to this file; "-": into the report; NULL: none */
    bool free;                /* threads that tests would control */
    bool deviations;          /* which of them are tolerated? */
    unsigned volatiles;       /* 1 + RDL__VOLATILE_ACQ_REL and the like; 0: as tests say */
    bool volatiles_by_hand;   /* the command line says so, not the environment */
    bool seed_given;
    struct rdl__exploring explore; /* raddle explore only */
    enum { RDL__COLOUR_AUTO, RDL__COLOUR_ALWAYS, RDL__COLOUR_NEVER } colour;
};

/* False: the arguments are wrong, and error says how. */
bool rdl__options_read(struct rdl__options *out, int argc, char **argv, struct rdl__error *error);

void rdl__options_help(struct rdl__text *out, const char *program);

/* The same for raddle explore, which has options of its own and lacks others. */
bool rdl__options_read_for_program(struct rdl__options *out, int argc, char **argv,
                                   struct rdl__error *error);
void rdl__options_list(struct rdl__text *out);

/* judging.c: those that decide what counts as failure, as arguments: a replay needs them, too. */
void rdl__options_judging(struct rdl__text *out, const struct rdl__exploring *explore);
char **rdl__options_judging_words(const struct rdl__exploring *explore); /* all to be freed */
bool rdl__read_fail_on(struct rdl__options *o, const char *from, const char *value,
                       struct rdl__error *error);
bool rdl__read_faults(struct rdl__options *o, const char *from, const char *value,
                      struct rdl__error *error);
bool rdl__read_volatile(struct rdl__options *o, const char *from, const char *value,
                        struct rdl__error *error);

/* "acq-rel", by its number: RDL__VOLATILE_ACQ_REL. */
const char *rdl__volatile_name(uint32_t volatiles);

/* A token, or the one in a file by @FILE. */
bool rdl__read_token(struct rdl__token *out, const char *given, struct rdl__error *error);

/* What stands in a file of `--order`, and the case that it is of.  And that case is run under the
 * order, instead of what the test says. */
bool rdl__read_order(struct rdl__order_file *out, struct rdl__token *out_token, const char *path,
                     struct rdl__error *error);
bool rdl__put_in_order(struct rdl__options *options, struct rdl_test **tests, size_t count,
                       struct rdl__error *error);

/* The case that is to be replayed, if one is: by a token, or decided by a reproducer.  To be
 * released. */
bool rdl__options_token(struct rdl__token *out, const struct rdl__options *options,
                        struct rdl__error *error);

/* Where what is replayed is exported to. */
void rdl__options_set_export(struct rdl__options *options);

/* reproduce.c: what a reproducer decides, as a token without shapes.  To be released. */
struct rdl_reproduction;
void rdl__token_of_reproduction(struct rdl__token *out, const struct rdl_reproduction *what,
                                const char *name);

/* plans.c: what they call when, in words or as a C file. */
bool rdl__print_plans(struct rdl_test **tests, size_t count, struct rdl__error *error);
bool rdl__export_plan(struct rdl_test **tests, size_t count, const char *path,
                      struct rdl__error *error);

/* shell.c: a conversation, in which calls are made by hand; `what` is code or spec. */
bool rdl__shell(struct rdl_test **tests, size_t count, const char *what, int *out_status,
                struct rdl__error *error);

/* deviations.c: do these options go together, and what follows from them? */
bool rdl__settle_deviations(struct rdl__options *options, struct rdl__error *error);

/* Run these tests under each deviation that can take effect in them, and tell which
 * they tolerate; the exit status. */
int rdl__print_deviations(struct rdl__options *options, struct rdl_test **tests, size_t count);

/* step.c: instead of being reported, a case is walked through.  Commands come from this file, which
 * is standard input unless that is the program's. */
extern int rdl__step_input;

struct rdl__stepping {
    struct rdl__listener human; /* for what cannot be walked through */
    struct rdl__looks looks;
};
struct rdl__listener rdl__step_listener(struct rdl__stepping *stepping);

/* How a report on standard output may look. */
struct rdl__looks rdl__looks_of(const struct rdl__options *options);

/* What could not be done goes to standard error, unless there is nothing to say; the exit
 * status. */
int rdl__complain(const char *program, const struct rdl__error *error);

/* Volatile accesses mean to these tests what the options say, if they say it. */
void rdl__options_set_volatiles(const struct rdl__options *options, struct rdl_test **tests,
                                size_t count);

/* Run these tests as the options say; the exit status. */
int rdl__run_tests(struct rdl__options *options, struct rdl_test **tests, size_t count);

#endif
