/* strategy.h -- which thread runs next?
 *
 * A strategy answers a few questions about an execution; it never sees a stack,
 * a tape or a primitive, so that it can be tried on a simulated program as well.
 * Whatever it answers is recorded on the tape, hence a strategy may use chance
 * as it likes and need not be repeatable.
 *
 * A strategy lives in the process that runs many executions.  An execution may
 * happen in a copy of that process (a fork): what begin and pick change of
 * the strategy's state is then lost with the copy; only what `ended` learns from
 * the summary stays. */
#ifndef RDL__STRATEGY_H
#define RDL__STRATEGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/random.h"
#include "base/text.h"
#include "control/sched/op.h"
#include "observe/limits.h"

enum {
    RDL__THREADS_MAX = 1024, /* that are alive at a time; a number is used again when its
                                thread has ended and been joined */
    RDL__THREAD_WORDS = RDL__THREADS_MAX / 64,
};

/* The execution, as a strategy sees it.  Kept up to date by the scheduler; a
 * strategy writes only what is marked so. */
struct rdl__view {
    uint32_t threads;                     /* numbers 0..threads-1 have been used */
    uint32_t enabled_count;               /* threads that could do their operation now */
    uint64_t enabled[RDL__THREAD_WORDS];  /* bit t: thread t could */
    uint32_t running;                     /* whose operation was the last */
    uint64_t points;                      /* places where there was a choice, this one included */
    struct rdl__op ops[RDL__THREADS_MAX]; /* what each stands before; if it is alive */
    uint64_t steps[RDL__THREADS_MAX];     /* operations each has come to, so far */
    uint32_t creator[RDL__THREADS_MAX];   /* who created it */

    struct rdl__random random; /* for strategies: draw from it freely */
    /* A strategy may set this when it has picked the running thread: it would do
     * so again at the next `quiet` points of that thread, unless the set of
     * enabled threads changes before, or the thread comes to a polite operation.
     * 0 whenever the strategy is asked. */
    uint64_t quiet;
    /* For strategies: what stands here when an operation is done is kept with it in
     * the log.  So `ended` hears of what `pick` knew, even from another process. */
    uint64_t note;
};

static inline bool rdl__is_enabled(const struct rdl__view *view, uint32_t thread)
{
    return view->enabled[thread / 64] >> (thread % 64) & 1;
}

/* The first enabled thread from `from` on, going round; there must be one. */
static inline uint32_t rdl__enabled_from(const struct rdl__view *view, uint32_t from)
{
    for (uint32_t t = from;; t = 0)
        for (; t < view->threads; t++) {
            uint64_t rest = view->enabled[t / 64] >> (t % 64);

            if (rest & 1)
                return t;
            if (rest == 0)
                t |= 63;
        }
}

/* The n-th enabled thread, counted from 0. */
static inline uint32_t rdl__enabled_nth(const struct rdl__view *view, uint32_t n)
{
    uint32_t word = 0;
    uint64_t bits;

    for (;; word++) {
        uint32_t here = (uint32_t)__builtin_popcountll(view->enabled[word]);

        if (n < here)
            break;
        n -= here;
    }
    for (bits = view->enabled[word]; n > 0; n--)
        bits &= bits - 1;
    return word * 64 + (uint32_t)__builtin_ctzll(bits);
}

/* One operation that was done, in the order of the execution; or an answer of
 * `choose` (see below), which comes after the operation it was given in. */
struct rdl__log_entry {
    struct rdl__op op;
    uint32_t thread;
    uint32_t enabled_count; /* threads it was picked from; 1: nobody was asked */
    uint32_t chosen;        /* the answer + 1; 0: this is an operation */
    uint32_t other;         /* CREATE: who was created.  START: the creator.  JOIN: who was
                               joined.  An answer: the largest possible */
    uint64_t enabled;       /* bit t: thread t < 64 could have done its operation instead */
    uint64_t note;          /* view->note at that time */
};

enum { RDL__LOG_ROOM = 1 << 16 };

/* What is known of an execution when it has ended.  It lies in memory that
 * outlives the execution's process. */
