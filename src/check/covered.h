/* covered.h -- what the passing cases of a test mean: the one place that says so.
 *
 * Strategies count (control/strategy/strategy.h), and parts that meet something they cannot
 * see, repeat or undo note a fact (observe/limits.h).  Coverage is complete if every schedule
 * that could make a difference was tried, and no fact speaks against it.  Only then does any
 * report say "all" or "the only". */
#ifndef RDL__COVERED_H
#define RDL__COVERED_H

#include "base/text.h"
#include "control/explore.h"

struct rdl_test;

struct rdl__covered {
    bool complete;
    struct rdl__explored explored; /* threads are controlled; else all zero */
    char count[96];                /* "all 7 distinguishable schedules", "1,000 cases" */
    char note[256];                /* on what the program relies; "": nothing */
    char sentence[1024];           /* the same, and why it is not more; "": no more than `count` */
};

/* A worker brings what it has explored since the last time; `alone`: no other worker has explored
 * anything, so that its count is the count of all. */
void rdl__covered_take_in(struct rdl__covered *coverage, const struct rdl__explored *explored,
                          bool alone);

/* The test is over: what may be said?  `cases` is how many there were, `exhausted` whether these
 * were all that there are, `passed` whether none failed. */
void rdl__covered_settle(struct rdl__covered *coverage, const struct rdl_test *test, uint64_t cases,
                         bool exhausted, bool passed);

/* Each bound that was met, in words; false: there is no n-th. */
bool rdl__covered_bound(const struct rdl__covered *coverage, uint32_t n, struct rdl__text *out);

#endif
