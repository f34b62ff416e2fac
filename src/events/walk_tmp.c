/* walk_tmp.c -- for a moment. */
#include "events/events.h"
#include "drive/walk_tmp.h"
void rdl__step_walk(const struct rdl_step *step, uint64_t (*choose)(void *, uint64_t), void (*visit)(void *, const struct rdl_step *), void *context)
{
    uint64_t n = 0, k;
    switch (step->kind) {
    case RDL__STEP_CALL: visit(context, step); break;
    case RDL__STEP_EITHER:
        while (step->parts[n]) n++;
        rdl__step_walk(step->parts[choose(context, n - 1)], choose, visit, context);
        break;
    case RDL__STEP_REPEAT:
        k = step->min + (step->max > step->min ? choose(context, step->max == UINT32_MAX ? 3 : step->max - step->min) : 0);
        for (uint64_t i = 0; i < k; i++)
            for (n = 0; step->parts[n]; n++) rdl__step_walk(step->parts[n], choose, visit, context);
        break;
    default:
        for (n = 0; step->parts && step->parts[n]; n++) rdl__step_walk(step->parts[n], choose, visit, context);
    }
}
