/* viable.h -- can the spec explain what was seen?
 *
 * A history is told as it happens: calls begin and return, and now and then all is quiet,
 * that is, every call that has begun has returned or waits.  The judge looks for what the
 * shared resource may have done meanwhile: each call checks in (its policy hears of it) and
 * is executed (its effect takes place), at some moment between its beginning and its return,
 * when its cpre and the policy let it, with the answer that it returned.
 *
 *     struct rdl__viable *v = rdl__viable_new(spec, &initial, RDL__WITH_POLICY | ...);
 *     rdl__viable_begin(v, &call);                     call->number is new
 *     rdl__viable_return(v, call->number, answer);
 *     if (!rdl__viable_quiet(v)) ...                   nothing explains it
 *     rdl__viable_free(v);
 *
 * States that are in question are found when they are needed: one that explains all is
 * enough to go on, and others are looked for when it turns out to have been the wrong one. */
#ifndef RDL__VIABLE_H
#define RDL__VIABLE_H

#include "observe/ids.h"
#include "spec/spec.h"

enum {
    RDL__WITH_POLICY = 1,   /* calls are served in the order of the policy */
    RDL__WITH_LIVENESS = 2, /* when all is quiet, no call waits that could go on */
    RDL__PENDING_FREE = 4,  /* calls that wait at the end may or may not have been executed */
};

/* How many configurations are looked at although one is enough.  For tests to set. */
extern uint32_t rdl__viable_eager;

struct rdl__viable;

struct rdl__viable *rdl__viable_new(const struct rdl_spec *spec, const void *initial,
                                    unsigned flags);
void rdl__viable_free(struct rdl__viable *v);

/* Forget everything, for another history. */
void rdl__viable_reset(struct rdl__viable *v, const void *initial, unsigned flags);

/* Can another call be open at the same time? */
bool rdl__viable_has_room(const struct rdl__viable *v);

/* The call and its arguments are copied. */
void rdl__viable_begin(struct rdl__viable *v, const struct rdl_call *call);
void rdl__viable_return(struct rdl__viable *v, uint32_t number, const void *answer);

enum rdl__judgement {
    RDL__EXPLAINED,
    RDL__UNEXPLAINED,
    RDL__UNDECIDED, /* there are more orders than can be looked at */
};

/* All calls have returned or wait: can that be? */
enum rdl__judgement rdl__viable_quiet(struct rdl__viable *v);

/* The same without saying that those wait: with RDL__PENDING_FREE, the end of a history. */
enum rdl__judgement rdl__viable_end(struct rdl__viable *v);

/* How many events (calls that begin, that return, quiet points) it has taken to get to the
 * judgement: where it is not explained, the culprit is among the last of them. */
size_t rdl__viable_judged(const struct rdl__viable *v);

/* How many configurations have been looked at, since this judge was made; and who is told now and
 * then, while that goes on (NULL: nobody). */
uint64_t rdl__viable_looked(const struct rdl__viable *v);
extern void (*rdl__viable_watch)(const struct rdl__viable *v);

/* A state that explains all so far; good until the next call of this file. */
const void *rdl__viable_state(const struct rdl__viable *v);

/* All states that do, the same one perhaps more than once, until `each` returns false.  True: these
 * are all. */
bool rdl__viable_each(struct rdl__viable *v, bool (*each)(void *it, const void *state), void *it);

/* The requirements that were reached on the way to that state. */
void rdl__viable_reached(const struct rdl__viable *v, struct rdl__ids *out);

/* After RDL__UNEXPLAINED: what it was, in words. */
enum rdl__blame {
    RDL__BLAME_NONE,
    RDL__BLAME_RETURNED, /* a call returned, or answered, as it must not */
    RDL__BLAME_POLICY,   /* calls were served in an order that the policy does not allow */
    RDL__BLAME_WAITS,    /* a call waits that has to go on */
};
enum rdl__blame rdl__viable_blame(struct rdl__viable *v);

/* The operation whose calls it was, if all that could have been before leads to the same one;
 * NULL: it is not certain. */
const struct rdl_operation *rdl__viable_culprit(struct rdl__viable *v);

/* Does the call of this number stand in the way, whatever was before; or, if no call does always,
 * does it at all? */
bool rdl__viable_is_suspect(struct rdl__viable *v, uint32_t number);

/* Of one that has returned: why it should not have, as what follows "it returns 3". */
void rdl__viable_why(struct rdl__viable *v, uint32_t number, struct rdl__text *out);
void rdl__viable_explain(struct rdl__viable *v, struct rdl__text *out);

#endif
