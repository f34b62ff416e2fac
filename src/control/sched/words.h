/* words.h -- operations in words. */
#ifndef RDL__WORDS_H
#define RDL__WORDS_H

#include <stdbool.h>

#include "base/text.h"
#include "control/sched/op.h"

const char *rdl__thing_name(enum rdl__thing thing);

/* "locks mutex 1", "reads 4 bytes of table+8": what a thread does that does this. */
void rdl__op_describe(struct rdl__text *out, const struct rdl__op *op, const char *object);

/* "waits for mutex 1" */
void rdl__op_describe_wait(struct rdl__text *out, const struct rdl__op *op, const char *object);

#endif
