/* options.h -- what a test program was asked to do.
 *
 * Every option has a twin in the environment: --shrink-time is
 * RADDLE_SHRINK_TIME.  The command line goes before it. */
#ifndef RDL__OPTIONS_H
#define RDL__OPTIONS_H

#include "base/error.h"
#include "base/text.h"
#include "check/plan.h"

enum { RDL__FILTERS_MAX = 64, RDL__OUTPUTS_MAX = 8 };

struct rdl__output {
    const char *format;
    const char *path; /* NULL: standard output */
};

struct rdl__options {
    struct rdl__plan plan;
    const char *filters[RDL__FILTERS_MAX]; /* a test must match one of them, and no "-" one */
    int filter_count;
    struct rdl__output outputs[RDL__OUTPUTS_MAX];
    int output_count;
    unsigned shard, shards; /* shard 0 .. shards - 1 */
    const char *replay;     /* a token, or @FILE */
    const char *bytes;      /* a file of bytes */
    bool shrink;            /* what is replayed, too */
    bool list, help, version, quiet, verbose;
    bool seed_given;
    enum { RDL__COLOUR_AUTO, RDL__COLOUR_ALWAYS, RDL__COLOUR_NEVER } colour;
};

/* False: the arguments are wrong, and error says how. */
bool rdl__options_read(struct rdl__options *out, int argc, char **argv, struct rdl__error *error);

void rdl__options_help(struct rdl__text *out, const char *program);

#endif
