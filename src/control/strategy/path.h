/* path.h -- the path of an execution through the tree of all, and the next one.
 *
 * A systematic strategy visits the leaves of a tree depth first.  What it knows is
 * one path: per log entry who could go, who has been tried, who is still to be.
 * The next execution follows the path up to the last place where somebody is left
 * to be tried, lets that one go, and continues as the strategy likes; then the log
 * tells the rest of the path.
 *
 * Interface:  begin, follow and went are for the strategy's begin, pick and choose:
 *             they change only what is of one execution.  extend and next are for
 *             its `ended`: extend adds the new part of the path, on which the
 *             strategy marks who is to be tried, and next finds the place to go on.
 * Invariant:  the first `followed` turns are those that the next execution repeats;
 *             the script holds what it has to answer for that. */
#ifndef RDL__PATH_H
#define RDL__PATH_H

#include "control/strategy/fair.h"
#include "control/strategy/strategy.h"

/* What was decided for one log entry: who goes, or an answer. */
struct rdl__turn {
    uint64_t enabled; /* who could go, without those withheld (fair.h) */
    uint64_t todo;    /* who is to be tried here; the strategy adds to it */
    uint64_t done;    /* who has been, the one that goes included */
    uint64_t asleep;  /* who need not be tried here: the strategy's */
    uintptr_t pc;
    uint32_t thread;
    uint32_t answer, largest; /* largest > 0: this is an answer, not a turn of a thread */
    uint32_t script;          /* decisions before this one */
    uint32_t spent;           /* for the strategy */
    uint8_t kind;
    bool asked; /* there was a choice */
};

struct rdl__decision {
    uint32_t what; /* thread or answer */
    uint32_t turn; /* of which turn it is */
};

struct rdl__path {
    struct rdl__turn *turns;
    uint32_t count, room;
    struct rdl__decision *script;
    uint32_t script_count, script_room;
    uint32_t followed;
    bool lost;       /* the tree cannot be walked: the program does not only depend on us */
    bool withholds;  /* somebody was withheld: not all schedules, but all fair ones */
    bool incomplete; /* executions were cut off */

    /* Of one execution. */
    uint32_t at; /* decisions made */
    struct rdl__fair fair;
};

void rdl__path_release(struct rdl__path *path);

void rdl__path_begin(struct rdl__path *path, struct rdl__view *view);

uint32_t rdl__path_any(struct rdl__view *view); /* by chance */

/* Is it said who goes?  What the script says may turn out to be impossible: then it
 * is anybody, and `extend` will see that the path is lost. */
static inline bool rdl__path_follow(struct rdl__path *path, struct rdl__view *view,
                                    uint32_t *out_thread)
{
    if (__builtin_expect(path->at >= path->script_count && !path->lost, 0))
        return false;
    *out_thread = path->lost ? UINT32_MAX : path->script[path->at++].what;
    if (__builtin_expect(*out_thread >= 64 || !rdl__is_enabled(view, *out_thread), 0))
        *out_thread = rdl__path_any(view);
    return true;
}

/* The turn whose decision was made last, if it was given. */
static inline struct rdl__turn *rdl__path_here(const struct rdl__path *path)
{
    return &path->turns[path->script[path->at - 1].turn];
}

/* Who may go now?  Without those withheld. */
static inline uint64_t rdl__path_able(const struct rdl__path *path, const struct rdl__view *view)
{
    return view->enabled[0] & ~rdl__fair_withheld(&path->fair, view->enabled[0]);
}

/* This thread is picked. */
static inline void rdl__path_goes(struct rdl__path *path, const struct rdl__view *view,
                                  uint32_t thread)
{
    const struct rdl__op *op = &view->ops[thread];

    if (__builtin_expect((op->flags & RDL__OP_POLITE || path->fair.polite) && thread < 64, 0))
        rdl__fair_goes(&path->fair, view->enabled[0], thread, op);
}

/* Who goes if nothing else is to be said, one of those able: the running thread goes
 * on, unless it is polite; else the next one, preferably one that is not. */
uint32_t rdl__path_runs_on(const struct rdl__view *view, uint64_t able);

/* An answer, for choose. */
uint32_t rdl__path_answer(struct rdl__path *path, struct rdl__view *view, uint32_t max);

/* The execution has ended.  *out_first is the first turn that is new, which is the
 * last one followed.  False: the path is lost. */
bool rdl__path_extend(struct rdl__path *path, const struct rdl__summary *summary,
                      uint32_t *out_first);

/* Forget all turns from here on. */
void rdl__path_truncate(struct rdl__path *path, uint32_t count);

/* To the next execution.  False: there is none. */
bool rdl__path_next(struct rdl__path *path);

/* Begin at the root again. */
void rdl__path_restart(struct rdl__path *path);

/* Nothing is left to try: so many were tried, of these. */
struct rdl__tally rdl__path_tally(const struct rdl__path *path, uint64_t count,
                                  enum rdl__counted of);

#endif
