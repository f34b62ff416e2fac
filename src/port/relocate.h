/* relocate.h -- one instruction, written so that it does the same at another place.
 *
 * What is written ends by going on behind the instruction, at its old place; unless the
 * instruction itself goes elsewhere.  A call leaves the return address that it would have
 * left at its old place, so that whoever unwinds the stack, or asks who called, is told
 * the truth.  No register, no flag and nothing on the stack, down to the end of the red
 * zone, is different from what the instruction itself would have left. */
#ifndef RDL__RELOCATE_H
#define RDL__RELOCATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RDL__INSTRUCTION_MAX = 15, RDL__MOVED_MAX = 64 };

struct rdl__moved {
    uint8_t bytes[RDL__MOVED_MAX];
    uint8_t size;
    uint8_t length;   /* of the instruction itself; 0: it is none */
    bool has_lock;    /* programs may jump behind a lock prefix */
    bool is_landing;  /* endbr64, which must stay the first to be executed */
    uint8_t way_back; /* of its last bytes, so many go on behind the instruction */
    bool is_call;
    bool goes_elsewhere; /* it never goes on behind it: a jump, or a return */
    const char *refused; /* why it cannot be moved; NULL: it was */
};

/* Of the instruction that lies at `from` in this process (or would: its bytes are given,
 * and how many may be read), what is to lie at `to`.  False: see refused.  Zydis must have
 * been loaded. */
bool rdl__relocate(const uint8_t *bytes, size_t readable, uintptr_t from, uintptr_t to,
                   struct rdl__moved *out);

/* Can code here refer to that place by 32 bits? */
bool rdl__is_near(uintptr_t here, uintptr_t there);

#endif
