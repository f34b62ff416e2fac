/* blocks.h -- which block of the heap or mapping an address lies in, who made it, and the words
 * for that: memory errors and data races tell of it alike.
 *
 * Nothing is looked up before something is to be reported. */
#ifndef RDL__SCHED_BLOCKS_H
#define RDL__SCHED_BLOCKS_H

#include <stddef.h>

#include "base/text.h"
#include "case/block.h"
#include "port/heap.h"

/* For a block of the heap: the thread that runs, and where in the code it is. */
uint64_t rdl__block_note(uintptr_t pc);

/* Keep the calls by which the block was allocated or freed, while steps are recorded. */
void rdl__block_record(const void *block, uintptr_t pc, bool frees);

/* The running thread has mapped so many bytes, or unmapped them. */
void rdl__block_mapped(const void *start, size_t size, uintptr_t pc);
void rdl__block_unmapped(const void *start, size_t size);

/* What is known of a block of the heap. */
struct rdl__block rdl__block_of(const struct rdl__heap_block *found);

/* The block or mapping that the address lies in; RDL__NO_BLOCK: it does not, as far as we know. */
struct rdl__block rdl__block_at(uintptr_t address);

/* "block of 24 bytes", "mapping of 4096 bytes" */
void rdl__block_add_words(struct rdl__text *out, const struct rdl__block *block);

/* "main allocated it at list.c:31, thread 1 freed it at list.c:40", and the end of the line;
 * nothing if nobody knows. */
void rdl__block_add_story(struct rdl__text *out, const struct rdl__block *block);

#endif
