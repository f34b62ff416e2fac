/* rewrite.h -- a unit becomes one that says what is seen of it. */
#ifndef RDL__REWRITE_H
#define RDL__REWRITE_H

#include "base/text.h"
#include "filter/statement.h"

/* False: the text is not the output of a compiler that is understood; leave it as it is. */
bool rdl__rewrite(struct rdl__text *out, struct rdl__span text);

#endif
