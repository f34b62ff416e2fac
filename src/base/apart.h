/* apart.h -- memory of ours in somebody else's program.
 *
 * A program that is explored is to see the same addresses in each execution.  So what
 * we need, more or less of it from one execution to the next, must come neither from
 * its heap nor out of the room where the kernel places what it maps.  It comes from one
 * range of addresses that is reserved before main, and is as large in every run.
 *
 * Until it is reserved, and where it cannot be, all memory is the C library's.  Not
 * made for threads: those of such a program run one at a time. */
#ifndef RDL__APART_H
#define RDL__APART_H

#include <stdbool.h>
#include <stddef.h>

/* Reserve it, if malloc(), realloc() and free() are those that know of it. */
void rdl__apart_begin(void);

extern bool rdl__is_apart; /* it is reserved */

/* What the C library asks malloc() for in this thread is for us: it does something that
 * we, and not the program, asked of it.  (There may be threads that were started before
 * main, which run on beside us.) */
extern _Thread_local bool rdl__for_us __attribute__((tls_model("initial-exec")));

bool rdl__apart_owns(const void *memory);
void *rdl__apart_get(size_t size); /* zeroed; NULL: none is left */
void *rdl__apart_resize(void *memory, size_t size);
void rdl__apart_put(void *memory);

/* As mmap() without an address and a file: flags are MAP_SHARED and the like.  NULL:
 * there is none, errno says why. */
void *rdl__map(size_t size, int flags);
void rdl__unmap(void *memory, size_t size);

/* Does it lie in memory that this function has mapped, and that is shared? */
bool rdl__map_is_shared(const void *memory);

/* The same for what the program gets to see: where it lies depends on what was mapped
 * by this function before, and on nothing else.  NULL as well if nothing is apart. */
void *rdl__map_for_program(size_t size, int flags);

#endif
