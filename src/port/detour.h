/* detour.h -- the entry of a function leads to another address.
 *
 * Who calls the function comes to the target as if that had been called: all registers and the
 * stack are as they were.  It costs a jump; where that cannot be, a breakpoint (3 microseconds).
 *
 * A jump has 5 bytes, the first instruction of a function mostly less.  So several are replaced
 * if it is certain that nobody comes into the midst of them: no branch of the module leads there,
 * the function has no indirect jump that may, and no thread stands there.  Of these instructions
 * there is a copy for those who want the function itself.
 *
 * Hooks at the same instruction are called first.  One at another of the instructions that the
 * jump replaces is refused while the detour is there; and if one is there already, the detour is
 * a breakpoint.
 *
 * What compilers may know of a function and its callers, if both are in one file: which registers
 * it leaves alone (gcc from -O2 on, -fipa-ra).  So a target that is not a thunk (thunk.h), which
 * keeps all registers but those of the result, may surprise such callers. */
#ifndef RDL__DETOUR_H
#define RDL__DETOUR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct rdl__detour {
    uintptr_t address; /* entry of a function; endbr64 there stays */
    uintptr_t target;  /* where to go instead; that code must stay for ever */
    size_t extent;     /* bytes of the function; 0: as unwinding information says */

    /* Private. */
    struct rdl__site *site;
    uintptr_t real;
    bool is_placed;
};

/* All of them, or none: then the reason names the address.  A function can have one detour.  To
 * place many at once is cheaper than one after the other. */
bool rdl__detours_place(struct rdl__detour *const *detours, size_t count, struct rdl__error *error);

/* When this returns, no thread begins to go to the target; who is on the way there arrives.  What
 * was never placed may be removed; what was removed may be placed again. */
void rdl__detours_remove(struct rdl__detour *const *detours, size_t count);

/* What to call to call the function itself.  Once placed, this can be called for ever. */
uintptr_t rdl__detour_real(const struct rdl__detour *detour);

/* Is it in the code?  It is not if the library that it was in was unloaded, though that may be
 * loaded again. */
bool rdl__detour_is_there(const struct rdl__detour *detour);

/* Does a jump stand there, rather than a breakpoint? */
bool rdl__detour_is_jump(const struct rdl__detour *detour);

#endif
