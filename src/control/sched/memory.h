/* memory.h -- wrong uses of the heap: a block is accessed that was freed, or next to where it lies;
 * freed twice; freed though it is none.
 *
 * Blocks of the code under test lie in a heap of Raddle's (port/heap.h) that knows which bytes may
 * be accessed (port/shadow.h).  Code that tells of its accesses is checked just before each, when
 * it is its turn; and whoever frees a block, before that. */
#ifndef RDL__SCHED_MEMORY_H
#define RDL__SCHED_MEMORY_H

#include "control/sched/sched.h"
#include "port/shadow.h"

extern bool rdl__memory_fails; /* false: no such error is a failure */

/* The program may have that heap, though it has no tests in it: it is explored. */
void rdl__memory_allow(void);

/* There is code that tells of its accesses: from now on, blocks are guarded. */
void rdl__memory_begin(void);

/* If not 0: where the code under test calls the allocator, by way of a function of ours.  Compilers
 * know that malloc() and free() read nothing else, so they are not to know what this is for. */
extern _Thread_local volatile uintptr_t rdl__memory_at __attribute__((tls_model("initial-exec")));

static inline uintptr_t rdl__memory_caller(uintptr_t pc)
{
    uintptr_t at = rdl__memory_at;

    return at ? at : pc;
}

/* Allocate and free for the code at pc.  An error of its ends the execution. */
void *rdl__memory_get(size_t size, size_t alignment, bool zeroed, uintptr_t pc);
void *rdl__memory_resize(void *block, size_t size, uintptr_t pc);
void rdl__memory_put(void *block, uintptr_t pc);

/* The thread is about to free this, and tells of its accesses. */
void rdl__memory_check_free(struct rdl__thread *self, const void *block, uintptr_t pc);

/* The same as rdl__memory_check, of any size; 0: it is not known whether that is any at all, and
 * the block may not have been freed. */
void rdl__memory_look(struct rdl__thread *self, uintptr_t address, uintptr_t size, unsigned how,
                      uintptr_t pc);

/* The system has written so many bytes for the code at pc; -1: it has refused. */
void rdl__memory_filled(struct rdl__thread *self, const void *at, intptr_t size, uintptr_t pc);

/* The thread makes this access now, of at most 16 bytes.  The execution ends if it may not. */
__attribute__((always_inline)) static inline void rdl__memory_check(struct rdl__thread *self,
                                                                    uintptr_t address,
                                                                    uintptr_t size, unsigned how,
                                                                    uintptr_t pc)
{
    if (__builtin_expect(!rdl__shadow_is_clear(address, size), 0))
        rdl__memory_look(self, address, size, how, pc);
}

#endif
