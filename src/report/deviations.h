/* deviations.h -- which deviations a test tolerates, as a table: a row for each.
 *
 *     struct rdl__tolerances table = {.report = &report, .plan = plan, ...};
 *
 *     rdl__tolerances_row(&table, &row);
 *     ...
 *     rdl__tolerances_end(&table);
 *
 * The report is open, in human or json, and says how the former may look.  Rows go out as they
 * come; the widths of the columns are told before. */
#ifndef RDL__DEVIATIONS_H
#define RDL__DEVIATIONS_H

#include "report/report.h"

enum rdl__tolerance {
    RDL__TOLERATED,
    RDL__NOT_TOLERATED,
    RDL__NEVER_MET,    /* it took effect in no case */
    RDL__FAILS_ANYWAY, /* the test does, without it */
    RDL__NOT_RUN,      /* the test skips itself */
    RDL__IN_ERROR,     /* the test cannot be run like that */
    RDL__TOLERANCES,
};

/* How a test fares under a deviation. */
struct rdl__tolerance_row {
    const struct rdl_test *test;
    const char *deviation;  /* NULL: without any */
    const char *components; /* whose it is: "cb", "cb, mbox" */
    enum rdl__tolerance verdict;
    uint64_t cases;    /* that were run */
    uint64_t deviated; /* in which it took effect */
    const char *why;   /* what failed, or else is wrong; "": nothing */

    /* Of the smallest case that fails: */
    uint32_t calls;
    const struct rdl__story *story; /* NULL: there is none */
    const char *token;              /* NULL: there is none */
    const char *replay;             /* the command; "": there is none */
    double seconds;
};

struct rdl__tolerances {
    struct rdl__report *report;
    bool json;
    uint64_t seed;
    int component_width, deviation_width; /* of the longest there will be */

    /* For the table itself; zero to begin with: */
    const struct rdl_test *last;
    size_t counts[RDL__TOLERANCES];
    struct rdl__text replays;
};

void rdl__tolerances_row(struct rdl__tolerances *table, const struct rdl__tolerance_row *row);

/* What is said below the rows. */
void rdl__tolerances_end(struct rdl__tolerances *table);

#endif
