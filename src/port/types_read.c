/* types_read.c -- what a C type is made of, as debugging information has it. */
#include "port/types_read.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "port/variables.h"

enum { DEPTH_MAX = 40, DIMENSIONS_MAX = 8 };

#define dw rdl__libdw

struct rdl__type_known {
    const void *die;
    const struct rdl__type *type;
};

/* A pointer, and what it points to. */
struct rdl__type_pending {
    struct rdl__type *pointer;
    Dwarf_Die die;
};

static uint64_t number_of(Dwarf_Die *die, unsigned name, uint64_t otherwise)
{
    Dwarf_Word number;

    return rdl__die_number(die, name, &number) ? number : otherwise;
}

static bool get_type(Dwarf_Die *die, Dwarf_Die *out)
{
    Dwarf_Attribute attribute;

    return dw.dwarf_formref_die(dw.dwarf_attr_integrate(die, DW_AT_type, &attribute), out);
}

static bool is_called(Dwarf_Die *die, const char *name)
{
    const char *is = dw.dwarf_diename(die);

    return is && strcmp(is, name) == 0;
}

/* How many children of this kind it has. */
static uint32_t count_children(Dwarf_Die *die, int tag)
{
    uint32_t count = 0;
    Dwarf_Die child;

    if (dw.dwarf_child(die, &child) == 0)
        do
            count += dw.dwarf_tag(&child) == tag;
        while (dw.dwarf_siblingof(&child, &child) == 0);
    return count;
}

/* ---- Types without parts ---------------------------------------------------------------- */

static void describe_complex(struct rdl__type *type)
{
    static const struct rdl__type parts[] = {{.kind = RDL__TYPE_FLOAT, .size = 4},
                                             {.kind = RDL__TYPE_FLOAT, .size = 8}};

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (type->size == 2 * parts[i].size) {
            type->kind = RDL__TYPE_ARRAY;
            type->is_complex = true;
            type->count = 2;
            type->of = &parts[i];
        }
}

static void describe_base(struct rdl__type *type, Dwarf_Die *die)
{
    switch (number_of(die, DW_AT_encoding, 0)) {
    case DW_ATE_boolean:
        type->kind = RDL__TYPE_BOOL;
        break;
    case DW_ATE_signed_char:
    case DW_ATE_signed:
        type->kind = is_called(die, "char") ? RDL__TYPE_CHAR : RDL__TYPE_SIGNED;
        break;
    case DW_ATE_unsigned_char:
    case DW_ATE_unsigned:
    case DW_ATE_UTF:
        type->kind = is_called(die, "char") ? RDL__TYPE_CHAR : RDL__TYPE_UNSIGNED;
        break;
    case DW_ATE_float: /* of those of 16 bytes only the usual one is understood */
        if (type->size == 4 || type->size == 8 || is_called(die, "long double"))
            type->kind = RDL__TYPE_FLOAT;
        break;
    case DW_ATE_complex_float:
        describe_complex(type);
        break;
    }
    if (type->size > 16)
        type->kind = RDL__TYPE_BYTES;
}

/* gcc says of what type an enumeration is, clang only sometimes; then all that matters is
 * whether some are negative. */
static void describe_enumeration(struct rdl__type_reader *reader, struct rdl__type *type,
                                 Dwarf_Die *die)
{
    struct rdl__enumerator *all;
    Dwarf_Die child, base;
    uint32_t count = count_children(die, DW_TAG_enumerator);

    type->kind = RDL__TYPE_ENUM;
    all = rdl__room_get(&reader->room, count * sizeof *all);
    if (dw.dwarf_child(die, &child) == 0 && all)
        do {
            if (dw.dwarf_tag(&child) != DW_TAG_enumerator)
                continue;
            all[type->count++] =
                (struct rdl__enumerator){rdl__room_keep(&reader->room, dw.dwarf_diename(&child)),
                                         number_of(&child, DW_AT_const_value, 0)};
            type->is_signed |= (int64_t)all[type->count - 1].value < 0;
        } while (dw.dwarf_siblingof(&child, &child) == 0);
    type->enumerators = all;
    if (get_type(die, &base) && dw.dwarf_peel_type(&base, &base) == 0)
        type->is_signed = number_of(&base, DW_AT_encoding, 0) == DW_ATE_signed;
}

