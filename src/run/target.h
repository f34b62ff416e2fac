/* target.h -- cases that look for more of something (rdl_maximise). */
#ifndef RDL__TARGET_H
#define RDL__TARGET_H

#include "run/board.h"

/* Keep the case that just passed if it is the best so far for some target. */
void rdl__target_note(struct rdl__board *board, const struct rdl_case *t);

/* Start the tape on a changed copy of a best case, or return false: half of the
 * cases are made by chance alone. */
bool rdl__target_aim(struct rdl__board *board, uint64_t seed);

#endif
