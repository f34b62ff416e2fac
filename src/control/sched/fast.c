/* fast.c -- points that go by unseen.
 *
 * Code compiled by `raddle cc` comes to a point at every access to memory, and at
 * almost all of them the running thread is sure to run on: the strategy has said so
 * (quiet), or the tape (the stretch is longer).  So many points are given to the
 * thread in advance, and an access only takes one of them (rdl__point_fast).  What
 * they would have counted is made up for before anybody asks: at the next operation
 * that is not one of them, and when threads become able, or unable, to run. */
#include "base/hash.h"
#include "control/sched/inner.h"
#include "control/sched/track.h"

#define sched (&rdl__sched)

/* What comes from outside is noticed after so many at the latest. */
enum { GIVEN_MAX = 4096 };

uint64_t rdl__fast_points, rdl__fast_given;

void rdl__fast_count_used(void)
{
    struct rdl__view *view = &sched->view;
    uint64_t count = rdl__fast_given - rdl__fast_points;
    uint32_t id = rdl__running->id;

    rdl__fast_given = rdl__fast_points = 0;
    if (count == 0)
        return;
    view->steps[id] += count;
    view->ops[id].kind = rdl__running->track->wrote_last ? RDL__OP_WRITE : RDL__OP_READ;
    view->ops[id].touch = rdl__running->track->wrote_last ? RDL__WRITES : RDL__READS;
    view->ops[id].flags = 0;
    sched->summary->steps += count;
    sched->accesses += count;
    if (view->enabled_count > 1) {
        sched->summary->points = view->points += count;
        sched->stretch += count;
        view->quiet -= sched->by_strategy ? count : 0;
    }
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Points until the running thread may have to make way for another. */
static uint64_t points_left(void)
{
    const struct rdl__view *view = &sched->view;
    uint64_t left = GIVEN_MAX;

    if (view->enabled_count == 1)
        return left;
    if (!sched->by_strategy)
        left = least(left, sched->stretch_end - 1 - sched->stretch);
    else if (!sched->enabled_changed)
        left = least(left, view->quiet);
    else
        left = 0;
    return least(left, sched->points_max - view->points);
}

/* Somebody wants to hear of every operation. */
static bool is_listened_to(const struct rdl__thread *self)
{
    return self->no_switch || self->cancelled || sched->signals_due || sched->deadlines ||
           rdl__spinners || sched->summary->wants_log || sched->t->trace->on;
}

void rdl__fast_give(const struct rdl__thread *self)
{
    uint64_t left = points_left();

    if (left > 0 && !is_listened_to(self))
        rdl__fast_given = rdl__fast_points = left;
}
