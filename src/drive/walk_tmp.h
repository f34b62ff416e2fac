#include "events/events.h"
void rdl__step_walk(const struct rdl_step *step, uint64_t (*choose)(void *, uint64_t), void (*visit)(void *, const struct rdl_step *), void *context);
