/* program.h -- a compiled spec: places that a configuration can be at, and what it carries.
 *
 * A configuration is a place and some words of memory.  Which words are whose is fixed when the
 * spec is compiled; all of them are 0 where they are not in use, so that configurations that
 * mean the same are the same. */
#ifndef RDL__PROGRAM_H
#define RDL__PROGRAM_H

#include <string.h>

#include "base/memory.h"
#include "events/events.h"

#define RDL__NOWHERE UINT32_MAX

enum rdl__place_kind {
    /* where a configuration waits: */
    RDL__PLACE_EVENT,  /* for one of some events: after it, on */
    RDL__PLACE_EVENTS, /* for all of some events */
    RDL__PLACE_ACTION, /* for the test to do something */
    RDL__PLACE_END,    /* for what a block requires */
    RDL__PLACE_PARTS,  /* for what the parts of an interleaving wait for, each at a place */
    RDL__PLACE_COPIES, /* the same, of copies that begin when they like */
    RDL__PLACE_STOP,   /* for nothing any more */
    /* and where it does not: */
    RDL__PLACE_FORK,  /* to several places */
    RDL__PLACE_SPLIT, /* into the parts of an interleaving */
    RDL__PLACE_JOIN,  /* one of the parts is over; if all are, it goes on behind them */
    RDL__PLACE_ENTER, /* a block: it requires all it does, its time begins to run */
    RDL__PLACE_LEAVE,
    RDL__PLACE_LOOP,  /* it begins */
    RDL__PLACE_AGAIN, /* one time round it is over */
};

struct rdl__place {
    enum rdl__place_kind kind;
    const struct rdl_step *step;
    uint32_t next;
    uint32_t scope;
    uint32_t first, count; /* of the wanted, or of the targets: of a fork, of each part */
    uint32_t word;         /* EVENTS: which have come; PARTS, COPIES: where they are */
    uint32_t loop;
    uint32_t tag; /* FORK: which, plus 1; or 0 */
    uint32_t copies;
    uint32_t inside, part;        /* of which interleaving (its PARTS); or RDL__NOWHERE */
    enum rdl__effect_kind effect; /* of an event that is waited for */
};

/* An event that is waited for. */
struct rdl__wanted {
    uint32_t pattern;
    uint32_t twin; /* the one before with the same pattern, or RDL__NOWHERE */
    const struct rdl_step *step;
};

struct rdl__rule {
    uint32_t pattern;
    const struct rdl_step *step;
};

/* What holds in a block, and in those around it. */
struct rdl__scope {
    uint32_t parent;
    uint32_t first_rule, rule_count;
    uint32_t first_required, required_count; /* of the wanted */
    uint32_t word;                           /* which have come */
    uint32_t deadline;                       /* of the words, or RDL__NOWHERE */
    uint64_t deadline_ns;
    uint64_t loops; /* those it is in that may go round without an event: their bits */
    const struct rdl_step *step;
};

struct rdl__loop {
    uint32_t min, max;
    uint32_t word; /* how often it has gone round */
    uint64_t bit;  /* whether anything has happened this time; 0: something must have */
    uint32_t body, exit;
};

/* Alternatives that are taken together: which, plus 1, is in a word. */
struct rdl__tag {
    const struct rdl_step *step; /* one that has it */
    uint32_t word;
};

/* Copies of the same steps, one after the other: so many places and words each.
 * Some of them have begun, and are sorted; the next one waits for its first event.  How many have
 * begun is in the word after those of their places. */
struct rdl__copies {
    uint32_t places;
    uint32_t word, words;
};
enum { RDL__COPIES_MOST = 8 };
#define RDL__BEGINNING (UINT64_C(1) << 32) /* the next one is on its way there */

struct rdl__kept {
    const struct rdl_slot *slot;
    uint32_t word;
    uint32_t is_set; /* bit of the second word */
};

