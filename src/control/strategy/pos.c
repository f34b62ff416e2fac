/* pos.c -- partial order sampling (Yuan, Yang and Gu, CAV 2018).
 *
 * Every operation gets a random priority when a thread comes to it, and the highest
 * goes first.  Operations that conflict with the one that goes draw anew: whatever
 * their order, it is then as likely as any other, however long the wait before was.
 * Without that redrawing (measured on SafeStack) the strategy is worth little.
 *
 * An operation that touches nothing may stand for code that cannot be seen, so it
 * has a priority like any other.  A polite one lets everybody draw anew, lest a
 * thread that asks again and again keep an unlucky one from running. */
#include "control/strategy/all.h"
#include "control/strategy/spawn.h"

struct pos {
    struct rdl__spawn spawn;
    uint64_t epoch; /* of this execution, in the upper half of stamps */
    struct pending {
        uint64_t priority;
        uint64_t stamp; /* epoch + steps: which operation it is the priority of */
    } pending[RDL__THREADS_MAX];
};

static bool begin(void *state, struct rdl__view *view, struct rdl__summary *summary)
{
    struct pos *pos = state;

    (void)summary;
    rdl__spawn_begin(&pos->spawn, view);
    pos->epoch += UINT64_C(1) << 32;
    return true;
}

static uint32_t highest(struct pos *pos, struct rdl__view *view, const struct rdl__set *set)
{
    uint64_t best = 0;

    for (struct rdl__walk w = rdl__walk(set); rdl__walk_next(&w);) {
        struct pending *pending = &pos->pending[w.thread];
        uint64_t stamp = pos->epoch + view->steps[w.thread];

        if (pending->stamp != stamp) {
            pending->stamp = stamp;
            pending->priority = rdl__priority(&view->random, w.thread);
        }
        best = pending->priority > best ? pending->priority : best;
    }
    return rdl__priority_of(best);
}

static uint32_t pick(void *state, struct rdl__view *view)
{
    struct pos *pos = state;
    struct rdl__set set = rdl__eligible(&pos->spawn, view);
    uint32_t best = highest(pos, view, &set);
    const struct rdl__op *op = &view->ops[best];
    bool polite = op->flags & RDL__OP_POLITE;

    if (!polite && !op->touch && !op->also)
        return best;
    for (struct rdl__walk w = rdl__walk(&set); rdl__walk_next(&w);)
        if (w.thread != best && (polite || rdl__conflict(&view->ops[w.thread], op)))
            pos->pending[w.thread].stamp = 0;
    return best;
}

const struct rdl__strategy rdl__strategy_pos = {
    .name = "pos",
    .help = "random priorities of operations, drawn anew on conflicts (partial order sampling)",
    .state_size = sizeof(struct pos),
    .begin = begin,
    .pick = pick,
};
