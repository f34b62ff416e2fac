/* places.h -- a few points of an execution, drawn before it begins.
 *
 * Where an execution will have its points is not known, only how many earlier
 * ones had: their largest number and a fifth more is the range to draw from. */
#ifndef RDL__PLACES_H
#define RDL__PLACES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/random.h"

enum { RDL__PLACES_MAX = 63 };

struct rdl__places {
    uint32_t count, next;
    uint64_t at[RDL__PLACES_MAX]; /* ascending; a point has the number of view->points */
};

/* So many different ones of 1..range; fewer if there are not that many. */
void rdl__places_draw(struct rdl__places *places, struct rdl__random *random, uint32_t count,
                      uint64_t range);

/* Has the next place been reached?  Then it counts as passed. */
static inline bool rdl__places_reached(struct rdl__places *places, uint64_t point)
{
    if (places->next == places->count || point < places->at[places->next])
        return false;
    places->next++;
    return true;
}

/* How many points after this one come before the next place? */
static inline uint64_t rdl__places_quiet(const struct rdl__places *places, uint64_t point)
{
    return places->next == places->count ? UINT64_MAX : places->at[places->next] - point - 1;
}

static inline uint64_t rdl__places_range(uint64_t longest)
{
    return longest + longest / 5;
}

#endif
