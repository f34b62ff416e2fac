/* loop.h -- loops in which code does nothing but look at memory, again and again. */
#ifndef RDL__LOOP_H
#define RDL__LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RDL__LOOP_JUMPS = 4 };

struct rdl__loop {
    uintptr_t jumps[RDL__LOOP_JUMPS]; /* that lead back */
    size_t count;
    bool has_locals; /* it moves values to the stack, as code does that was not optimised */
};

/* The loop that this instruction is part of.  False: it is in none, or in one that may do more than
 * read memory, try to change it as a lock is taken (an exchange, or any other locked instruction),
 * and pause; or nobody can tell. */
bool rdl__loop_find(uintptr_t pc, struct rdl__loop *out);

#endif
