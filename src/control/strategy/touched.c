/* touched.c -- who touched what, and when: the entries of a log by what they touch. */
#include "control/strategy/touched.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"

enum { BLOCK_BITS = 6 };

#define WIDE UINT64_MAX /* the block of operations that touch more than two */

struct rdl__touch_slot {
    uint64_t block;
    uint32_t life;
    uint32_t epoch; /* another than that of the table: the slot is empty */
    uint32_t last;
};

void rdl__touched_release(struct rdl__touched *touched)
{
    free(touched->slots);
    free(touched->links);
    *touched = (struct rdl__touched){0};
}

void rdl__touched_clear(struct rdl__touched *touched, uint32_t entries)
{
    uint32_t links = entries * 3 + 1, slots = 1024;

    while (slots < links * 2)
        slots *= 2;
    if (slots > touched->slot_room) {
        free(touched->slots);
        touched->slots = rdl__allocate(slots * sizeof *touched->slots);
        touched->slot_room = slots;
        touched->epoch = 0;
    }
    if (links > touched->link_room) {
        touched->links = rdl__reallocate(touched->links, links * sizeof *touched->links);
        touched->link_room = links;
    }
    touched->link_count = 1;
    touched->epoch++;
}

/* Where the operation is entered; as many as three. */
static uint32_t blocks_of(const struct rdl__op *op, uint64_t out[RDL__BLOCKS_MAX])
{
    uint64_t first = op->object >> BLOCK_BITS;
    uint64_t last = (op->object + op->size - 1) >> BLOCK_BITS;
    uint32_t count = 0;

    if (op->touch && last > first + 1)
        out[count++] = WIDE;
    else if (op->touch) {
        out[count++] = first;
        if (last != first)
            out[count++] = last;
    }
    if (op->also)
        out[count++] = op->also >> BLOCK_BITS;
    return count;
}

uint32_t rdl__touched_blocks(const struct rdl__op *op, uint64_t out[RDL__BLOCKS_MAX])
{
    uint32_t count = blocks_of(op, out);

    if (count == 0 || out[0] == WIDE)
        return 0;
    out[count++] = WIDE;
    return count;
}

static struct rdl__touch_slot *slot_of(const struct rdl__touched *touched, uint64_t block,
                                       uint32_t life)
{
    uint64_t at = rdl__mix(block * 64 + life);

    for (;; at++) {
        struct rdl__touch_slot *slot = &touched->slots[at & (touched->slot_room - 1)];

        if (slot->epoch != touched->epoch || (slot->block == block && slot->life == life))
            return slot;
    }
}

void rdl__touched_add(struct rdl__touched *touched, const struct rdl__op *op, uint32_t life,
                      uint32_t entry)
{
    uint64_t blocks[RDL__BLOCKS_MAX];
    uint32_t count = blocks_of(op, blocks);

    for (uint32_t i = 0; i < count; i++) {
        struct rdl__touch_slot *slot = slot_of(touched, blocks[i], life);
        uint32_t before = slot->epoch == touched->epoch ? slot->last : 0;

        *slot = (struct rdl__touch_slot){blocks[i], life, touched->epoch, touched->link_count};
        touched->links[touched->link_count++] = (struct rdl__touch_link){entry, before};
    }
}

uint32_t rdl__touched_last(const struct rdl__touched *touched, uint64_t block, uint32_t life)
{
    const struct rdl__touch_slot *slot = slot_of(touched, block, life);

    return slot->epoch == touched->epoch ? slot->last : 0;
}
