/* surplus.h -- loads of more bytes than the program asks for.
 *
 * Compilers load a whole word that is aligned, to use a part of it: gcc 8 bytes to pass a struct of
 * 5, 6 or 7, and 4 for a short, if it optimizes for size; clang 4 for a char.  The rest may belong
 * to another variable. */
#ifndef RDL__SURPLUS_H
#define RDL__SURPLUS_H

#include "filter/values.h"

/* The bytes at the end of what this statement loads that may be another's. */
uint8_t rdl__surplus_of(const struct rdl__statement *statement, enum rdl__compiler_kind compiler);

/* The bytes that are left of those that a statement loads when a mask has been applied. */
int64_t rdl__masked_size(const struct rdl__statement *statement, const struct rdl__values *values,
                         int64_t size);

#endif
