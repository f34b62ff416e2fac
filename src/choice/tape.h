/* tape.h -- every decision of a case, in one sequence of choices.
 *
 * A choice is an index from 0 to max; 0 is the simplest answer.  What it means
 * is the drawer's business: an integer zig-zags around its simplest value, a
 * boolean is 0 or 1, a double counts simple numbers first.  Because every
 * choice looks alike, everything that makes, edits, stores or replays a case
 * works on all of them.
 *
 * Spans say which choices belong together: one element of a list, one call of
 * a generator.  They nest, and they are all the shrinker knows about structure.
 *
 * A choice comes from chance, from a feed (an earlier case, perhaps edited) or
 * from bytes (a fuzzer).  What was really chosen is always recorded.
 *
 * Memory: the arrays belong to whoever made the tape; in a worker they lie in
 * memory shared with its parent, so that they survive a crash. */
#ifndef RDL__TAPE_H
#define RDL__TAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/random.h"

enum rdl__choice_kind {
    RDL__INTEGER,
    RDL__BOOLEAN,
    RDL__MORE,    /* does the list go on?  0 ends it (or, with max 0, does not) */
    RDL__DOUBLE,  /* see generate/doubles.c for the order */
    RDL__BRANCH,  /* which alternative: lowering it changes what follows */
    RDL__SWITCH,  /* which thread is next: its number */
    RDL__STRETCH, /* how far it gets before it is preempted; 0: it is not */
    RDL__ANSWER,  /* which of those that wait is woken, what goes wrong by itself */
};

/* The last three are about threads: the schedule.  All others are data. */
static inline bool rdl__is_turn(enum rdl__choice_kind kind)
{
    return kind >= RDL__SWITCH;
}

struct rdl__choice {
    uint64_t index; /* invariant: index <= max */
    uint64_t max;
    uint64_t below; /* integers: how many values lie below the simplest one */
    uint16_t depth; /* how many spans were open */
    uint16_t low;   /* the fewest that were open since the choice before */
    uint8_t kind;
};

#define RDL__NONE UINT32_MAX

struct rdl__span {
    uint32_t start, end; /* choices start..end-1 */
    uint32_t label;
    uint32_t parent; /* RDL__NONE at the top */
    uint16_t depth;  /* of the choices directly in it */
};

enum rdl__then { RDL__THEN_ZERO, RDL__THEN_RANDOM, RDL__THEN_STOP };

/* Choices to be made again.  Where an index is too large for the choice it
 * falls to, the largest possible one is taken. */
struct rdl__feed {
    const uint64_t *indexes;
    const uint8_t *shapes; /* if given, a choice of another shape is a stop: stale */
    uint32_t count;
    enum rdl__then then; /* what comes after the last index */

    /* At this index, answer 0 until the span whose inside has depth fill_depth
     * has ended, then go on: "the rest of this span in its simplest form",
     * however many choices that takes.  RDL__NONE: nowhere. */
    uint32_t fill_at;
    uint16_t fill_depth;
    bool fill_whole; /* the span begins here; else we are already in it */
};

/* Where in a feed we are.  Shared by the tape and by the shrinker's memory of
 * earlier runs, which must agree on what a feed means. */
struct rdl__cursor {
    struct rdl__feed feed;
    uint32_t next;
    bool filling;
};

enum rdl__tape_stop {
    RDL__TOO_LONG, /* the limit on choices was reached */
    RDL__STALE,    /* a strict feed did not fit */
};

struct rdl__tape {
    struct rdl__choice *choices;
    uint32_t count;
    uint32_t limit; /* the most choices a case may make */
    struct rdl__span *spans;
    uint32_t span_count;
    uint32_t span_limit; /* spans beyond it are not kept; nothing else changes */
    uint32_t open;       /* innermost open span, RDL__NONE if none */
    /* Wider than what a choice keeps of them: side by side as halves they were
     * read as one word, just after being written as two, which stalls. */
    uint32_t depth, low;

    bool fresh;       /* choices come from chance */
    bool fresh_turns; /* and so does, whatever the rest comes from, which thread runs */
    struct rdl__random random;
    struct rdl__cursor cursor;
    const uint8_t *bytes; /* if not NULL, choices come from these */
    size_t byte_count, byte_next;
    size_t more_next;    /* where they stood when a list last went on, */
    uint16_t more_depth; /* and how deep it was */

    /* Ends the case; does not return. */
    void (*stop)(void *context, enum rdl__tape_stop why);
    void *stop_context;
};

