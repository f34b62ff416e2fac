/* spawn.h -- does the creator of a thread run on, or may the thread go at once?
 *
 * Creating threads takes time, during which those already there run.  A bug that
 * needs all of them at their beginning is then hard to meet by chance.  So in
 * half of all executions by chance a new thread is not picked until its creator
 * had to wait, or was polite: by then it has created whatever it creates.
 *
 * Interface:  a strategy calls rdl__spawn_begin in its `begin`, and in its `pick`
 *             chooses from what rdl__eligible returns. */
#ifndef RDL__SPAWN_H
#define RDL__SPAWN_H

#include "control/strategy/strategy.h"

/* Threads one may pick from: bit t of the words. */
struct rdl__set {
    const uint64_t *words;
    uint32_t word_count; /* words after these are 0 */
    uint32_t count;      /* of threads; at least 1 */
};

struct rdl__spawn {
    bool first;                           /* creators run on, in this execution */
    uint64_t past[RDL__THREAD_WORDS];     /* threads that are not held back any more */
    uint64_t eligible[RDL__THREAD_WORDS]; /* what rdl__eligible returned last */
};

void rdl__spawn_begin(struct rdl__spawn *spawn, struct rdl__view *view);

/* What is left of the enabled threads when new ones are held back. */
struct rdl__set rdl__hold_back(struct rdl__spawn *spawn, const struct rdl__view *view);

static inline struct rdl__set rdl__eligible(struct rdl__spawn *spawn, const struct rdl__view *view)
{
    if (spawn->first)
        return rdl__hold_back(spawn, view);
    return (struct rdl__set){view->enabled, (view->threads + 63) / 64, view->enabled_count};
}

static inline bool rdl__is_polite(const struct rdl__view *view, uint32_t thread)
{
    return view->ops[thread].flags & RDL__OP_POLITE;
}

static inline bool rdl__set_has(const struct rdl__set *set, uint32_t thread)
{
    return set->words[thread / 64] >> (thread % 64) & 1;
}

/* The n-th thread of the set, counted from 0. */
uint32_t rdl__set_nth(const struct rdl__set *set, uint32_t n);

/* The first one from `from` on, going round. */
uint32_t rdl__set_from(const struct rdl__set *set, uint32_t from);

/* A random priority, above 0, that tells whose it is: so the highest of several is
 * found without a branch that nobody could predict. */
static inline uint64_t rdl__priority(struct rdl__random *random, uint32_t thread)
{
    uint64_t own = RDL__THREADS_MAX - 1;

    return UINT64_C(1) << 63 | (rdl__random_next(random) & ~own) | thread;
}

static inline uint32_t rdl__priority_of(uint64_t priority)
{
    return priority & (RDL__THREADS_MAX - 1);
}

/* Go through a set:  for (struct rdl__walk w = rdl__walk(&set); rdl__walk_next(&w);)
 *                        ... w.thread ... */
struct rdl__walk {
    const struct rdl__set *set;
    uint64_t rest; /* of the word */
    uint32_t word;
    uint32_t thread;
};

static inline struct rdl__walk rdl__walk(const struct rdl__set *set)
{
    return (struct rdl__walk){.set = set, .rest = set->words[0]};
}

static inline bool rdl__walk_next(struct rdl__walk *walk)
{
    while (walk->rest == 0) {
        if (++walk->word >= walk->set->word_count)
            return false;
        walk->rest = walk->set->words[walk->word];
    }
    walk->thread = walk->word * 64 + (uint32_t)__builtin_ctzll(walk->rest);
    walk->rest &= walk->rest - 1;
    return true;
}

#endif
