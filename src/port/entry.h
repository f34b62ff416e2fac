/* entry.h -- may a jump take the place of the first instructions of a function? */
#ifndef RDL__ENTRY_H
#define RDL__ENTRY_H

#include "port/site.h"

/* How many bytes the instructions have that a jump would overwrite, if it is certain that no branch
 * leads into the midst of them, and that they can be copied; and these bytes themselves.  0: it is
 * not certain, or they cannot.  Where threads stand is another question. */
uint8_t rdl__entry_measure(const struct rdl__site *site, size_t extent, uint8_t out[RDL__WIDE_MAX]);

/* Write the copy of the site's instructions, wide_length bytes of them, that is to lie at this
 * address. */
bool rdl__entry_copy(const struct rdl__site *site, uintptr_t at, uint8_t *out, size_t room);

#endif
