/* bind.h -- the C library's functions, in a program that defines functions of the same names.
 *
 * A program may define strcmp, qsort or write itself.  The dynamic linker binds all references to
 * such a name to the program's function: ours, too.  So each reference is bound to where it
 * belongs:
 *
 *   - the references of libraddle.so, and of libraries that it loads or needs, to the C library;
 *   - the program's calls of __wrap_strcmp, which `raddle cc` makes of calls of strcmp, to the
 *     program's own strcmp, if it has one.
 *
 * Not bound are references to the allocator: a block that one of the program's functions has
 * allocated is freed by another one.  Nor are those to functions of a sanitizer, or of a library
 * in LD_PRELOAD: these are meant to come before the C library's for everybody.
 *
 * In a test program that is linked with libraddle.a nothing is bound: the linker has made the
 * program's function ours. */
#ifndef RDL__BIND_H
#define RDL__BIND_H

#include <stdbool.h>

struct link_map;

/* Bind all that is loaded; the first call only.  May be called in malloc(). */
void rdl__bind_all(void);

/* The last library in memory, and: bind those that have come behind it.  `is_for_us`: Raddle has
 * loaded them for its own use, not the program. */
const struct link_map *rdl__bind_last(void);
void rdl__bind_since(const struct link_map *last, bool is_for_us);

#endif