/* ---- Types with parts ------------------------------------------------------------------- */

static const struct rdl__type *describe(struct rdl__type_reader *reader, Dwarf_Die *die, int depth);

/* Outermost first; how many elements is 0 where it is not said. */
static int dimensions_of(Dwarf_Die *array, uint64_t counts[DIMENSIONS_MAX])
{
    Dwarf_Die range;
    int count = 0;

    if (dw.dwarf_child(array, &range) != 0)
        return 0;
    do
        if (dw.dwarf_tag(&range) == DW_TAG_subrange_type && count < DIMENSIONS_MAX)
            counts[count++] = number_of(&range, DW_AT_count,
                                        number_of(&range, DW_AT_upper_bound, UINT64_MAX) + 1);
    while (dw.dwarf_siblingof(&range, &range) == 0);
    return count;
}

static const struct rdl__type *describe_array(struct rdl__type_reader *reader, Dwarf_Die *die,
                                              int depth)
{
    uint64_t counts[DIMENSIONS_MAX];
    int dimensions = dimensions_of(die, counts);
    const struct rdl__type *of = NULL;
    Dwarf_Die element;

    if (dimensions > 0 && get_type(die, &element))
        of = describe(reader, &element, depth + 1);
    while (of && dimensions-- > 0) {
        struct rdl__type *array = rdl__room_get(&reader->room, sizeof *array);

        if (!array || counts[dimensions] > UINT32_MAX / (of->size + 1))
            return NULL;
        array->kind = of->kind == RDL__TYPE_CHAR ? RDL__TYPE_TEXT : RDL__TYPE_ARRAY;
        array->of = of;
        array->count = (uint32_t)counts[dimensions];
        array->size = array->count * of->size;
        of = array;
    }
    return of;
}

uint64_t rdl__member_first_bit(Dwarf_Die *die, uint64_t storage, uint64_t *out_bits)
{
    uint64_t offset = number_of(die, DW_AT_data_member_location, 0), first;
    uint64_t from_top = number_of(die, DW_AT_bit_offset, UINT64_MAX);
    Dwarf_Attribute location;
    Dwarf_Op *ops;
    size_t count;

    storage = number_of(die, DW_AT_byte_size, storage);
    *out_bits = number_of(die, DW_AT_bit_size, 0);
    if (offset == 0 && dw.dwarf_attr_integrate(die, DW_AT_data_member_location, &location) &&
        dw.dwarf_getlocation(&location, &ops, &count) == 0 && count == 1 &&
        ops[0].atom == DW_OP_plus_uconst)
        offset = ops[0].number;
    first = 8 * offset + number_of(die, DW_AT_data_bit_offset, 0);
    return *out_bits && from_top != UINT64_MAX ? first + 8 * storage - from_top - *out_bits : first;
}

static void find_place(struct rdl__member *member, Dwarf_Die *die)
{
    uint64_t bits, first = rdl__member_first_bit(die, member->type->size, &bits);

    member->offset = (uint32_t)(first / 8);
    member->bit = (uint16_t)(first % 8);
    member->bits = (uint16_t)bits;
}

struct members {
    struct rdl__member *items;
    uint32_t count;
};

static void add_member(struct members *members, struct rdl__member member)
{
    members->items = rdl__reallocate(members->items, (members->count + 1) * sizeof *members->items);
    members->items[members->count++] = member;
}

/* One that is part of each value; in C++, there are others. */
static bool is_part(Dwarf_Die *child)
{
    int tag = dw.dwarf_tag(child);

    return tag == DW_TAG_inheritance ||
           (tag == DW_TAG_member && !dw.dwarf_hasattr(child, DW_AT_external) &&
            !dw.dwarf_hasattr(child, DW_AT_declaration));
}

