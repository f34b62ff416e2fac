/* dynamic.h -- what the dynamic section of a program or library in memory says.
 *
 * The dynamic linker could be asked most of this.  But it allocates when it finds nothing, it does
 * not tell who wants which version, and it is no use to somebody who does not trust the functions
 * that it has found.  So no function of the C library is called here, and texts are compared by
 * functions of this file.
 *
 * Memory: all that is pointed to belongs to the program or library. */
#ifndef RDL__DYNAMIC_H
#define RDL__DYNAMIC_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Several of these may be missing: NULL. */
struct rdl__dynamic {
    const struct link_map *map;
    const ElfW(Sym) * symbols;
    const char *names;
    const ElfW(Half) * versions;     /* of each symbol */
    const char *needed, *defined;    /* the first ElfW(Verneed) and ElfW(Verdef) */
    const uint32_t *hash;            /* the newer table, DT_GNU_HASH */
    const ElfW(Rela) * relocated[2]; /* for calls, and all others */
    size_t counts[2];
    uintptr_t start, end;                     /* in memory */
    uintptr_t read_only_start, read_only_end; /* once it is relocated; whole pages */
};

/* False: it has no symbols. */
bool rdl__dynamic_read(const struct link_map *map, struct rdl__dynamic *out);

/* The version that a symbol of another one's has to have, and the library that has it.  Without a
 * version both are NULL. */
struct rdl__dynamic_version {
    const char *name, *library;
};

struct rdl__dynamic_version rdl__dynamic_version(const struct rdl__dynamic *it, size_t symbol);

/* The symbol that it defines by this name; NULL as version: the default one. */
const ElfW(Sym) *
    rdl__dynamic_find(const struct rdl__dynamic *it, const char *name, const char *version);

/* Its address; some functions are chosen by another one, as the CPU is. */
const void *rdl__dynamic_function(const struct rdl__dynamic *it, const ElfW(Sym) * symbol);

/* The library in memory with this file name; NULL: none. */
const struct link_map *rdl__dynamic_library(const char *file);

bool rdl__dynamic_begins(const char *text, const char *beginning);
bool rdl__dynamic_same(const char *left, const char *right);
const char *rdl__dynamic_file(const char *path); /* without its folder */

#endif
