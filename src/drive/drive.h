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
    uint64_t waited[RDL__OPERATIONS_MAX];    /* did not return at once */
    uint64_t tried[RDL__PRECONDITIONS_MOST]; /* under which preconditions */

    uint32_t *followed; /* for each operation and each other: how often that came next */
    uint32_t last;      /* 1 + the operation that was called last; 0: none was */
    uint32_t visited[RDL_INTERESTING_MAX]; /* calls after which the state was such */
    uint32_t from[RDL_INTERESTING_MAX][RDL_INTERESTING_MAX + 1]; /* see struct rdl__visited */
    uint32_t now;         /* which of them the state is: bit i is number i */
    bool looks_at_states; /* not all tests do */
};

/* An operation is called, by its number. */
void rdl__counts_called(struct rdl__counts *counts, struct rdl_case *t, uint32_t op);

/* Which of the interesting states is this?  The first is the one at the beginning. */
void rdl__counts_begin(struct rdl__counts *counts, const struct rdl_case *t, const void *state);
void rdl__counts_visited(struct rdl__counts *counts, const struct rdl_case *t, const void *state);

/* A call is about to be made under these preconditions. */
void rdl__counts_tried(struct rdl__counts *counts, uint64_t met);

void rdl__counts_tell(const struct rdl__counts *counts, struct rdl_case *t);
void rdl__counts_tell_tried(const struct rdl__counts *counts, struct rdl_case *t);

/* How often an operation is to be called in this state by this client; 0: not at all. */
static inline unsigned rdl__weight(const struct rdl_operation *op, const void *s, const void *me)
{
    if (op->may && !op->may(me))
        return 0;
    if (op->weigh)
        return op->weigh(s);
    return op->weight ? op->weight : 1;
}

/* The same, as far as chance is concerned: operations that this case leaves out have none. */
static inline unsigned rdl__chance_of(const struct rdl_case *t, uint32_t number, unsigned weight)
{
    return t->left_out >> number & 1 ? 0 : weight;
}

/* Draw arguments; false: `pre` does not hold. */
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

/* Where a tape stands.  Chance may go back there and try something else; what a tape says
 * is done or rejected. */
struct rdl__mark {
    uint32_t count, span_count, open, depth, low;
};

static inline struct rdl__mark rdl__mark(const struct rdl__tape *tape)
{
    return (struct rdl__mark){tape->count, tape->span_count, tape->open, tape->depth, tape->low};
}

static inline void rdl__go_back(struct rdl__tape *tape, const struct rdl__mark *to)
{
    tape->count = to->count;
    tape->span_count = to->span_count;
    tape->open = to->open;
    tape->depth = to->depth;
    tape->low = to->low;
}

/* Is there another one after `count`?  In the form of lists, so that shrinking knows it:
 * if so, the span of an element begins.  `wanted` is what chance would have. */
static inline bool rdl__another(struct rdl__tape *tape, uint32_t count, uint32_t min, uint32_t max,
                                bool wanted)
{
    bool open = count >= min && count < max, more;

    if (rdl__tape_is_spent(tape)) /* it failed here, before it was asked for more */
        return false;
    if (!tape->fresh && tape->count >= tape->limit) /* nor is another one of use */
        return false;
    if (tape->fresh)
        more = open ? wanted : count < min;
    else
        more = rdl__tape_given(tape, RDL__MORE, open, 0) || (!open && count < min);
    rdl__record(tape, RDL__MORE, open && more, open, 0);
    if (!more)
        return false;
    rdl__span_begin(tape, RDL__LABEL_ELEMENT);
    if (tape->open != RDL__NONE)
        tape->spans[tape->open].start = tape->count - 1;
    return true;
}

/* How long chance would have a list, by the size of the case. */
uint32_t rdl__chosen_length(struct rdl_case *t, uint32_t min, uint32_t max);

/* Draw at least min and at most max of something, in the form of a list: draw(context) draws
 * one, or cannot.  How many there are; fewer than min if chance found no more. */
uint32_t rdl__draw_several(struct rdl_case *t, uint32_t min, uint32_t max,
                           bool (*draw)(void *context), void *context);

/* The model cannot do what the tape says: no case at all. */
_Noreturn void rdl__reject(struct rdl_case *t);

/* A line of the story of a case; `more`: it goes on with this. */
void rdl__tell(struct rdl_case *t, const struct rdl__text *line);
void rdl__tell_more(struct rdl_case *t, const struct rdl__text *line);

/* In the picture of a case: the state of something that is drawn; all that a judge thinks possible;
 * and a state that explains all so far, afterwards.  Only while somebody looks. */
struct rdl__viable;
void rdl__draw_state(struct rdl_case *t, uint32_t drawn, const char *which,
                     const struct rdl_spec *spec, const void *state);
void rdl__draw_possible(struct rdl_case *t, uint32_t drawn, struct rdl__viable *viable);

/* The state at the beginning; told, if it is not always the same. */
void *rdl__begin_state(struct rdl_case *t);

/* The spec and the code under test differ.  `class` is one of those of `raddle grade`. */
_Noreturn void rdl__differs(struct rdl_case *t, const char *class, const char *check,
                            const struct rdl__text *text);

/* The same, of this operation: with --more-bugs, the same check of another one is another bug.
 * NULL: it is not known which one is to blame. */
_Noreturn void rdl__differs_in(struct rdl_case *t, const struct rdl_operation *op,
                               const char *class, const char *check, const struct rdl__text *text);

/* What rdl_result looks at: the calls of the case at hand, by number from 1. */
struct rdl__answers {
    const struct rdl_operation *(*find)(void *context, rdl_ref ref, const void **out_answer);
    void *context; /* find returns NULL: no such call; the answer is NULL: not returned */
};
extern struct rdl__answers rdl__answers;

#endif
