/* ordered.c -- strategies without chance: in order, in reverse, round robin.
 *
 * In order and in reverse, a thread runs until it has to wait; then the first, or
 * the last, of those that can goes on.  Where a thread is polite it is the turn of
 * its neighbour, so that nobody waits in vain for one that never gets a turn. */

#include "control/strategy/all.h"
#include "control/strategy/spawn.h"

/* There is but one such schedule, unless the test draws data. */
struct ordered {
    bool done;
};

static bool begin(void *state, struct rdl__view *view, struct rdl__summary *summary)
{
    const struct ordered *ordered = state;

    (void)view;
    (void)summary;
    return !ordered->done;
}

static void ended(void *state, const struct rdl__summary *summary)
{
    struct ordered *ordered = state;

    ordered->done = !summary->data_drawn;
}

/* May the running thread simply run on? */
static bool runs_on(struct rdl__view *view)
{
    if (!rdl__is_enabled(view, view->running) || rdl__is_polite(view, view->running))
        return false;
    view->quiet = UINT64_MAX;
    return true;
}

uint32_t rdl__pick_in_order(void *state, struct rdl__view *view)
{
    (void)state;
    if (runs_on(view))
        return view->running;
    if (rdl__is_enabled(view, view->running))
        return rdl__enabled_from(view, view->running + 1);
    return rdl__enabled_from(view, 0);
}

static uint32_t last_enabled_before(const struct rdl__view *view, uint32_t end)
{
    for (uint32_t t = end; t-- > 0;)
        if (rdl__is_enabled(view, t))
            return t;
    return last_enabled_before(view, view->threads);
}

static uint32_t pick_in_reverse(void *state, struct rdl__view *view)
{
    (void)state;
    if (runs_on(view))
        return view->running;
    if (rdl__is_enabled(view, view->running))
        return last_enabled_before(view, view->running);
    return last_enabled_before(view, view->threads);
}

static uint32_t pick_next(void *state, struct rdl__view *view)
{
    (void)state;
    return rdl__enabled_from(view, view->running + 1);
}

static uint32_t choose_first(void *state, struct rdl__view *view, uint32_t max)
{
    (void)state;
    (void)view;
    (void)max;
    return 0;
}

static uint32_t choose_last(void *state, struct rdl__view *view, uint32_t max)
{
    (void)state;
    (void)view;
    return max;
}

static void count_all(const void *state, struct rdl__tally *out)
{
    const struct ordered *ordered = state;

    if (ordered->done)
        *out = (struct rdl__tally){
            .schedules = 1, .done = true, .of = RDL__SCHEDULES, .by_design = true};
}

const struct rdl__strategy rdl__strategy_in_order = {
    .name = "in-order",
    .help = "each thread until it waits, in the order of creation",
    .state_size = sizeof(struct ordered),
    .begin = begin,
    .pick = rdl__pick_in_order,
    .choose = choose_first,
    .ended = ended,
    .count = count_all,
};

const struct rdl__strategy rdl__strategy_reverse = {
    .name = "reverse",
    .help = "each thread until it waits, the last one created first",
    .state_size = sizeof(struct ordered),
    .begin = begin,
    .pick = pick_in_reverse,
    .choose = choose_last,
    .ended = ended,
    .count = count_all,
};

const struct rdl__strategy rdl__strategy_round_robin = {
    .name = "round-robin",
    .help = "one operation of each thread in turn",
    .state_size = sizeof(struct ordered),
    .begin = begin,
    .pick = pick_next,
    .choose = choose_first,
    .ended = ended,
    .count = count_all,
};
