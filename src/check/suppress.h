/* suppress.h -- findings that are known and put up with, in ThreadSanitizer's format.
 *
 *     race:count_up          a race one of whose accesses has this in its stack
 *     deadlock:^logger.c$    likewise, exactly
 *
 * A line is a type, a colon and a pattern, which is looked for in names of functions, files and
 * modules, and in that of the variable that is raced for; * stands for anything, ^ and $ for
 * the beginning and the end of a name.  # begins a comment. */
#ifndef RDL__SUPPRESS_H
#define RDL__SUPPRESS_H

#include "check/plan.h"

struct rdl__suppression {
    int type;
    char *pattern;
    char *file;
    int line;
    uint64_t findings; /* that it has suppressed, */
    uint64_t of_test;  /* and how many of them in the test at hand */
};

struct rdl__suppressions {
    struct rdl__suppression *items;
    size_t count;
};

/* Add the lines of a file.  False: one of them is wrong, and the error says which. */
bool rdl__suppressions_read(struct rdl__suppressions *to, const char *path,
                            struct rdl__error *error);
void rdl__suppressions_release(struct rdl__suppressions *suppressions);

/* "race" */
const char *rdl__suppression_type(const struct rdl__suppression *it);

/* A failure as patterns see it. */
struct rdl__finding {
    enum rdl__cause cause;
    const struct rdl__steps *steps; /* whose stacks are those of the failure */
    const struct rdl__lines *lines;
    const char *variable; /* that is raced for; "": none is known */
};

/* The first line that fits; NULL: none does. */
struct rdl__suppression *rdl__suppression_of(const struct rdl__suppressions *suppressions,
                                             const struct rdl__finding *finding);

#endif
