/* bound.h -- calls of functions become calls of operations. */
#ifndef RDL__BOUND_H
#define RDL__BOUND_H

#include "case/case.h"
#include "raddle/callouts.h"
#include "spec/spec.h"

/* For the rest of the case, calls of the function that the operation .mocks come to
 * rdl__op_called.  False: error says why they cannot. */
bool rdl__bind_function(struct rdl_case *t, const struct rdl_operation *op,
                        struct rdl__error *error);

/* Do they, in this case? */
bool rdl__is_bound(const struct rdl_operation *op);

/* Several will be bound: what is not known of their functions is looked up for all at once. */
void rdl__bind_ahead(const struct rdl_operation *const *ops, size_t count);

/* A call of the operation was answered like this, by somebody else than the stage (stage.c). */
void rdl__op_answered(const struct rdl_operation *op, const void *answer);

/* Where the function was called from that calls us now; and does somebody else answer it (rdl_mock,
 * rdl_inject)?  Then it is only looked at, and what the spec would do does not happen. */
extern _Thread_local uintptr_t rdl__bound_caller;
extern _Thread_local bool rdl__bound_is_answered;

#endif
