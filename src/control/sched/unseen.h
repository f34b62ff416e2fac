/* unseen.h -- calls from code that is seen into code that is not. */
#ifndef RDL__UNSEEN_H
#define RDL__UNSEEN_H

#include <stdint.h>

#include "filter/tables.h"

/* Decide which calls of this module are to go by way of Raddle. */
void rdl__unseen_mark(const struct rdl__tables *tables);

/* Modules have come or gone: ask again where indirect calls lead to. */
void rdl__unseen_forget(void);

#endif
