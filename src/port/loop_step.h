/* loop_step.h -- an instruction of a loop that may be one in which a thread waits. */
#ifndef RDL__LOOP_STEP_H
#define RDL__LOOP_STEP_H

#include <stdbool.h>
#include <stdint.h>

/* How far from where rbp and rsp point to locals may be that count as such. */
enum { RDL__RED_ZONE = 128, RDL__FRAME_MAX = 1 << 16, RDL__FRAME_LIKELY = 512 };

/* Registers and places on the stack, a bit each: 16 of the former, 16 for vectors, and the rest. */
typedef uint64_t rdl__loop_values;

struct rdl__loop_slots {
    struct rdl__loop_slot {
        bool is_below_rbp; /* else it is near to rsp */
        int64_t by;
    } all[32];
    int count;
    bool are_too_many; /* what is known of values is not all */
};

struct rdl__loop_step {
    uintptr_t behind;
    uintptr_t target;  /* 0: it neither jumps nor calls, or nobody knows where to */
    uint8_t condition; /* of a jump */
    bool falls;        /* the next one may be the one behind it */
    bool jumps, calls, returns;
    bool only_looks; /* changes no memory but the stack, unless it is such as locks are made of */
    bool looks, moves_to_stack, moves_below_rbp;
    rdl__loop_values reads, writes, sets; /* the last: whatever they were before */
};

/* False: there is no instruction.  Zydis has been loaded; between rdl__sites_begin and
 * rdl__sites_end. */
bool rdl__loop_step_read(uintptr_t at, struct rdl__loop_slots *slots, struct rdl__loop_step *out);

/* What was read to read steps is let go of. */
void rdl__loop_steps_end(void);

#endif