struct rdl__summary {
    uint64_t points;   /* places where there was a choice */
    uint64_t steps;    /* operations, all in all */
    uint32_t threads;  /* the most numbers used */
    uint32_t alive;    /* threads that had not ended when all ended */
    uint32_t switches; /* and, of these, */
    uint32_t preemptions;
    uint64_t hash;    /* of the order of operations: equal executions have equal ones */
    uint64_t choices; /* on the tape, of who runs and of who is woken */
    bool answered;    /* some of them were not about who runs */
    bool data_drawn;  /* the case drew data as well: schedules alone do not decide it */
    bool polite;      /* somebody offered its turn to others */
    bool timed;       /* somebody waited for a time: who can go depends on how much was done */
    bool unasked;     /* there were choices about which the strategy was not asked */
    bool by_chance;   /* a fault could have come about, and chance decided */
    bool unseen;      /* code between operations may touch memory without our seeing it */
    bool stacks;      /* a thread touched another's stack, of which nobody knew */
    bool ends;        /* a thread looked whether another has ended */
    bool detaches;    /* a thread that another joins was detached, before or meanwhile */
    bool kept_out;    /* an order was left open, and somebody did not come to its place in it */
    bool volatile_shared;  /* volatile accesses were met that race, as C has it, */
    bool volatile_ordered; /* and put others in order */
    bool failed;
    bool cut;           /* ended before its end, other than by a failure */
    bool wants_log;     /* set by a strategy's begin; without it the log stays empty */
    uint32_t log_count; /* operations logged */
    bool log_full;      /* there were more */
    /* Behind those, if an execution failed before the end of all of its threads: what
     * they stood before.  enabled_count is 1 if the thread could have gone on, else 0. */
    uint32_t pending_count;
    struct rdl__log_entry log[RDL__LOG_ROOM];
    struct rdl__limits limits; /* facts that limit what a pass may claim */
    uint32_t chances_in_vain;  /* how often, in a row, this and earlier executions have waited for
                                  what did not come from outside: kept, as the only one */
};

/* What a strategy has tried.  It counts and does not claim: what may be said of it depends
 * on more than the strategy knows (check/covered.h). */
enum rdl__counted {
    RDL__DIFFERENT,       /* schedules that differ in some operation */
    RDL__SCHEDULES,       /* every one once */
    RDL__DISTINGUISHABLE, /* schedules that differ in the order of operations that conflict */
    RDL__ORDERS,          /* of calls */
};

struct rdl__tally {
    uint64_t schedules;
    bool at_least; /* there may have been more than that */
    bool done;     /* nothing of what the strategy would try is left, */
    enum rdl__counted of;
    bool fair;        /* which leaves out schedules in which a thread asks again and again, */
    bool by_design;   /* all but the one or few that it is made for, */
    char bound[48];   /* and those with more than "2 preemptions"; "": none */
    uint32_t threads; /* the most that an execution had at a time */
};

struct rdl__strategy {
    const char *name;
    const char *help; /* one line */
    bool has_parameter;
    unsigned parameter, least; /* its default, and the least that makes sense */
    size_t state_size;         /* zeroed before init */
    /* May be NULL.  parameter: what stands after the colon in "pct:5", or the default. */
    void (*init)(void *state, uint64_t seed, unsigned parameter);
    void (*release)(void *state); /* may be NULL */

    /* Another execution begins.  view->random is seeded, no thread is there yet.
     * False: there is nothing left to try, all executions have been made.  May
     * set summary->wants_log. */
    bool (*begin)(void *state, struct rdl__view *view, struct rdl__summary *summary);

    /* Who is next?  Called when there is a choice: at least two threads are
     * enabled.  view->running may be among them (it has come to its next
     * operation) or not (it is blocked, or has ended).  The answer is an enabled
     * thread, which then does its operation. */
    uint32_t (*pick)(void *state, struct rdl__view *view);

    /* A choice that is none of threads, such as which of several waiters a signal
     * wakes: 0..max.  NULL: by chance. */
    uint32_t (*choose)(void *state, struct rdl__view *view, uint32_t max);

    /* An execution has ended.  May be NULL. */
    void (*ended)(void *state, const struct rdl__summary *summary);

    /* What has been tried so far.  May be NULL: then only different schedules are counted. */
    void (*count)(const void *state, struct rdl__tally *out);
};

/* All strategies, by name; NULL at the end.  The first one is the default. */
extern const struct rdl__strategy *const rdl__strategies[];

/* "pct" or "pct:5".  NULL: there is no such strategy, or it takes no such parameter. */
const struct rdl__strategy *rdl__strategy_named(const char *name, unsigned *out_parameter);

#endif