/* The members of an anonymous struct, or of a base class, become members of the one around it. */
static bool collect_members(struct rdl__type_reader *reader, Dwarf_Die *die, struct members *out,
                            int depth)
{
    bool is_union = dw.dwarf_tag(die) == DW_TAG_union_type;
    Dwarf_Die child, of;

    if (dw.dwarf_child(die, &child) != 0)
        return true;
    do {
        struct rdl__member member = {.name =
                                         rdl__room_keep(&reader->room, dw.dwarf_diename(&child))};

        if (!is_part(&child))
            continue;
        if (get_type(&child, &of))
            member.type = describe(reader, &of, depth + 1);
        if (!member.type || dw.dwarf_hasattr(&child, DW_AT_virtuality))
            return false;
        find_place(&member, &child);
        if (is_union || member.name[0] || member.type->kind != RDL__TYPE_STRUCT) {
            add_member(out, member);
            continue;
        }
        for (uint32_t i = 0; i < member.type->count; i++) {
            add_member(out, member.type->members[i]);
            out->items[out->count - 1].offset += member.offset;
        }
    } while (dw.dwarf_siblingof(&child, &child) == 0);
    return true;
}

static bool has_members(const struct rdl__type *type, const char *first, const char *second)
{
    return type->kind == RDL__TYPE_STRUCT && type->count == 2 &&
           strcmp(type->members[0].name, first) == 0 && strcmp(type->members[1].name, second) == 0;
}

/* The containers of raddle/model.h, and whatever looks like them. */
static enum rdl__type_kind kind_of_struct(const struct rdl__type *type)
{
    const struct rdl__type *items = type->count == 2 ? type->members[1].type : NULL;

    if (!has_members(type, "count", "items") || items->kind != RDL__TYPE_ARRAY ||
        type->members[0].type->kind != RDL__TYPE_UNSIGNED || type->members[0].bits)
        return RDL__TYPE_STRUCT;
    return has_members(items->of, "key", "value") ? RDL__TYPE_MAP : RDL__TYPE_LIST;
}

static const struct rdl__type *describe_struct(struct rdl__type_reader *reader,
                                               struct rdl__type *type, Dwarf_Die *die, int depth)
{
    struct members members = {0};
    struct rdl__member *kept = NULL;
    bool known =
        !dw.dwarf_hasattr(die, DW_AT_declaration) && collect_members(reader, die, &members, depth);

    if (known)
        kept = rdl__room_get(&reader->room, members.count * sizeof *kept);
    if (kept && members.count)
        memcpy(kept, members.items, members.count * sizeof *kept);
    free(members.items);
    if (!kept)
        return NULL;
    type->kind = RDL__TYPE_UNION;
    type->members = kept;
    type->count = members.count;
    if (dw.dwarf_tag(die) != DW_TAG_union_type) {
        type->kind = RDL__TYPE_STRUCT;
        type->kind = kind_of_struct(type);
    }
    return type;
}

/* What pointers point to is described when all else has been: it may be what we are at. */
static void remember_pointer(struct rdl__type_reader *reader, struct rdl__type *pointer,
                             Dwarf_Die *die)
{
    Dwarf_Die to;

    if (!get_type(die, &to))
        return;
    reader->pending =
        rdl__reallocate(reader->pending, (reader->pending_count + 1) * sizeof *reader->pending);
    reader->pending[reader->pending_count++] = (struct rdl__type_pending){pointer, to};
}

/* ---- Any type ------------------------------------------------------------------------------ */

static const struct rdl__type *describe_named(struct rdl__type_reader *reader, Dwarf_Die *die,
                                              int depth)
{
    struct rdl__type *type = rdl__room_get(&reader->room, sizeof *type);

    if (!type)
        return NULL;
    type->size = (uint32_t)number_of(die, DW_AT_byte_size, 0);
    switch (dw.dwarf_tag(die)) {
    case DW_TAG_base_type:
        describe_base(type, die);
        break;
    case DW_TAG_enumeration_type:
        describe_enumeration(reader, type, die);
        break;
    case DW_TAG_pointer_type:
    case DW_TAG_reference_type:
    case DW_TAG_rvalue_reference_type:
        type->kind = RDL__TYPE_POINTER;
        type->size = sizeof(void *);
        if (reader->follows_pointers)
            remember_pointer(reader, type, die);
        break;
    case DW_TAG_array_type:
        return describe_array(reader, die, depth);
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
        return describe_struct(reader, type, die, depth);
    default:
        return NULL;
    }
    return type;
}

