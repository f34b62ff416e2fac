/* lists.h -- lists, for our other generators.
 *
 * A list asks before each element whether there is one more; question and
 * element form a span, so that leaving out the span leaves out the element.
 * Where the answer is given (too few yet, or enough) the question stands on the
 * tape all the same, with only one index: elements can then be left out or
 * moved anywhere without the rest falling out of step. */
#ifndef RDL__LISTS_H
#define RDL__LISTS_H

#include "case/case.h"
#include "raddle/generate.h"

/* What a length left at zero means; who asks for none there can be is told where that is. */
struct rdl_length rdl__length_or_default(struct rdl_case *t, const char *file, int line,
                                         struct rdl_length length);

/* Chance's idea of the length, by the size of the case. */
size_t rdl__target_length(struct rdl_case *t, size_t min, size_t max);

/* How many elements can come at the most: each takes a choice, and their
 * number is limited. */
static inline size_t rdl__room_for(const struct rdl__tape *tape, size_t target, size_t max)
{
    size_t left = tape->limit - tape->count;
    size_t most = target < max ? target : max;

    return most < left ? most : left;
}

#endif
