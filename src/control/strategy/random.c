/* random.c -- a random walk: every thread that could go is as likely as any other. */
#include "control/strategy/all.h"
#include "control/strategy/spawn.h"

static bool begin(void *state, struct rdl__view *view, struct rdl__summary *summary)
{
    (void)summary;
    rdl__spawn_begin(state, view);
    return true;
}

static uint32_t pick(void *state, struct rdl__view *view)
{
    struct rdl__set set = rdl__eligible(state, view);

    return rdl__set_nth(&set, (uint32_t)rdl__random_upto(&view->random, set.count - 1));
}

const struct rdl__strategy rdl__strategy_random = {
    .name = "random",
    .help = "a random walk: any thread, at every point",
    .state_size = sizeof(struct rdl__spawn),
    .begin = begin,
    .pick = pick,
};