/* A type may be described in a unit of its own (-fdebug-types-section). */
static void go_to_unit(Dwarf_Die *type)
{
    Dwarf_Attribute attribute;

    if (dw.dwarf_attr(type, DW_AT_signature, &attribute))
        dw.dwarf_formref_die(&attribute, type);
}

static bool is_wrapped(int tag)
{
    return tag == DW_TAG_typedef || tag == DW_TAG_const_type || tag == DW_TAG_volatile_type ||
           tag == DW_TAG_atomic_type || tag == DW_TAG_restrict_type;
}

/* Below typedefs and qualifiers.  True: one of the typedefs is that of references. */
static bool peel(Dwarf_Die *die)
{
    bool is_ref = false;

    for (int depth = 0; depth < DEPTH_MAX && is_wrapped(dw.dwarf_tag(die)); depth++) {
        is_ref |= dw.dwarf_tag(die) == DW_TAG_typedef && is_called(die, "rdl_ref");
        if (!get_type(die, die))
            break;
    }
    go_to_unit(die);
    return is_ref;
}

/* Where it is, or would be, among those that are known: a table in which the next place is taken
 * if one is not free. */
static struct rdl__type_known *place_of(const struct rdl__type_reader *reader, const void *die)
{
    size_t at = (size_t)rdl__mix((uintptr_t)die);

    while (reader->known[at & (reader->known_room - 1)].die &&
           reader->known[at & (reader->known_room - 1)].die != die)
        at++;
    return &reader->known[at & (reader->known_room - 1)];
}

static void make_room(struct rdl__type_reader *reader)
{
    struct rdl__type_known *old = reader->known;
    size_t old_room = reader->known_room;

    if (2 * (reader->known_count + 1) < old_room)
        return;
    reader->known_room = old_room ? 2 * old_room : 256;
    reader->known = rdl__allocate(reader->known_room * sizeof *reader->known);
    for (size_t i = 0; i < old_room; i++)
        if (old[i].die)
            *place_of(reader, old[i].die) = old[i];
    free(old);
}

/* Each is described once. */
static const struct rdl__type *describe(struct rdl__type_reader *reader, Dwarf_Die *die, int depth)
{
    Dwarf_Die peeled = *die;
    bool is_ref = peel(&peeled);
    const struct rdl__type *type = NULL;

    if (depth > DEPTH_MAX)
        return NULL;
    if (is_ref) {
        struct rdl__type *ref = rdl__room_get(&reader->room, sizeof *ref);

        if (ref)
            *ref = (struct rdl__type){.kind = RDL__TYPE_REF, .size = sizeof(uint32_t)};
        return ref;
    }
    if (reader->complete && dw.dwarf_hasattr(&peeled, DW_AT_declaration))
        reader->complete(reader->it, &peeled);
    make_room(reader);
    if (place_of(reader, peeled.addr)->die)
        return place_of(reader, peeled.addr)->type;
    type = describe_named(reader, &peeled, depth);
    make_room(reader);
    reader->known_count++;
    *place_of(reader, peeled.addr) = (struct rdl__type_known){peeled.addr, type};
    return type;
}

bool rdl__die_type(Dwarf_Die *die, Dwarf_Die *out)
{
    return get_type(die, out);
}

void rdl__type_peel(Dwarf_Die *type)
{
    peel(type);
}

const struct rdl__type *rdl__type_read(struct rdl__type_reader *reader, Dwarf_Die *die)
{
    const struct rdl__type *type = describe(reader, die, 0);

    while (reader->pending_done < reader->pending_count) {
        struct rdl__type_pending next = reader->pending[reader->pending_done++];

        next.pointer->of = describe(reader, &next.die, 0);
    }
    return type;
}
