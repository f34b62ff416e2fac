/* loop.h -- loops in which code does nothing but look at memory, again and again.
 *
 * Such a loop may read memory, try to change it as a lock is taken (an exchange, or any other
 * locked instruction), pause, keep values on its stack, and call functions that do no more.
 * Whether it will ever end without another thread, the registers and the stack tell, each time
 * round. */
#ifndef RDL__LOOP_H
#define RDL__LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RDL__LOOP_JUMPS = 8 };

/* That leads back, or out of the loop, or both. */
struct rdl__loop_jump {
    uintptr_t at;
    uint8_t condition; /* as in its opcode; RDL__LOOP_ALWAYS */
    bool goes_back;    /* if it is taken */
    bool leaves[2];    /* if it is not taken; if it is */
};

enum { RDL__LOOP_ALWAYS = 16 };

struct rdl__loop {
    struct rdl__loop_jump jumps[RDL__LOOP_JUMPS];
    size_t count;
    bool has_locals;  /* it moves values to the stack, as code does that was not optimised, */
    bool has_pointer; /* some of them below where rbp points to: it must be a frame pointer */
};

/* The loops that this instruction is part of, each in the next, the innermost first; only those of
 * the kind above, and as many as there is room for: how many.  0 may mean that nobody can tell. */
size_t rdl__loops_around(uintptr_t pc, struct rdl__loop *out, size_t room);

/* Loops of that kind, in all functions of the module that this instruction is part of, that keep
 * nothing from one round for the next.  So each waits for another thread if it goes round twice;
 * compilers do not make such loops of anything else. */
size_t rdl__loops_that_wait(uintptr_t pc, struct rdl__loop *out, size_t room);

/* Is it taken, if these are the flags? */
bool rdl__loop_jump_is_taken(const struct rdl__loop_jump *jump, uint64_t flags);

#endif
