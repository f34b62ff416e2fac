/* bounded.c -- all schedules with at most N preemptions, or at most N delays.
 *
 * First those with none, then with one, and so on (Musuvathi and Qadeer, "Iterative
 * context bounding", PLDI 2007; Emmi, Qadeer and Rakamaric, "Delay-bounded
 * scheduling", POPL 2011).  A preemption is a switch from a thread that could go on
 * and is not polite.  Delays are counted against round robin without preemption:
 * each thread that is passed over is one.
 *
 * Which schedules of a level branch off from one with fewer is not remembered:
 * those with fewer are run again to find it out.  They are few by comparison, and
 * are counted once. */
#include "control/strategy/all.h"
#include "control/strategy/path.h"

#include <stdio.h>

enum { BOUND = 2 };

struct bounded {
    struct rdl__path path;
    bool by_delays;
    unsigned bound, bound_max;
    uint64_t schedules;      /* with at most `bound`, so far */
    bool beyond;             /* there are schedules with more */
    bool done;               /* nothing is left to try */
    unsigned full_bound;     /* of a level that was finished */
    uint64_t full_schedules; /* with at most full_bound; 0: no level was */
};

static void init_preemptions(void *state, uint64_t seed, unsigned parameter)
{
    struct bounded *bounded = state;

    (void)seed;
    bounded->bound_max = parameter;
}

static void init_delays(void *state, uint64_t seed, unsigned parameter)
{
    init_preemptions(state, seed, parameter);
    ((struct bounded *)state)->by_delays = true;
}

static void release(void *state)
{
    rdl__path_release(&((struct bounded *)state)->path);
}

static bool begin(void *state, struct rdl__view *view, struct rdl__summary *summary)
{
    struct bounded *bounded = state;

    if (bounded->done)
        return false;
    rdl__path_begin(&bounded->path, view);
    summary->wants_log = !bounded->path.lost;
    return true;
}

/* The place of one decision: who could go, who ran before and may run on. */
struct place {
    uint64_t able;
    uint32_t running;
    bool may_run_on;
};

static struct place place_of(uint64_t able, uint32_t running, bool polite)
{
    return (struct place){able, running, running < 64 && able >> running & 1 && !polite};
}

/* Threads that are able, in the order of delays from the one whose turn it is. */
static uint64_t from_turn(const struct place *place)
{
    uint32_t turn = place->may_run_on ? place->running : place->running + 1;

    return turn < 64 ? UINT64_MAX << turn : 0;
}

static unsigned cost_of(const struct bounded *bounded, const struct place *place, uint32_t thread)
{
    uint64_t before = (UINT64_C(1) << thread) - 1, later = from_turn(place);

    if (!bounded->by_delays)
        return place->may_run_on && thread != place->running;
    if (later >> thread & 1)
        return (unsigned)__builtin_popcountll(place->able & later & before);
    return (unsigned)__builtin_popcountll(place->able & (later | before));
}

static uint32_t first_in_turn(const struct place *place)
{
    uint64_t later = place->able & from_turn(place);

    return (uint32_t)__builtin_ctzll(later ? later : place->able);
}

/* The note tells `ended` whether the thread that ran before was polite. */
static uint32_t pick(void *state, struct rdl__view *view)
{
    struct bounded *bounded = state;
    bool polite = view->ops[view->running].flags & RDL__OP_POLITE;
    uint32_t thread;

    view->note = polite;
    if (!rdl__path_follow(&bounded->path, view, &thread)) {
        uint64_t able = rdl__path_able(&bounded->path, view);
        struct place place = place_of(able, view->running, polite);

        thread = bounded->by_delays ? first_in_turn(&place) : rdl__path_runs_on(view, able);
    }
    rdl__path_goes(&bounded->path, view, thread);
    return thread;
}

static uint32_t choose(void *state, struct rdl__view *view, uint32_t max)
{
    return rdl__path_answer(&((struct bounded *)state)->path, view, max);
}

/* Mark who may go at this turn within the bound; returns what is spent after it. */
static unsigned mark(struct bounded *bounded, const struct rdl__log_entry *log, uint32_t at)
{
    struct rdl__turn *turn = &bounded->path.turns[at];
    struct place place;

    if (!turn->asked)
        return turn->spent;
    place = place_of(turn->enabled, at ? log[at - 1].thread : 0, log[at].note);
    for (uint64_t rest = turn->enabled; rest; rest &= rest - 1) {
        uint32_t thread = (uint32_t)__builtin_ctzll(rest);

        if (turn->spent + cost_of(bounded, &place, thread) <= bounded->bound)
            turn->todo |= rest & -rest;
        else
            bounded->beyond = true;
    }
    return turn->spent + cost_of(bounded, &place, turn->thread);
}

/* This level is finished: on to the next, if there is anything on it. */
static void finish_level(struct bounded *bounded)
{
    bounded->full_bound = bounded->bound;
    bounded->full_schedules = bounded->schedules;
    bounded->done = !bounded->beyond || bounded->bound == bounded->bound_max;
    if (bounded->done)
        return;
    bounded->bound++;
    bounded->beyond = false;
    rdl__path_restart(&bounded->path);
}

static void ended(void *state, const struct rdl__summary *summary)
{
    struct bounded *bounded = state;
    unsigned spent = 0;
    uint32_t first;

    if (bounded->path.lost || !rdl__path_extend(&bounded->path, summary, &first))
        return;
    for (uint32_t i = first; i < bounded->path.count; i++) {
        if (i > first)
            bounded->path.turns[i].spent = spent;
        spent = mark(bounded, summary->log, i);
    }
    bounded->schedules += spent == bounded->bound;
    if (!rdl__path_next(&bounded->path))
        finish_level(bounded);
}

static void count_all(const void *state, struct rdl__tally *out)
{
    const struct bounded *bounded = state;
    const char *noun = bounded->by_delays ? "delay" : "preemption";

    if (bounded->full_schedules == 0)
        return;
    *out = rdl__path_tally(&bounded->path, bounded->full_schedules, RDL__SCHEDULES);
    if (!bounded->done || bounded->beyond)
        snprintf(out->bound, sizeof out->bound, "%u %s%s", bounded->full_bound, noun,
                 bounded->full_bound == 1 ? "" : "s");
}

const struct rdl__strategy rdl__strategy_preemptions = {
    .name = "preemptions",
    .help = "every schedule with at most N preemptions",
    .has_parameter = true,
    .parameter = BOUND,
    .state_size = sizeof(struct bounded),
    .init = init_preemptions,
    .release = release,
    .begin = begin,
    .pick = pick,
    .choose = choose,
    .ended = ended,
    .count = count_all,
};

const struct rdl__strategy rdl__strategy_delays = {
    .name = "delays",
    .help = "every schedule with at most N threads delayed",
    .has_parameter = true,
    .parameter = BOUND,
    .state_size = sizeof(struct bounded),
    .init = init_delays,
    .release = release,
    .begin = begin,
    .pick = pick,
    .choose = choose,
    .ended = ended,
    .count = count_all,
};