/* words[0]: loops in which something has happened, while it is on its way; words[1]: slots that
 * are set. */
enum { RDL__WORD_LOOPS, RDL__WORD_SLOTS, RDL__WORDS_FIXED };

struct rdl__program {
    struct rdl__place *places;
    uint32_t place_count, place_room;
    uint32_t start;
    uint32_t *targets;
    uint32_t target_count, target_room;
    struct rdl__wanted *wanted;
    uint32_t wanted_count, wanted_room;
    struct rdl__rule *rules;
    uint32_t rule_count, rule_room;
    struct rdl__scope *scopes;
    uint32_t scope_count, scope_room;
    struct rdl__loop *loops;
    uint32_t loop_count, loop_room;
    uint32_t nullable_loops; /* bits that are taken */
    struct rdl__kept *kept;
    uint32_t kept_count, kept_room;
    struct rdl__copies *copies;
    uint32_t copies_count, copies_room;
    struct rdl__tag *tags;
    uint32_t tag_count, tag_room;
    const struct rdl_step **otherwise;
    uint32_t otherwise_count, otherwise_room;
    const struct rdl_pattern **patterns; /* each once */
    uint32_t pattern_count, pattern_room;
    bool *has_slots; /* for each: is it about slots, too? */
    uint32_t has_slots_room;
    uint32_t words;     /* how many; the last of them are: */
    uint32_t shared;    /* of slots and tags */
    uint32_t deadlines; /* and, after those, of deadlines */
    size_t reply_size;  /* of the largest */
    struct rdl__arena arena;
    struct rdl__text warnings;
};

/* The same slot may have been declared in several files, by a header. */
static inline bool rdl__are_one_slot(const struct rdl_slot *a, const struct rdl_slot *b)
{
    return a == b || (a->size == b->size && strcmp(a->name, b->name) == 0);
}

/* Where a part of an interleaving, or a copy, is.  Its word counts from where all of them are, and
 * from where the copies before it end, so that all copies are alike. */
static inline uint32_t rdl__base_of(const struct rdl__program *p, uint32_t at, uint32_t part)
{
    const struct rdl__place *place = &p->places[at];

    return place->kind == RDL__PLACE_COPIES ? at + part * p->copies[place->copies].places : at;
}

static inline uint32_t rdl__part_at(const struct rdl__program *p, const uint64_t *words,
                                    uint32_t at, uint32_t part)
{
    return rdl__base_of(p, at, part) + (uint32_t)words[p->places[at].word + part];
}

/* How many of them are on their way. */
static inline uint32_t rdl__part_count(const struct rdl__program *p, const uint64_t *words,
                                       uint32_t at)
{
    const struct rdl__place *place = &p->places[at];

    return place->kind == RDL__PLACE_PARTS    ? place->count
           : place->kind == RDL__PLACE_COPIES ? (uint32_t)words[place->word + place->count] + 1
                                              : 0;
}

/* Up to which of the blocks around a place all belongs to it alone: for a part of an interleaving,
 * what lies around all of them is asked for all of them together. */
static inline uint32_t rdl__limit_of(const struct rdl__program *p, const struct rdl__place *place)
{
    return place->inside == RDL__NOWHERE ? RDL__NOWHERE : p->places[place->inside].scope;
}

/* Is what takes an event as one of these steps answered in the same way?  A call need not say its
 * answer. */
static inline bool rdl__answer_alike(const struct rdl_step *a, const struct rdl_step *b)
{
    size_t size = a->value && b->value ? a->value_size : 0;

    return a->reply == b->reply && a->port == b->port && a->value_size == b->value_size &&
           a->blocks == b->blocks && (a->value_size == 0 || !a->value == !b->value) &&
           (size == 0 || memcmp(a->value, b->value, size) == 0);
}

/* Is what the automaton can do ambiguous?  False: error says how, by a shortest stream. */
bool rdl__program_check(struct rdl__program *program, struct rdl__error *error);

#endif
