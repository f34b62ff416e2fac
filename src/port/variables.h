/* variables.h -- the variable that an address lies in, as a C programmer would write it. */
#ifndef RDL__VARIABLES_H
#define RDL__VARIABLES_H

#include "port/libdw.h"
#include "port/lines.h"

/* Whoever wants to see all variables of some modules, and where they begin in memory. */
struct rdl__visitor {
    bool (*wants)(const struct rdl__visitor *it, Dwarf_Addr module_start); /* still */
    void (*visit)(struct rdl__visitor *it, Dwarf_Die *variable, Dwarf_Addr start);
};
void rdl__variables_visit(struct rdl__visitor *visitor, Dwfl *dwfl);

/* Where it begins, as the file has it; false: at no fixed place. */
bool rdl__variable_address(Dwarf_Die *variable, Dwarf_Addr *out);

/* A number that is said of something. */
bool rdl__die_number(Dwarf_Die *die, unsigned name, Dwarf_Word *out);

void rdl__variables_find(struct rdl__datum *data, size_t count, Dwfl *dwfl,
                         const struct rdl__modules *modules);

#endif
