/* touched.h -- who touched what, and when: the entries of a log by what they touch.
 *
 * So that, of a long log, only those entries are looked at that may conflict with
 * another.  Memory is taken in blocks; an operation belongs to a block or two, and to
 * that of its second object.  Those that touch a wide stretch belong to none, but to
 * all: they are found whatever is looked for. */
#ifndef RDL__TOUCHED_H
#define RDL__TOUCHED_H

#include "control/sched/op.h"

enum { RDL__BLOCKS_MAX = 4 }; /* that one operation may have to look at */

struct rdl__touch_link {
    uint32_t entry;  /* of the log, plus one */
    uint32_t before; /* the link of the same block and life before this; 0: none */
};

struct rdl__touched {
    struct rdl__touch_slot *slots; /* a hash table: block and life to their last link */
    uint32_t slot_room;
    uint32_t epoch;
    struct rdl__touch_link *links; /* the first is not used */
    uint32_t link_count, link_room;
};

void rdl__touched_release(struct rdl__touched *touched);

/* Forget everything; make room for so many entries. */
void rdl__touched_clear(struct rdl__touched *touched, uint32_t entries);

/* The blocks to look at for what may conflict with the operation; how many.  0: it
 * touches so much that all entries have to be looked at. */
uint32_t rdl__touched_blocks(const struct rdl__op *op, uint64_t out[RDL__BLOCKS_MAX]);

void rdl__touched_add(struct rdl__touched *touched, const struct rdl__op *op, uint32_t life,
                      uint32_t entry);

/* The last link of this block by this life; 0: none. */
uint32_t rdl__touched_last(const struct rdl__touched *touched, uint64_t block, uint32_t life);

#endif
