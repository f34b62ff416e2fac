/* shrink.h -- from a failing case to the simplest one that fails alike.
 *
 * Simpler is shorter, then smaller: fewer choices; of as many, the first that
 * differs is smaller.  With threads, what counts next to the data is how often one
 * is preempted, then how many stretches there are, then that preemptions come
 * late.  A pass proposes changed
 * tapes; rdl__consider is the one gate they all go through.  Passes are tried
 * until none finds anything.
 *
 * The shrinker does not know how a case is run: it is given a function. */
#ifndef RDL__SHRINK_H
#define RDL__SHRINK_H

#include "choice/tape.h"
#include "shrink/tree.h"

/* What a case made. */
struct rdl__made {
    struct rdl__choice *choices;
    uint32_t count;
    struct rdl__span *spans;
    uint32_t span_count;
};

enum rdl__ran {
    RDL__RAN_ELSE, /* it passed, was discarded, was cut, or failed in another way */
    RDL__RAN_FAIL, /* it fails like the case we began with */
    RDL__RAN_STOP, /* it could not run: give up, keep what there is */
};

typedef enum rdl__ran rdl__runner(void *context, const struct rdl__feed *feed, uint32_t limit,
                                  struct rdl__made *out_made);

struct rdl__shrinker {
    /* Run a case from this feed, with at most limit choices.  What it made is
     * lent until the next call. */
    rdl__runner *run;
    void *context;

    /* Called after every try, for progress; may be NULL. */
    void (*tried)(void *context, const struct rdl__shrinker *shrinker);
    uint64_t attempts_max; /* give up after so many runs */
    uint64_t deadline_ns;  /* and at this time; 0: never */
    bool data_first;       /* compare as rdl__compare_data does */
    bool thorough;         /* runs cost little: try what seldom helps, too */

    /* The rest is ours. */
    struct rdl__made best;
    uint32_t first_count; /* choices in the case we began with */
    struct rdl__tree tree;
    uint64_t attempts;
    uint64_t improvements;
    uint64_t improved_at; /* attempts when the last one was made */
    bool stopped;         /* gave up, or was told to stop: best may not be the simplest */
    uint32_t *around;     /* for each choice of best, the innermost span it lies in */
    uint64_t around_at;   /* improvements when that was found out */
    uint64_t *looked;     /* for each place, the index that was looked at closely; see lower.c */
    uint32_t looked_room;
    struct rdl__feed draft;
    uint64_t *draft_indexes;
    uint32_t draft_room;
};

/* Shrink the case in `first`, which fails.  The result is in shrinker->best. */
void rdl__shrink(struct rdl__shrinker *shrinker, const struct rdl__made *first);
void rdl__shrink_release(struct rdl__shrinker *shrinker);

/* Copy, so that it can be kept; free both arrays. */
void rdl__made_copy(struct rdl__made *to, const struct rdl__made *from);
void rdl__made_release(struct rdl__made *made);

/* Less than 0 if a is simpler than b. */
int rdl__compare(const struct rdl__choice *a, uint32_t a_count, const struct rdl__choice *b,
                 uint32_t b_count);

/* The same, but all data counts for more than any schedule. */
int rdl__compare_data(const struct rdl__made *a, const struct rdl__made *b);

/* ---- For passes ---------------------------------------------------------------
 *
 * A draft starts as the best tape; edit it, then consider it.  A pass returns
 * nothing: progress shows in shrinker->improvements.  Rules for passes:
 *   - after a success the best tape is another one: look again at what is there;
 *   - a success must not cost more than a failure;
 *   - do not repeat yourself until nothing changes: the rounds do that. */

void rdl__draft(struct rdl__shrinker *s);
void rdl__draft_set(struct rdl__shrinker *s, uint32_t at, uint64_t index);
void rdl__draft_cut(struct rdl__shrinker *s, uint32_t from, uint32_t to); /* [from, to) */
void rdl__draft_insert(struct rdl__shrinker *s, uint32_t at, const struct rdl__choice *choices,
                       uint32_t count);

/* From `at` on, the rest of the innermost span is to be in its simplest form. */
void rdl__draft_fill(struct rdl__shrinker *s, uint32_t at, uint32_t until, uint16_t depth,
                     bool whole);

/* Is the draft worth keeping?  Then it is the best tape now. */
bool rdl__consider(struct rdl__shrinker *s);

/* Has a pass that began at this number of attempts tried in vain for long? */
bool rdl__tired(const struct rdl__shrinker *s, uint64_t began);

/* Has the choice at this place, with the index it has now, been looked at? */
bool rdl__looked_at(const struct rdl__shrinker *s, uint32_t at);
void rdl__look_at(struct rdl__shrinker *s, uint32_t at);

/* The innermost span of best that a choice lies in; NULL at the top. */
const struct rdl__span *rdl__span_around(struct rdl__shrinker *s, uint32_t at);

/* The children of a span (RDL__NONE: of the whole tape), in order; as many as
 * fit.  Returns how many there are. */
uint32_t rdl__children(const struct rdl__made *made, uint32_t parent, uint32_t *out, uint32_t room);

/* The passes. */
void rdl__pass_leave_out(struct rdl__shrinker *s);        /* siblings, runs of siblings */
void rdl__pass_leave_out_runs(struct rdl__shrinker *s);   /* two to eight of them at once */
void rdl__pass_zero(struct rdl__shrinker *s);             /* many choices at once, whole spans */
void rdl__pass_branches(struct rdl__shrinker *s);         /* the earlier alternative */
void rdl__pass_descend(struct rdl__shrinker *s);          /* a span becomes one inside it */
void rdl__pass_lower(struct rdl__shrinker *s);            /* each choice */
void rdl__pass_lower_equal(struct rdl__shrinker *s);      /* those that are equal, together */
void rdl__pass_counted(struct rdl__shrinker *s);          /* a number and what it counts */
void rdl__pass_counted_elements(struct rdl__shrinker *s); /* the same inside of a list */
void rdl__pass_indexed(struct rdl__shrinker *s);          /* a list, and places in it */
void rdl__pass_merge(struct rdl__shrinker *s);            /* two lists in a row */
void rdl__pass_sort(struct rdl__shrinker *s);             /* siblings of a kind */
void rdl__pass_trade(struct rdl__shrinker *s);            /* a value for its neighbour's */
void rdl__pass_pairs(struct rdl__shrinker *s);            /* keep a sum, keep a difference, swap */
void rdl__pass_cut_runs(struct rdl__shrinker *s);         /* choices, wherever spans begin */
void rdl__pass_booleans(struct rdl__shrinker *s);         /* as late as possible */
void rdl__pass_schedule(struct rdl__shrinker *s);         /* context switches: none, or later */

/* Only if shrinking is to be thorough; of longer cases most tries are in vain. */
enum { RDL__THOROUGH_MAX = 400 };
void rdl__pass_balance(struct rdl__shrinker *s); /* one lower, others higher */
void rdl__pass_rename(struct rdl__shrinker *s);  /* two numbers that are names */
void rdl__pass_move(struct rdl__shrinker *s);    /* siblings, to an earlier place */
void rdl__pass_regroup(struct rdl__shrinker *s); /* elements, to the list before or after theirs */

#endif
