/* random_delays.c -- round robin without preemption, but for up to N delays at random.
 *
 * Delay bounding (Emmi, Qadeer and Rakamaric, POPL 2011), sampled: a thread runs
 * until it has to wait, then the next one in order does; at up to N points, drawn
 * before, the one whose turn it is has to let the next one go first. */
#include "control/strategy/all.h"
#include "control/strategy/places.h"
#include "control/strategy/spawn.h"

enum { DELAYS = 2 };

struct delays {
    /* What stays. */
    unsigned count;
    uint64_t longest; /* points of an execution */

    /* Of one execution. */
    struct rdl__spawn spawn;
    struct rdl__places places;
};

static void init(void *state, uint64_t seed, unsigned parameter)
{
    struct delays *delays = state;

    (void)seed;
    delays->count = parameter;
}

static bool begin(void *state, struct rdl__view *view, struct rdl__summary *summary)
{
    struct delays *delays = state;

    (void)summary;
    rdl__spawn_begin(&delays->spawn, view);
    rdl__places_draw(&delays->places, &view->random,
                     1 + (uint32_t)rdl__random_upto(&view->random, delays->count - 1),
                     rdl__places_range(delays->longest));
    return true;
}

static uint32_t pick(void *state, struct rdl__view *view)
{
    struct delays *delays = state;
    struct rdl__set set = rdl__eligible(&delays->spawn, view);
    uint32_t next = view->running;

    if (!rdl__set_has(&set, next) || rdl__is_polite(view, next))
        next = rdl__set_from(&set, next + 1);
    while (rdl__places_reached(&delays->places, view->points))
        next = rdl__set_from(&set, next + 1);
    if (next == view->running && !rdl__is_polite(view, next))
        view->quiet = rdl__places_quiet(&delays->places, view->points);
    return next;
}

static void ended(void *state, const struct rdl__summary *summary)
{
    struct delays *delays = state;

    if (delays->longest < summary->points)
        delays->longest = summary->points;
}

const struct rdl__strategy rdl__strategy_random_delays = {
    .name = "random-delays",
    .help = "round robin, with up to N threads delayed somewhere",
    .has_parameter = true,
    .parameter = DELAYS,
    .least = 1,
    .state_size = sizeof(struct delays),
    .init = init,
    .begin = begin,
    .pick = pick,
    .ended = ended,
};
