/* proc.h -- what the kernel tells of this process, without the C library in between. */
#ifndef RDL__PROC_H
#define RDL__PROC_H

#include <stdbool.h>

#include "base/text.h"

/* Add all of a file, such as /proc/self/maps. */
bool rdl__proc_read(const char *path, struct rdl__text *out);

/* Call this for each thread of the process, by its number, until it returns false. */
void rdl__proc_each_thread(bool (*call)(int thread, void *it), void *it);

#endif
