/* attribute.h -- what a process's end says of the case it was at. */
#ifndef RDL__ATTRIBUTE_H
#define RDL__ATTRIBUTE_H

#include "run/board.h"

/* The process has ended with this status in the middle of a case, or was ended
 * because the case took longer than timeout_ms (hung): say so in the outcome. */
void rdl__attribute(struct rdl__board *board, int status, bool hung, unsigned timeout_ms);

#endif
