/* book.h -- what one process of a run finds out, all others know.
 *
 * To look things up in debugging information takes long, and a worker is often replaced.  The book
 * is memory that was shared before workers were forked, so that it lies at the same address in all
 * processes, and pointers in it are good.  What is in it never changes. */
#ifndef RDL__BOOK_H
#define RDL__BOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "port/room.h"

enum rdl__chapter {
    RDL__BOOK_TYPES,
    RDL__BOOK_FUNCTIONS,
    RDL__BOOK_LOCATIONS,
    RDL__BOOK_FRAMES,
    RDL__BOOK_CHAPTERS
};

/* Processes that are forked from now on share it. */
void rdl__book_open(void);

/* To read in it, and to write; false: there is none, or somebody else writes, and one has to do
 * without.  What is taken of the room stays in the book. */
bool rdl__book_lock(struct rdl__room *out_rest);
void rdl__book_unlock(const struct rdl__room *rest);

/* Is there room for whatever a search may find?  What does not fit would be left out. */
bool rdl__book_has_room(const struct rdl__room *rest);

/* Where a chapter begins: to be set by who writes it, NULL until then.  While it is locked. */
void **rdl__book_chapter(enum rdl__chapter chapter);

/* Does this lie in a program or library that was loaded when the book was opened?  Later ones may
 * lie elsewhere in other processes. */
bool rdl__book_knows(uintptr_t address);

#endif
