/* mappings.h -- pages that a program has at several addresses.
 *
 * Whatever is done to them at one address is done at all: so addresses are translated to those
 * of the mapping that was made first, before anybody compares them. */
#ifndef RDL__MAPPINGS_H
#define RDL__MAPPINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

extern bool rdl__aliased; /* there are such pages */
uintptr_t rdl__canonical_slowly(uintptr_t address);

static inline uintptr_t rdl__canonical(uintptr_t address)
{
    return __builtin_expect(rdl__aliased, 0) ? rdl__canonical_slowly(address) : address;
}

/* A mapping was made with these arguments of mmap. */
void rdl__mapped(uintptr_t address, size_t size, int flags, int fd, int64_t offset);

/* The thread is about to map pages: others may be about to use those that were there, and what is
 * mapped next gets another address.  Or to unmap them, or change what may be done to them. */
void rdl__come_to_map(const void *address, int flags, uintptr_t pc);
void rdl__come_to_unmap(const void *address, uintptr_t pc);

/* Has the program a mapping of this file, be it shared or private? */
bool rdl__is_mapped(const struct stat *file);

#endif
