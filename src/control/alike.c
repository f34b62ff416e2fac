/* alike.c -- executions of a test that begin alike, though they are made in one process. */
#include "control/alike.h"

#include <stddef.h>

#include "base/hash.h"
#include "case/case.h"
#include "control/sched/left.h"
#include "control/sched/sched.h"
#include "control/sched/seen.h"
#include "control/sched/undo.h"
#include "port/addresses.h"
#include "port/maps.h"
#include "port/statics.h"

static bool is_saved, never;
static uint64_t last; /* stands for all choices of the last execution; 0: nothing does */

/* Descriptors come last: others may open some of ours. */
static void save(void)
{
    rdl__statics_save();
    rdl__maps_save(rdl__is_own);
    if (!rdl__statics_problem)
        rdl__undo_save();
    rdl__remains_save();
}

/* The C library comes first: it may refer to blocks of the heap that will be gone. */
static void remove_traces(void)
{
    rdl__handles_restore();
    rdl__undo_restore();
    rdl__statics_restore(last);
    last = 0;
    rdl__maps_restore();
    rdl__remains_look(false);
}

void rdl__alike_begin(const struct rdl_test *test)
{
    if (never)
        return;
    rdl__left_begin(test);
    if (is_saved)
        remove_traces();
    else
        save();
    is_saved = true;
}

/* Executions that begin alike and make the same choices are the same. */
void rdl__alike_end(const struct rdl_case *t)
{
    const struct rdl__choice *choice = t->tape->choices, *end = choice + t->tape->count;
    uint64_t hash;

    if (!is_saved || !rdl__statics_are_watched() || t->outcome->verdict != RDL__PASSED ||
        rdl__limits_has(&rdl__sched.summary->limits, RDL__LIMIT_UNLIKE))
        return;
    hash = rdl__hash_bytes(&t->settings, sizeof t->settings) ^ t->outcome->hash;
    for (; choice < end; choice++) {
        hash = (hash ^ choice->index ^ choice->max << 32) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    last = rdl__combine(hash, t->left_out);
}

void rdl__alike_anew(void)
{
    if (is_saved) {
        remove_traces();
        rdl__maps_leave();
    }
    is_saved = false;
}

void rdl__alike_tell(void)
{
    if (is_saved && rdl__statics_problem)
        rdl__limit(RDL__LIMIT_UNLIKE, rdl__statics_problem, "");
    if (is_saved && rdl__maps_problem)
        rdl__limit(RDL__LIMIT_UNLIKE, rdl__maps_problem, "");
    if (is_saved && rdl__remains_words)
        rdl__limit(RDL__LIMIT_UNLIKE, rdl__remains_words, "");
    if (!rdl__addresses_are_fixed())
        rdl__limit(RDL__LIMIT_UNLIKE, "addresses differ from run to run", "");
}

void rdl__alike_last(struct rdl__limits *to)
{
    if (!is_saved || never)
        return;
    rdl__handles_restore();
    rdl__remains_look(true);
    if (rdl__remains_words)
        rdl__limits_add(to, RDL__LIMIT_UNLIKE, rdl__remains_words, "");
}

void rdl__alike_never(void)
{
    never = true;
}
