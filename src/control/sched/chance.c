/* chance.c -- choices that are none of threads: which waiter is woken, what goes wrong
 * though nothing is wrong, when a sleep ends.  They are on the tape like any other. */
#include <raddle/check.h>

#include "control/sched/inner.h"
#include "control/sched/world.h"

enum { FAULT_ONE_IN = 8, EARLY_MAX = 8 };
#define EAGER_MAX (60 * UINT64_C(1000000000)) /* ns */

#define sched     (&rdl__sched)

uint32_t rdl__pick_one(uint32_t max)
{
    struct rdl__tape *tape = sched->t->tape;
    uint32_t index;

    if (max == 0)
        return 0;
    if (!tape->fresh_turns)
        index = (uint32_t)rdl__tape_given(tape, RDL__ANSWER, max, 0);
    else if (sched->strategy && sched->strategy->choose)
        index = sched->strategy->choose(sched->strategy_state, &sched->view, max);
    else
        index = (uint32_t)rdl__random_upto(&sched->view.random, max);
    sched->summary->choices++;
    sched->summary->answered = true;
    rdl__record(tape, RDL__ANSWER, index, max, 0);
    if (sched->summary->wants_log)
        rdl__log_answer(rdl__running, &sched->view.ops[rdl__running->id], index, max);
    return index;
}

/* Who reads the report should know whose fault it was. */
static const char *words_for(unsigned which)
{
    switch (which) {
    case RDL__FAULT_SPURIOUS:
        return sched->view.ops[rdl__running->id].kind == RDL__OP_ATOMIC
                   ? "injected: a weak exchange fails for no reason"
                   : "injected: it wakes up for no reason";
    case RDL__FAULT_TIMEOUT:
        return "injected: its time is up early";
    default:
        return "injected: it gets no lock, though nobody has it";
    }
}

bool rdl__fault(unsigned which)
{
    struct rdl__tape *tape = sched->t->tape;
    uint64_t index;

    if (!(sched->faults & which))
        return false;
    sched->summary->by_chance = true;
    index = tape->fresh_turns ? rdl__random_upto(&sched->view.random, FAULT_ONE_IN - 1) == 0
                              : rdl__tape_given(tape, RDL__ANSWER, 1, 0);
    rdl__record(tape, RDL__ANSWER, index, 1, 0);
    if (index == 1)
        rdl_note("%s", words_for(which));
    return index == 1;
}

/* A clock that never waits for its time would go on for ever: who waits for input from outside
 * would never get it, and a periodic timer would start threads without end. */
static bool may_end_early(void)
{
    return sched->eager_sleepers && ((!rdl__outside_is_awaited() && !rdl__running->service) ||
                                     ++sched->early_ends <= EARLY_MAX);
}

/* In half of a program's executions in which threads sleep, a sleep may end at any time,
 * as it may on a busy machine; in the others time stands still while anybody can run.
 * To sleep for more than a minute is to wait until something happens.  In a test, it
 * has to be asked for: rdl_until_quiet counts on those who sleep. */
bool rdl__sleeps_eagerly(uint64_t until)
{
    struct rdl__tape *tape = sched->t->tape;
    uint64_t eager;

    if (sched->alive == 1 || until - sched->now > EAGER_MAX ||
        !(sched->forked || sched->faults & RDL__FAULT_TIMEOUT))
        return false;
    if (!sched->sleeping_decided) {
        eager = tape->fresh_turns ? rdl__random_upto(&sched->view.random, 1)
                                  : rdl__tape_given(tape, RDL__ANSWER, 1, 0);
        rdl__record(tape, RDL__ANSWER, eager, 1, 0);
        sched->eager_sleepers = eager == 1;
        sched->sleeping_decided = true;
    }
    return may_end_early();
}
