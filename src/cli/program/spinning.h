/* spinning.h -- executions that take too long in code that Raddle does not see. */
#ifndef RDL__SPINNING_H
#define RDL__SPINNING_H

#include "run/board.h"

/* What to do about a thread that was in such code when the time was over; "": it was elsewhere. */
const char *rdl__spinning_advice(const struct rdl__board *board);

/* The outcome says it. */
void rdl__spinning_advise(struct rdl__board *board);

/* Has the execution that has just ended taken too long in a loop in which, as it shows, a thread
 * waits for others? */
bool rdl__spinning_waits(void);

#endif
