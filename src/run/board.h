/* board.h -- the memory that a worker process shares with its parent.
 *
 * The parent writes a task on it; the worker does the task, and whatever
 * happens to the worker on the way, the tape of the case it was at is here.
 * Pointers on the board are good on both sides: the worker is a fork of the
 * parent, and the board was there before. */
#ifndef RDL__BOARD_H
#define RDL__BOARD_H

#include "base/error.h"
#include "case/case.h"
#include "control/explore.h"
#include "port/crash.h"

enum rdl__task_kind {
    RDL__RUN_RANDOM, /* many cases made by chance, until one fails */
    RDL__RUN_ANEW,   /* the same, to find a simpler case: they are not counted */
    RDL__RUN_ALL,    /* many cases in order: the feed is the first one */
    RDL__RUN_TURNS,  /* many cases with the data of the feed, until one fails */
    RDL__RUN_FEED,   /* one case */
    RDL__RUN_BYTES,  /* one case */
};

enum { RDL__KNOWN_MAX = 1024 };

struct rdl__task {
    enum rdl__task_kind kind;
    const struct rdl_test *test;
    struct rdl__settings settings;
    unsigned timeout_ms; /* of a case; 0: none */
    bool traced;
    bool keeps_examples; /* of search: the shortest case for each requirement */
    bool leaves_out;     /* random: in some cases, some operations of a spec are not called */

    uint64_t seed;                     /* random: of the run */
    uint64_t first, count;             /* random: which cases of the run */
    uint64_t ramp;                     /* random: sizes grow over so many cases */
    uint64_t known[RDL__KNOWN_MAX];    /* origins of failures that are known: not worth a stop, */
    uint64_t known_at[RDL__KNOWN_MAX]; /* from this case on */
    uint32_t known_count;
    uint64_t wanted; /* not 0: the one failure of interest, which ends the execution if it is a race
                        (RDL__ANY_RACE: any race does); other races are as if they were none */
    enum rdl__cause wanted_cause;      /* what that failure is */
    char strategy[RDL__STRATEGY_ROOM]; /* random, of tests with controlled threads */

    struct rdl__feed feed; /* its arrays are the board's */
    size_t byte_count;
};

/* The best case so far for something that rdl_maximise names. */
enum { RDL__TARGET_ROOM = 1 << 14 };
struct rdl__target {
    char name[RDL__NAME_ROOM];
    double value;
    uint32_t count;
    struct rdl__choice choices[RDL__TARGET_ROOM];
};

/* The shortest case so far that exercises a requirement; one that passes, if there is one. */
enum { RDL__EXAMPLE_ROOM = 1 << 13 };
struct rdl__example {
    bool is_there, passed;
    uint32_t count;
    struct rdl__settings settings;
};

static inline bool rdl__example_is_better(const struct rdl__example *a,
                                          const struct rdl__example *b)
{
    return a->passed != b->passed ? a->passed : a->count < b->count;
}

struct rdl__board {
    struct rdl__task task;
    struct rdl__outcome outcome; /* of the last case */
    struct rdl__tape tape;
    struct rdl__races races; /* that the last case has met */
    struct rdl__crash crash;
    struct rdl__stats stats;
    struct rdl__activity activity;
    uint64_t done;      /* cases ended since the board was made; the parent watches it */
    uint64_t failed_at; /* random: number of the failing case */
    uint64_t again[RDL__KNOWN_MAX]; /* how often each known failure was met */
    bool is_counted;                /* there, the outcome */
    bool exhausted;                 /* RDL__RUN_ALL: there are no more cases */
    bool retire;                    /* threads of a failed case are still running in the worker */
    bool targeting;                 /* some case has called rdl_maximise */
    bool exploring;                 /* the worker has a strategy for schedules: */
    char explores_by[RDL__STRATEGY_ROOM]; /* this one, */
    const struct rdl_test *explores;      /* for this test: with --no-fork there are others */
    bool hung;                     /* the process of an execution was ended: it took too long */
    volatile int child;            /* its number, while there is one; else 0 */
    int works_apart;               /* reading debugging information takes no time of a case */
    struct rdl__explored explored; /* controlled threads: what has been tried so far */
    uint32_t strict_next;          /* strict feed: which choice did not fit */
    char stop_text[1024];          /* why the worker stopped itself */

    struct rdl__trace trace;
    uint32_t target_count;
    struct rdl__target targets[RDL__SCORES_MAX];
    struct rdl__example examples[RDL__REQUIREMENTS_MAX];
    uint64_t example_indexes[RDL__REQUIREMENTS_MAX][RDL__EXAMPLE_ROOM];

    uint32_t choices_room;
    uint64_t *feed_indexes;
    uint8_t *feed_shapes;
    uint8_t *bytes;
    uint64_t *next_feed; /* RDL__RUN_ALL: the case after the last one that ended */
    uint32_t next_feed_count;
    size_t size; /* of the whole mapping */
};

/* The board of the worker that this process is; NULL: it is none. */
extern struct rdl__board *rdl__this_board;

/* Room for cases of so many choices, none of it touched yet. */
struct rdl__board *rdl__board_new(uint32_t choices_room, struct rdl__error *error);
void rdl__board_free(struct rdl__board *board);

/* Write a feed on the board.  Arrays are copied; feed->shapes may be NULL. */
void rdl__board_put_feed(struct rdl__board *board, const struct rdl__feed *feed);

/* What a crash, exit or hang left behind may be nonsense: make the tape one
 * that can be read. */
void rdl__board_repair(struct rdl__board *board);

#endif
