/* drive.h -- what drivers of specs share: who calls what next, and how it is told.
 *
 * A driver is the body of a test of a spec (RDL_TEST_MODEL and its like): it makes up
 * calls, has them made, and judges what comes of them. */
#ifndef RDL__DRIVE_H
#define RDL__DRIVE_H

#include "case/case.h"
#include "spec/spec.h"

/* How many calls of each operation a case has made, for statistics. */
struct rdl__counts {
    uint64_t calls[RDL__OPERATIONS_MAX];
    uint64_t waited[RDL__OPERATIONS_MAX]; /* did not return at once */
};

void rdl__counts_tell(const struct rdl__counts *counts, struct rdl_case *t);

/* How often an operation is to be called in this state by this client; 0: not at all. */
static inline unsigned rdl__weight(const struct rdl_operation *op, const void *s, const void *me)
{
    if (op->may && !op->may(me))
        return 0;
    if (op->weigh)
        return op->weigh(s);
    return op->weight ? op->weight : 1;
}

/* Draw arguments until `pre` holds; false: it hardly ever does. */
bool rdl__draw_args(struct rdl_case *t, const struct rdl_operation *op, const void *s,
                    const void *me, void *out);

/* A choice made by us if it is fresh, else given: rdl__tape_given and rdl__record in one. */
static inline uint64_t rdl__choose_or(struct rdl__tape *tape, enum rdl__choice_kind kind,
                                      uint64_t fresh, uint64_t max)
{
    uint64_t index = tape->fresh ? fresh : rdl__tape_given(tape, kind, max, 0);

    rdl__record(tape, kind, index, max, 0);
    return index;
}

/* The model cannot do what the tape says: no case at all. */
_Noreturn void rdl__reject(struct rdl_case *t);

/* A line of the story of a case; `more`: it goes on with this. */
void rdl__tell(struct rdl_case *t, const struct rdl__text *line);
void rdl__tell_more(struct rdl_case *t, const struct rdl__text *line);

/* The spec and the code under test differ.  `class` is one of those of `raddle grade`. */
_Noreturn void rdl__differs(struct rdl_case *t, const char *class, const char *check,
                            const struct rdl__text *text);

/* What rdl_result looks at: the calls of the case at hand, by number from 1. */
struct rdl__answers {
    const struct rdl_operation *(*find)(void *context, rdl_ref ref, const void **out_answer);
    void *context; /* find returns NULL: no such call; the answer is NULL: not returned */
};
extern struct rdl__answers rdl__answers;

#endif
