/* clock.h -- real time, for budgets and rates; never for verdicts, except that a
 * single case has a limit. */
#ifndef RDL__CLOCK_H
#define RDL__CLOCK_H

#include <stdint.h>

uint64_t rdl__now_ns(void);  /* monotonic */
uint64_t rdl__entropy(void); /* a number nobody can guess */

#endif
