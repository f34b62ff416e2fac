/* places.c -- a few points of an execution, drawn before it begins. */
#include "control/strategy/places.h"

static bool has(const struct rdl__places *places, uint64_t point)
{
    for (uint32_t i = 0; i < places->count; i++)
        if (places->at[i] == point)
            return true;
    return false;
}

static void insert(struct rdl__places *places, uint64_t point)
{
    uint32_t i = places->count++;

    for (; i > 0 && places->at[i - 1] > point; i--)
        places->at[i] = places->at[i - 1];
    places->at[i] = point;
}

/* Floyd's way of drawing a subset: every one is as likely as any other. */
void rdl__places_draw(struct rdl__places *places, struct rdl__random *random, uint32_t count,
                      uint64_t range)
{
    if (count > RDL__PLACES_MAX)
        count = RDL__PLACES_MAX;
    if (count > range)
        count = (uint32_t)range;
    places->count = places->next = 0;
    for (uint64_t last = range - count + 1; places->count < count; last++) {
        uint64_t point = 1 + rdl__random_upto(random, last - 1);

        insert(places, has(places, point) ? last : point);
    }
}
