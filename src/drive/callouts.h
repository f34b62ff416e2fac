/* callouts.h -- what an operation may call while it runs, and what it has called so far. */
#ifndef RDL__CALLOUTS_H
#define RDL__CALLOUTS_H

#include "events/events.h"
#include "spec/spec.h"

struct rdl__callouts {
    bool anything;               /* nothing is said of what is called */
    const struct rdl_step *step; /* NULL: nothing is */
    struct rdl__program *program;
    struct rdl__matcher *matcher;
    struct rdl__arena arena; /* of the step */
};

/* From now on it is what this operation says, called in this state. */
void rdl__callouts_begin(struct rdl__callouts *c, const struct rdl_operation *op, const void *state,
                         const void *args);

/* The step itself; NULL: nothing is called. */
const struct rdl_step *rdl__callouts_ask(struct rdl__arena *arena, const struct rdl_operation *op,
                                         const void *state, const void *args);

/* What is to be released now, which counts as done; NULL: nothing.  `is_over`: no call will come
 * any more. */
const struct rdl_step *rdl__callouts_release_now(struct rdl__callouts *c, bool is_over);

/* A call is made.  True: *out is the step that it is; NULL if nothing is said.  False: it is none
 * of those that may be made now; *check is what is wrong with it.  Unless *out_first is not NULL:
 * that is released first, and then it may be one of them. */
bool rdl__callouts_take(struct rdl__callouts *c, const struct rdl_event *call,
                        const struct rdl_step **out, const struct rdl_step **out_first,
                        const char **check);

/* Has all been called that has to be? */
bool rdl__callouts_are_complete(const struct rdl__callouts *c);

/* What may be called next, a line each. */
void rdl__callouts_add_expected(const struct rdl__callouts *c, struct rdl__text *out);

#endif
