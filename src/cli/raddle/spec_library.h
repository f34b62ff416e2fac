/* spec_library.h -- specs that come in shared libraries. */
#ifndef RDL__SPEC_LIBRARY_H
#define RDL__SPEC_LIBRARY_H

#include "spec/spec.h"

/* Load it: what it registers, it registers with us. */
bool rdl__load_library(const char *library, struct rdl__error *error);

/* The spec of this name in a library; name NULL: the only one there is.  It is well
 * declared, but need not say how things are created and called.  NULL: error says why. */
const struct rdl_spec *rdl__load_spec(const char *library, const char *name,
                                      struct rdl__error *error);

/* The state at the beginning, to be freed; what `initial` draws is the simplest.  NULL:
 * error says why there is none. */
void *rdl__initial_state(const struct rdl_spec *spec, struct rdl__error *error);

#endif
