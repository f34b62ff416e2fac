/* heap.h -- the heap of the code under test, in programs with tests of controlled threads.
 *
 * It lies in a range of its own, at the same address in each run, and is put back before each
 * execution: blocks that were there get their contents back, blocks that were added are gone.
 * So each execution gets the same addresses, and blocks that it forgot to free cost nothing.
 *
 * The heap of the C library is left to the C library itself, and to Raddle: functions that
 * allocate ask rdl__heap_is_for.  Whose a block is, is told by its address.
 *
 * Invariant: memory from `next` on is all zeroes. */
#ifndef RDL__HEAP_H
#define RDL__HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Begin to use it, if malloc() and free() are those that know of it, and nobody else's. */
void rdl__heap_begin(void);
extern bool rdl__heap_is_on;

/* We are part of the program: calls of ours cannot be told from those of the code under test. */
extern bool rdl__heap_takes_us;

/* Is a block for code at this address, which calls malloc(), to be in here? */
bool rdl__heap_is_for(uintptr_t pc);

bool rdl__heap_owns(const void *block);

/* Blocks that were freed are not given again at once, and a block that is resized moves. */
extern bool rdl__heap_is_guarded;

/* NULL and errno: there is no room.  The alignment is a power of two; the note says who does it. */
void *rdl__heap_get(size_t size, size_t alignment, bool zeroed, uint64_t note);
void *rdl__heap_resize(void *block, size_t size, uint64_t note);
void rdl__heap_put(void *block, uint64_t note);
size_t rdl__heap_size(const void *block);

/* Blocks in use: their bytes; of those, the large ones that the C library would map. */
struct rdl__heap_use {
    size_t bytes, mapped_blocks, mapped_bytes;
};
struct rdl__heap_use rdl__heap_use(void);

enum rdl__heap_kind {
    RDL__HEAP_NO_BLOCK, /* no block begins there */
    RDL__HEAP_LIVE,
    RDL__HEAP_FREED, /* and not given again */
};
enum rdl__heap_kind rdl__heap_kind(const void *block);

struct rdl__heap_block {
    uintptr_t start;
    size_t size; /* as asked for */
    bool is_freed;
    uint64_t allocated, freed; /* notes */
};

/* The block that this address is in, or next to; false: there is none. */
bool rdl__heap_find(uintptr_t address, struct rdl__heap_block *out);

/* Memory for a stack, whose address does not depend on other mappings; NULL: there is none. */
void *rdl__heap_map(size_t size);

/* Note its state; the blocks are from *out_start to *out_end, and not copied. */
void rdl__heap_save(char **out_start, char **out_end);

/* From where to where there are blocks now; false: there are none. */
bool rdl__heap_extent(char **out_start, char **out_end);

/* Put it back to the state that was noted, but for the contents of these blocks. */
void rdl__heap_restore(void);

#endif
