/* clocks.h -- clocks that lie with memory: what a thread has told whoever comes there next.
 *
 * Invariant:  no two objects share a byte.  Entries of an earlier execution count as none, so that
 *             nothing needs to be cleared.
 * Memory:     the table and the room for clocks are kept from one execution to the next.
 *
 * order.c says what is told; here is where it lies.  Operations on locks find it inline. */
#ifndef RDL__CLOCKS_H
#define RDL__CLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

/* Instead of a column: nobody, and more than one. */
#define RDL__NOBODY UINT32_MAX
#define RDL__MANY   (UINT32_MAX - 1)

enum {
    RDL__CLOCK_FEW = 8, /* each clock has room for so many numbers at least */
    RDL__WORD = 8,      /* bytes */
};

/* Some of eight bytes.  Operations on the same bytes may have different sizes; so that each of them
 * finds what the others left, no two objects share a byte. */
struct rdl__object {
    uintptr_t word;     /* the address of the eight bytes, */
    uint64_t execution; /* in which it was written; another one: the entry is free */
    uint32_t *clock;
    uint32_t count, room; /* numbers in it; the rest are 0 */
    /* If its clock is that of one thread at one time: which (a column), and when.
     * Whoever can see that far need not read on. */
    uint32_t whose, when;
    uint32_t head;     /* who began the release sequence that it is at; RDL__NOBODY, RDL__MANY */
    uint32_t *assumed; /* its clock's twin; NULL: that says the same */
    uint32_t assumed_count, assumed_room;
    uint8_t bytes; /* which of the eight: bits; 0: none any more */
};

extern struct rdl__objects {
    struct rdl__object *all;
    size_t room, used; /* entries; room is a power of two, or 0 */
    uint32_t columns;  /* numbers of a clock that mean anything */
    uint64_t execution;
} rdl__objects;

/* A new execution: there is no object, and no column. */
void rdl__objects_begin(void);

/* A part of some memory that lies in one word. */
struct rdl__part {
    uintptr_t word;
    uint8_t bytes;
};

static inline struct rdl__part rdl__part_of(uintptr_t address, uintptr_t end)
{
    unsigned from = address & (RDL__WORD - 1);
    unsigned to =
        end - address < RDL__WORD - from ? from + (unsigned)(end - address) : (unsigned)RDL__WORD;

    return (struct rdl__part){.word = address - from,
                              .bytes = (uint8_t)((1u << to) - (1u << from))};
}

static inline size_t rdl__object_place(uintptr_t word)
{
    return rdl__mix(word) & (rdl__objects.room - 1);
}

/* The next entry of this word, from a place on; NULL: there is none, and the place is free. */
static inline struct rdl__object *rdl__object_entry(uintptr_t word, size_t *in_out_at)
{
    for (;; ++*in_out_at) {
        struct rdl__object *object = &rdl__objects.all[*in_out_at & (rdl__objects.room - 1)];

        if (object->execution != rdl__objects.execution)
            return NULL;
        if (object->word == word)
            return object;
    }
}

/* The next object with one of these bytes. */
static inline struct rdl__object *rdl__object_from(uintptr_t word, uint8_t bytes, size_t *in_out_at)
{
    struct rdl__object *object;

    while ((object = rdl__object_entry(word, in_out_at)) && !(object->bytes & bytes))
        ++*in_out_at;
    return object;
}

/* The only object that has any of these bytes, if what stands in the first place tells: it has
 * these and no others.  NULL: it does not, unless nothing stands there (*out_none). */
static inline struct rdl__object *rdl__object_at_once(struct rdl__part part, bool *out_none)
{
    struct rdl__object *object = &rdl__objects.all[rdl__object_place(part.word)];

    *out_none = object->execution != rdl__objects.execution;
    return !*out_none && object->word == part.word && object->bytes == part.bytes ? object : NULL;
}

void rdl__objects_grow(void);

/* Make room for all the objects that a word can have: none moves from now on. */
static inline void rdl__objects_reserve(void)
{
    if (rdl__objects.used + RDL__WORD > rdl__objects.room / 2)
        rdl__objects_grow();
}

/* An object of these bytes, which no other has.  There is room. */
struct rdl__object *rdl__object_new(uintptr_t word, uint8_t bytes);

/* It knows nothing, and nobody has begun a release sequence that it is at. */
void rdl__object_forget(struct rdl__object *object);

/* Its clock has all columns from here on; it has a twin, with all columns. */
void rdl__object_extend(struct rdl__object *object);
void rdl__object_assume(struct rdl__object *object);

/* The one object of these bytes; what others knew of them is forgotten. */
struct rdl__object *rdl__object_of_all(uintptr_t word, uint8_t bytes);

/* Now each of these bytes has an object, and no other byte has one of those. */
void rdl__object_cut(uintptr_t word, uint8_t bytes);

#endif
