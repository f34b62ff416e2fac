/* deviation.c -- how components that are played may differ from their specs. */
#include <string.h>

#include "drive/stage.h"
#include "raddle/cluster.h"

static struct rdl_deviation *deviations; /* in the order of their registration */

void rdl__register_deviation(struct rdl_deviation *deviation)
{
    struct rdl_deviation **end = &deviations;

    while (*end)
        end = &(*end)->next;
    *end = deviation;
}

const struct rdl_deviation *rdl__deviations(void)
{
    return deviations;
}

const char *rdl__deviation_in_force;

static const char *in_force(void)
{
    return rdl__deviation_in_force ? rdl__deviation_in_force
                                   : rdl__current->test->options.deviation;
}

const struct rdl_deviation *rdl__deviation(const struct rdl_operation *op, const void *state,
                                           const void *args)
{
    const char *text = in_force();

    for (const struct rdl_deviation *it = deviations; text && it; it = it->next)
        if (it->operation == op && strcmp(it->text, text) == 0 && it->holds(state, args))
            return it;
    return NULL;
}
