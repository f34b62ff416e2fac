/* exceptions.h -- exceptions of C++ that are being handled. */
#ifndef RDL__EXCEPTIONS_H
#define RDL__EXCEPTIONS_H

#include <stdbool.h>

/* In this thread there are none.  A case may end by a jump out of a handler, or while destructors
 * are called for one that was thrown: the C++ library would take it for still going on. */
void rdl__exceptions_forget(void);

/* Does this program have the C++ library? */
bool rdl__has_exceptions(void);

#endif
