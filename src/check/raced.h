/* raced.h -- the name of the variable that a race is on. */
#ifndef RDL__RACED_H
#define RDL__RACED_H

#include "case/case.h"
#include "check/objects.h"

/* Add it to the headline: " on served", " on best, a local of main".  Of blocks and mappings the
 * headline tells already, and of what else has no name, nothing. */
void rdl__raced_name(struct rdl__outcome *outcome, const struct rdl__race *race,
                     struct rdl__objects *objects);

#endif
