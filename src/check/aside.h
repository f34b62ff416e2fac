/* aside.h -- failures that are not reported by themselves: races at the same lines as another one,
 * and those that suppressions name. */
#ifndef RDL__ASIDE_H
#define RDL__ASIDE_H

#include "check/plan.h"

/* Of these failures, which race is another one's for whoever reads of them?  out_same[i] is the
 * first that is at the same two lines, often i itself. */
void rdl__find_same_races(const struct rdl_test *test, struct rdl__failure *const *failures,
                          size_t count, size_t *out_same);

/* Does a suppression name it?  Then that has been counted. */
bool rdl__is_suppressed(struct rdl__session *session, struct rdl__result *result,
                        struct rdl__failure *failure);

/* A suppression may name one of several races at the same two places. */
bool rdl__tells_races_apart(const struct rdl__session *session);

/* Read all suppressions that hold for these tests. */
bool rdl__suppressions_find(struct rdl__session *session, struct rdl_test **tests, size_t count,
                            struct rdl__error *error);

/* Say what they have suppressed of the test, and which of them nothing, when all tests are over. */
void rdl__suppressions_tell(struct rdl__session *session, bool is_last);

#endif
