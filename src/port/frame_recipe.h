/* frame_recipe.h -- how to find something, from what libdw has read: between the files that fill
 * frames, in a process made for it. */
#ifndef RDL__FRAME_RECIPE_H
#define RDL__FRAME_RECIPE_H

#include "port/frame.h"
#include "port/libdw.h"
#include "port/locate_parts.h"

struct rdl__recipes {
    struct rdl__room *room;
    uint64_t bias;       /* of the module */
    uint64_t tls_module; /* its number there */
    bool has_entry_values;
    bool is_entry; /* a function, inlined or not, begins at the address */
};

/* The attribute is what the operations are from; NULL: from unwinding information.  Nothing if
 * there is one among them that cannot be understood. */
struct rdl__recipe rdl__recipe_make(struct rdl__recipes *recipes, Dwarf_Attribute *attribute,
                                    const Dwarf_Op *ops, size_t count);

/* What the attribute says for this address. */
struct rdl__recipe rdl__recipe_at(struct rdl__recipes *recipes, Dwarf_Die *die, unsigned name,
                                  Dwarf_Addr at);

/* A value that is known. */
struct rdl__recipe rdl__recipe_of_value(struct rdl__recipes *recipes, Dwarf_Attribute *attribute,
                                        size_t size);

/* What unwinding information says: the address that a frame is named by, and, unless NULL, where
 * the registers of the caller are. */
void rdl__recipe_of_frame(struct rdl__recipes *recipes, struct rdl__object *object, Dwarf_Addr at,
                          struct rdl__recipe *out_cfa, struct rdl__recipe *out_saved);

/* Who calls the function, and with what (frame_calls.c). */
void rdl__calls_find(struct rdl__stack_frame *frame, struct rdl__recipes *recipes,
                     struct rdl__object *object, Dwarf_Die *function);

/* A type as C writes it (type_name.c). */
void rdl__type_spell(struct rdl__text *out, Dwarf_Die *type, bool is_void);

#endif
