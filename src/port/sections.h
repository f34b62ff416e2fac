/* sections.h -- the writable static data of a loaded program or library, by section.
 *
 * The loader keeps no section names in memory, so they are read from the module's file. */
#ifndef RDL__SECTIONS_H
#define RDL__SECTIONS_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>

/* Call `each` for every section that the module can write to while it runs.  `is_zero`: the
 * file has no contents of it, it began as zeroes.  False: the file cannot be read, or it is
 * not the one that was loaded. */
bool rdl__sections_each(const struct dl_phdr_info *module,
                        void (*each)(void *context, const char *name, char *start, size_t size,
                                     bool is_zero),
                        void *context);

#endif
