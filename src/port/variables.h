/* variables.h -- the variable that an address lies in, as a C programmer would write it. */
#ifndef RDL__VARIABLES_H
#define RDL__VARIABLES_H

#include "port/libdw.h"
#include "port/lines.h"

void rdl__variables_find(struct rdl__datum *data, size_t count, Dwfl *dwfl,
                         const struct rdl__modules *modules);

#endif
