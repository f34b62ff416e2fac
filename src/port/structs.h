/* structs.h -- structs that a file sees no more of than their names: where they are defined. */
#ifndef RDL__STRUCTS_H
#define RDL__STRUCTS_H

#include "port/locate_parts.h"

/* Those of one program or library. */
struct rdl__structs {
    struct rdl__object *object;

    /* Private. */
    struct rdl__struct_named *items; /* by their names */
    size_t count, room;
    bool is_listed;
};

/* For struct rdl__type_reader, with such a list. */
bool rdl__structs_complete(void *structs, Dwarf_Die *type);

#endif
