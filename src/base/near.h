/* near.h -- which of several texts was meant, when none was hit? */
#ifndef RDL__NEAR_H
#define RDL__NEAR_H

#include <stddef.h>

/* How many letters must change, or change places with the next, to make b of the first so many
 * of a. */
size_t rdl__distance(const char *a, size_t a_length, const char *b);

/* The word that is meant by the first so many letters of what was given, of those that are tried
 * one after the other; NULL: none is near. */
struct rdl__nearest {
    const char *given;
    size_t length;
    const char *word;
    size_t distance;
};

void rdl__nearest_try(struct rdl__nearest *nearest, const char *word);

#endif
