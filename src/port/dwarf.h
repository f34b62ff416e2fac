/* dwarf.h -- places and variables, as debugging information has them, read by libdw. */
#ifndef RDL__DWARF_H
#define RDL__DWARF_H

#include "port/libdw.h"
#include "port/lines.h"

/* Load libdw, and let it look at all modules of this process and at these.  NULL: it is
 * missing, or something else is. */
Dwfl *rdl__dwarf_open(const struct rdl__modules *modules);

/* The same for a file, of which nothing is running: its addresses are those that it has.  NULL: for
 * this process. */
Dwfl *rdl__dwarf_open_file(const char *path);

/* The unit of compilation at this address, or NULL. */
Dwarf_Die *rdl__dwarf_unit_at(Dwfl_Module *module, Dwarf_Addr at, Dwarf_Addr *out_bias);

/* Does the function call another by the jump that ends at `behind`? */
bool rdl__is_tail_call(Dwarf_Die *function, Dwarf_Addr jump, Dwarf_Addr behind);

/* By the name of its file.  Nobody has its sources at hand, and where its debugging information is
 * installed it takes longer to unpack than all else that is looked up: names of functions do,
 * unless it is asked for by name. */
bool rdl__is_c_library(const char *name);

/* Is the source newer than what was made of it? */
bool rdl__source_is_stale(const char *source, const char *made);

/* Fill in what can be found.  Loads libdw, keeps files open, and may end the process when
 * memory is short: to be called in one that is not needed any more. */
void rdl__dwarf_find(struct rdl__place *places, size_t place_count, struct rdl__datum *data,
                     size_t datum_count, const struct rdl__modules *modules);

#endif
