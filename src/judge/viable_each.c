/* viable_each.c -- all states that explain what was seen. */
#include "judge/viable_inner.h"

bool rdl__viable_each(struct rdl__viable *v, bool (*each)(void *it, const void *state), void *it)
{
    const struct rdl__layer *last = v->layers[v->layer_count - 1];

    for (uint32_t i = 0; i < last->emitted_count || rdl__viable_find_another(v); i++)
        if (!each(it, rdl__node_state(v, rdl__node_at(v, last, last->emitted[i]))))
            return false;
    return !rdl__viable_gives_up(v);
}
