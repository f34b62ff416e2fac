/* memory.h -- memory that is there or the process stops; arenas.
 *
 * Nothing that asks for memory here ever gets NULL, so no caller tests for it.
 *
 * An arena hands out memory that lives until the arena is reset, all of it at
 * once.  Reset keeps the chunks, so that a run of millions of cases allocates
 * only as much as its largest case.  Under AddressSanitizer the gaps between
 * objects, and everything after a reset, are poisoned. */
#ifndef RDL__MEMORY_H
#define RDL__MEMORY_H

#include <stddef.h>

void *rdl__allocate(size_t size);              /* zeroed; free() it */
void *rdl__reallocate(void *old, size_t size); /* not zeroed */
char *rdl__duplicate(const char *text);
char *rdl__duplicate_part(const char *text, size_t length);

struct rdl__chunk;

struct rdl__arena {
    char *next, *end;           /* what is left of the current chunk */
    struct rdl__chunk *current; /* chunks after it are empty and kept for reuse */
    struct rdl__chunk *first;
};

void *rdl__arena_alloc(struct rdl__arena *arena, size_t size); /* aligned to 16, not zeroed */

/* Give back the end of what was allocated last: of size bytes, keep only some. */
void rdl__arena_trim(struct rdl__arena *arena, void *memory, size_t size, size_t keep);
void rdl__arena_reset(struct rdl__arena *arena);
void rdl__arena_release(struct rdl__arena *arena);

/* Where Raddle's own memory comes from, if it is not apart (apart.h): the C library's functions
 * or, where the ones of that name are for the code under test, what these are set to. */
extern void *(*rdl__own_malloc)(size_t size);
extern void *(*rdl__own_calloc)(size_t count, size_t size);
extern void *(*rdl__own_realloc)(void *block, size_t size);

#endif
