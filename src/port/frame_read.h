/* frame_read.h -- the variables that there are at an address, read by libdw. */
#ifndef RDL__FRAME_READ_H
#define RDL__FRAME_READ_H

#include "port/frame.h"
#include "port/locate_parts.h"
#include "port/types_read.h"

/* Fill in what can be found; to be called in a process made for it. */
void rdl__stack_frames_read(struct rdl__stack_frame *scopes, size_t count, struct rdl__room *room,
                            struct rdl__objects *objects, Dwfl *dwfl);

#endif
