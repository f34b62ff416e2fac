/* near.h -- which of several texts was meant, when none was hit? */
#ifndef RDL__NEAR_H
#define RDL__NEAR_H

#include <stddef.h>

/* How many letters must change to make b of the first so many of a. */
size_t rdl__distance(const char *a, size_t a_length, const char *b);

#endif
