/* races.h -- a data race as the failure of a case. */
#ifndef RDL__SCHED_RACES_H
#define RDL__SCHED_RACES_H

#include "case/case.h"

/* The case fails by this race; whatever the outcome said before is gone. */
void rdl__race_fail(struct rdl__outcome *outcome, const struct rdl__race *race);

#endif
