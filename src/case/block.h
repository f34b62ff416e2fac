/* block.h -- the memory that a report is about: a block of the heap, or a mapping, and how it came
 * to be.
 *
 * It lies on the board that a worker shares with its parent, and so it holds no pointers. */
#ifndef RDL__BLOCK_H
#define RDL__BLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "observe/steps.h"

enum rdl__block_kind { RDL__NO_BLOCK, RDL__HEAP_BLOCK, RDL__MAPPING };

/* Who made it, or freed it. */
struct rdl__block_act {
    char thread[48];             /* "": nobody knows */
    struct rdl__call_stack from; /* the callers are known only while steps are recorded */
};

struct rdl__block {
    enum rdl__block_kind kind;
    bool is_freed;
    uintptr_t start;
    uint64_t size;
    struct rdl__block_act made, freed;
};

#endif
