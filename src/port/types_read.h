/* types_read.h -- what a C type is made of, as debugging information has it: for those who have
 * libdw open, in a process made for it. */
#ifndef RDL__TYPES_READ_H
#define RDL__TYPES_READ_H

#include "port/libdw.h"
#include "port/room.h"
#include "port/types.h"

struct rdl__type_reader {
    struct rdl__room room; /* for what is found */
    bool follows_pointers; /* what they point to is described as well */

    /* Of a struct that is only declared there, the definition elsewhere; may be NULL. */
    bool (*complete)(void *it, Dwarf_Die *type);
    void *it;

    /* Private. */
    struct rdl__type_known *known; /* what was described already */
    size_t known_count, known_room;
    struct rdl__type_pending *pending; /* pointers whose target was not */
    size_t pending_count, pending_done;
};

/* The type of something. */
bool rdl__die_type(Dwarf_Die *die, Dwarf_Die *out);

/* Below typedefs and qualifiers. */
void rdl__type_peel(Dwarf_Die *type);

/* Where a member begins, in bits, and if it is some bits, how many (else 0).  There have been
 * several ways to say it; for one of them the size of its type matters. */
uint64_t rdl__member_first_bit(Dwarf_Die *member, uint64_t storage, uint64_t *out_bits);

/* NULL: it is not known, or there is no room. */
const struct rdl__type *rdl__type_read(struct rdl__type_reader *reader, Dwarf_Die *die);

#endif
