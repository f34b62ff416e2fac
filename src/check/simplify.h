/* simplify.h -- the simplest case that fails as a failure does. */
#ifndef RDL__SIMPLIFY_H
#define RDL__SIMPLIFY_H

#include "check/plan.h"

/* Make failure->made simpler, as far as possible.  `isolated`: every try in a process of its
 * own; then only what is simplest is tried. */
void rdl__simplify(struct rdl__session *session, const struct rdl_test *test,
                   struct rdl__failure *failure, bool isolated);

/* Is there a shorter case, of specs without code, by other calls (shorter.c)?  Then it is that. */
bool rdl__find_shorter(struct rdl__session *session, const struct rdl_test *test,
                       struct rdl__failure *failure);

#endif