/* Start a new recording; one of the tape_from functions says where from. */
void rdl__tape_start(struct rdl__tape *tape);
void rdl__tape_from_random(struct rdl__tape *tape, uint64_t seed);
void rdl__tape_from_feed(struct rdl__tape *tape, const struct rdl__feed *feed, uint64_t seed);
void rdl__tape_from_data(struct rdl__tape *tape, const struct rdl__feed *feed, uint64_t seed);
void rdl__tape_from_bytes(struct rdl__tape *tape, const uint8_t *bytes, size_t count);
void rdl__tape_finish(struct rdl__tape *tape); /* closes what is still open */

/* What the feed says to a choice made at this depth.  False: it has ended. */
bool rdl__cursor_next(struct rdl__cursor *cursor, uint16_t depth, uint16_t low, uint64_t max,
                      uint64_t *out_index);

/* The index that a source other than chance gives. */
uint64_t rdl__tape_given(struct rdl__tape *tape, enum rdl__choice_kind kind, uint64_t max,
                         uint64_t below);

/* If choices come from bytes: the next one, 0 after the last; else false. */
bool rdl__tape_byte(struct rdl__tape *tape, uint8_t *out_byte);

/* Choices are to be made again, and there are no more of them: whatever were asked now
 * would be one too many. */
static inline bool rdl__tape_is_spent(const struct rdl__tape *tape)
{
    const struct rdl__cursor *cursor = &tape->cursor;

    return !tape->fresh && !tape->bytes && cursor->feed.then == RDL__THEN_STOP &&
           cursor->next >= cursor->feed.count;
}

/* Forget all choices from this one on. */
void rdl__tape_cut(struct rdl__tape *tape, uint32_t count);

void rdl__tape_full(struct rdl__tape *tape);

static inline void rdl__record(struct rdl__tape *tape, enum rdl__choice_kind kind, uint64_t index,
                               uint64_t max, uint64_t below)
{
    if (__builtin_expect(tape->count >= tape->limit, 0))
        rdl__tape_full(tape);
    tape->choices[tape->count++] = (struct rdl__choice){
        .index = index,
        .max = max,
        .below = below,
        .depth = (uint16_t)tape->depth,
        .low = (uint16_t)tape->low,
        .kind = (uint8_t)kind,
    };
    tape->low = tape->depth;
}

/* A choice in which every index is as likely as any other. */
static inline uint64_t rdl__choose(struct rdl__tape *tape, enum rdl__choice_kind kind, uint64_t max)
{
    uint64_t index =
        tape->fresh ? rdl__random_upto(&tape->random, max) : rdl__tape_given(tape, kind, max, 0);

    rdl__record(tape, kind, index, max, 0);
    return index;
}

static inline void rdl__span_begin(struct rdl__tape *tape, uint32_t label)
{
    tape->depth++;
    if (__builtin_expect(tape->span_count >= tape->span_limit, 0))
        return;
    tape->spans[tape->span_count] = (struct rdl__span){
        .start = tape->count,
        .end = RDL__NONE,
        .label = label,
        .parent = tape->open,
        .depth = (uint16_t)tape->depth,
    };
    tape->open = tape->span_count++;
}

static inline void rdl__span_end(struct rdl__tape *tape)
{
    uint32_t open = tape->open;

    if (open != RDL__NONE && tape->spans[open].depth == tape->depth) {
        tape->spans[open].end = tape->count;
        tape->open = tape->spans[open].parent;
    }
    tape->depth--;
    if (tape->depth < tape->low)
        tape->low = tape->depth;
}

/* A byte that differs, very likely, for choices of different shape. */
static inline uint8_t rdl__shape(enum rdl__choice_kind kind, uint64_t max, uint64_t below)
{
    return (uint8_t)rdl__mix(rdl__mix(max + kind) ^ below);
}

/* Integers zig-zag around their simplest value: offsets 0, 1, -1, 2, -2, ...
 * and, when one side is used up, the rest of the other side. */
struct rdl__offset {
    uint64_t distance;
    bool negative; /* false for distance 0 */
};

static inline struct rdl__offset rdl__offset_of(uint64_t index, uint64_t max, uint64_t below)
{
    uint64_t above = max - below;
    uint64_t both = below < above ? below : above;

    if (index <= 2 * both)
        return (struct rdl__offset){(index >> 1) + (index & 1), !(index & 1) && index};
    return (struct rdl__offset){index - both, below > above};
}

/* The other way round; the distance must be possible on that side. */
static inline uint64_t rdl__index_of(struct rdl__offset offset, uint64_t max, uint64_t below)
{
    uint64_t above = max - below;
    uint64_t both = below < above ? below : above;

    if (offset.distance <= both)
        return 2 * offset.distance - (!offset.negative && offset.distance);
    return both + offset.distance;
}

/* How far a value can lie from the simplest one on that side. */
static inline uint64_t rdl__reach(bool negative, uint64_t max, uint64_t below)
{
    return negative ? below : max - below;
}

#endif
