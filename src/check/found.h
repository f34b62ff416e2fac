/* found.h -- failures that a search has found, each by the case with the lowest number that fails
 * like that: so it depends on nothing but the seed which are found, and in which cases.
 *
 * Invariant: every bug's origin is among those that are known; known origins without a bug are
 * settled already, suppressed, or the same for a reader as another one.
 * Memory: failures are the bugs' until they are settled, then the result's. */
#ifndef RDL__FOUND_H
#define RDL__FOUND_H

#include "check/plan.h"

struct rdl__bug {
    uint64_t number; /* of the case */
    struct rdl__failure failure;
    uint32_t known; /* which of those that are */
};

struct rdl__found {
    struct rdl__session *session;
    struct rdl__result *result;
    bool wants_more; /* all failures, not just the first */
    bool is_full;    /* there was no room for a failure */
    bool ended;      /* a failure has ended the search: */
    uint64_t last;   /* cases after this one do not matter any more */

    /* Failures by their origins, how often they were met again, and which of the result's each
     * has become (from 1). */
    uint64_t known[RDL__KNOWN_MAX], again[RDL__KNOWN_MAX];
    size_t settled_as[RDL__KNOWN_MAX];
    uint32_t known_count;

    struct rdl__bug *bugs; /* apart: a failure is large, and executions are copies of a process */
    uint32_t bug_count;
};

void rdl__found_know(struct rdl__found *found, uint64_t origin);

/* If so, it has been met again. */
bool rdl__found_knows(struct rdl__found *found, uint64_t origin);

/* Tell a worker what is known. */
void rdl__found_put(const struct rdl__found *found, struct rdl__task *task);

/* The case on the board fails: note by what, and the races it has met. */
void rdl__found_note(struct rdl__found *found, const struct rdl__board *board);

/* Does a failure end the search?  Races do not: other schedules may show what comes of them, and
 * other races. */
bool rdl__found_ends(const struct rdl__found *found, const struct rdl__outcome *outcome);

/* Is there more to look for, with the failures that are settled? */
bool rdl__found_may_go_on(const struct rdl__found *found);

/* The search is over: keep what is to be reported, the worst first.  False: it ended at a failure
 * that is suppressed, and has to go on. */
bool rdl__found_sift(struct rdl__found *found);

/* The failures become the result's. */
void rdl__found_settle(struct rdl__found *found);
void rdl__found_count_again(const struct rdl__found *found);

#endif
