/* bound.c -- when an execution counts as endless.
 *
 * It does when it has come to more points than executions that ended, by far.  As long as none has
 * ended, nobody knows how many that are: threads may compute for long.  So the first one is watched
 * beyond its bound: until it ends, or most of the time is over that it is given, or most of the
 * tape.  If it does not end, it fails as it would have at the bound: what the tape holds from there
 * on is dropped, so that the case is the same however fast the machine is. */
#include "control/sched/inner.h"
#include "port/kernel.h"

#define sched (&rdl__sched)

static struct {
    bool watches;    /* beyond the bound */
    bool is_beyond;  /* by now */
    uint64_t least;  /* the bound */
    uint64_t until;  /* real time, ns */
    uint32_t length; /* of the tape, at the bound, */
    uint32_t stretch_at;
    uint64_t hash; /* and what had happened until then */
} bound;

void rdl__bound_begin(uint64_t points, uint64_t patience_ns)
{
    sched->points_max = points;
    bound.least = points;
    bound.watches = patience_ns > 0;
    bound.is_beyond = false;
    bound.until = bound.watches ? rdl__kernel_now_ns() + patience_ns : 0;
}

uint64_t rdl__bound_least(void)
{
    return bound.is_beyond ? bound.least : sched->points_max;
}

/* What the token of the case is to say. */
static void tell_bound(uint64_t points)
{
    sched->t->settings.points_max = (uint32_t)points;
    if (sched->t->told)
        sched->t->told->points_max = (uint32_t)points;
}

_Noreturn static void give_up(void)
{
    if (bound.is_beyond) {
        rdl__tape_cut(sched->t->tape, bound.length);
        sched->t->tape->choices[bound.stretch_at].index = 0;
        sched->summary->hash = bound.hash;
        tell_bound(bound.least);
    }
    rdl__endless();
}

/* From here on nobody is interrupted who need not be: the tape is to hold the whole execution. */
static void go_beyond(void)
{
    bound.is_beyond = true;
    bound.length = sched->t->tape->count;
    bound.stretch_at = sched->stretch_at;
    bound.hash = sched->summary->hash;
}

void rdl__bound_met(void)
{
    if (!bound.watches || rdl__kernel_now_ns() >= bound.until ||
        sched->points_max >= UINT32_MAX / 2)
        give_up();
    if (!bound.is_beyond)
        go_beyond();
    sched->points_max += bound.least;
    tell_bound(sched->points_max);
}

bool rdl__bound_look(const struct rdl__tape *tape)
{
    if (bound.is_beyond && tape->count > tape->limit / 8 * 7)
        give_up();
    return bound.is_beyond || tape->count > tape->limit / 4 * 3;
}
