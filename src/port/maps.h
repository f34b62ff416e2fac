/* maps.h -- memory that the program has mapped by itself, put back to what it was.
 *
 * Mappings are noted when they are made.  Those that were there before the first execution, and
 * can be written to, are copied whole, and copied back before each other one.  Shared
 * mappings are left alone, since a file or other processes would change with them; instead their
 * contents are compared.
 *
 * Memory: copies belong to this file until the next rdl__maps_save. */
#ifndef RDL__MAPS_H
#define RDL__MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Code at `pc` has made this mapping, with these flags of mmap (0: it has moved the break), or has
 * removed it. */
void rdl__maps_note(void *start, size_t size, int flags, uintptr_t pc);
void rdl__maps_forget(void *start, size_t size);

/* Note what is in them now, but for those that Raddle itself has made. */
void rdl__maps_save(bool (*is_own)(uintptr_t pc));
void rdl__maps_restore(void);

/* A test is over, and what its executions have mapped is not that of the next one. */
void rdl__maps_leave(void);

/* The process is about to be copied, for the first time perhaps.  Will all copies share memory with
 * it that can be written to, however the program came to it? */
void rdl__maps_copied(void);
extern bool rdl__copies_share;

/* Is there something else now in a mapping that is shared? */
bool rdl__maps_shared_has_changed(void);

/* This memory, of one mapping, is left alone, and nothing is said of it. */
void rdl__maps_keep(const char *start, size_t size);

/* Why some are not put back, to complete "executions do not begin alike: "; NULL: all are. */
extern const char *rdl__maps_problem;

#endif
