/* viable_reached.c -- which requirements an explanation reaches.
 *
 * Each configuration knows which were reached on the way to it that was found first.  There are
 * few different sets of them, so they are kept once, and configurations have their numbers. */
#include <stdlib.h>
#include <string.h>

#include "case/requirements.h"
#include "judge/viable_inner.h"

enum { SETS_MAX = 1 << 14 }; /* then what is reached is not noted any more */

static uint16_t number_of(struct rdl__viable *v, const struct rdl__ids *set)
{
    uint32_t i = 0;

    while (i < v->set_count && memcmp(&v->sets[i], set, sizeof *set) != 0)
        i++;
    if (i == v->set_count) {
        v->sets = rdl__reallocate(v->sets, (i + 1) * sizeof *v->sets);
        v->sets[v->set_count++] = *set;
    }
    return (uint16_t)(i + 1);
}

uint16_t rdl__viable_reaches(struct rdl__viable *v, uint16_t before)
{
    struct rdl__ids set = {{0}};

    if (!rdl__reached_matters || !rdl__reached.any || v->set_count == SETS_MAX)
        return before;
    if (before)
        set = v->sets[before - 1];
    rdl__ids_join(&set, &rdl__reached.set);
    return number_of(v, &set);
}

void rdl__viable_reached(const struct rdl__viable *v, struct rdl__ids *out)
{
    const struct rdl__layer *last = v->layers[v->layer_count - 1];
    uint16_t number = last->origins[last->emitted[last->emitted_count - 1]].reached;

    if (number)
        *out = v->sets[number - 1];
    else
        *out = (struct rdl__ids){{0}};
}
