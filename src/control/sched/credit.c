/* credit.c -- points that are passed without a word.
 *
 * Most accesses to memory are points at which nothing happens: the tape or the
 * strategy lets the thread go on, and nobody lists what it does.  For those it gets
 * credit, and what it has used of it is accounted for at its next ordinary point.
 * Whether there is credit or not, the same execution comes out. */
#include "control/sched/inner.h"

#define sched (&rdl__sched)

void rdl__credit_account(void)
{
    struct rdl__view *view = &sched->view;
    uint64_t passed = sched->credit_given - sched->credit;

    sched->credit = sched->credit_given = 0;
    if (passed == 0)
        return;
    sched->summary->steps += passed;
    view->steps[rdl__running->id] += passed;
    view->ops[rdl__running->id] =
        (struct rdl__op){.kind = sched->credit_touch == RDL__WRITES ? RDL__OP_WRITE : RDL__OP_READ,
                         .touch = sched->credit_touch};
    if (view->enabled_count > 1) {
        sched->summary->points = view->points += passed;
        sched->stretch += passed;
        if (sched->by_strategy)
            view->quiet -= passed;
    }
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t up_to(uint64_t end, uint64_t from)
{
    return from < end ? end - from : 0;
}

/* How many points may the thread pass now, if all of them are accesses to memory?
 * None while something has to be done at each: time passes, somebody waits for memory
 * to change, or the operations are listed. */
void rdl__credit_give(const struct rdl__thread *self)
{
    const struct rdl__view *view = &sched->view;
    uint64_t credit =
        least(up_to(RDL__STRETCH_MAX, sched->stretch), up_to(sched->points_max, view->points));

    if (sched->deadlines > 0 || rdl__spinners > 0 || sched->signals_due || self->cancelled ||
        sched->summary->wants_log || sched->t->trace->on)
        return;
    if (view->enabled_count > 1) {
        credit = least(credit, up_to(sched->stretch_fair, sched->stretch + 1));
        if (!sched->by_strategy)
            credit = least(credit, up_to(sched->stretch_end, sched->stretch + 1));
        else if (sched->enabled_changed)
            credit = 0;
        else
            credit = least(credit, view->quiet);
    }
    sched->credit = sched->credit_given = credit;
}
