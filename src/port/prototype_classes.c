/* prototype_classes.c -- where the calling convention (System V, for AMD64) has values of a type.
 *
 * A type of 16 bytes at most is cut into pieces of 8 bytes.  Each has a class, which is made of
 * those of all that lies in it; a piece goes into a register by its class.  What is larger, or does
 * not lie where it should, goes into memory. */
#include <string.h>

#include "port/prototype_read.h"
#include "port/types_read.h"
#include "port/variables.h"

#define dw rdl__libdw

enum { EIGHT = 8, IN_REGISTERS = 16, DEPTH_MAX = 40, INTEGERS = 6, VECTORS = 8 };

/* ---- Classes --------------------------------------------------------------------------------- */

static uint8_t merge(uint8_t a, uint8_t b)
{
    if (a == b || b == RDL__CLASS_NONE)
        return a;
    if (a == RDL__CLASS_NONE)
        return b;
    if (a == RDL__CLASS_MEMORY || b == RDL__CLASS_MEMORY)
        return RDL__CLASS_MEMORY;
    if (a == RDL__CLASS_INTEGER || b == RDL__CLASS_INTEGER)
        return RDL__CLASS_INTEGER;
    if (a >= RDL__CLASS_X87 || b >= RDL__CLASS_X87)
        return RDL__CLASS_MEMORY;
    return RDL__CLASS_SSE;
}

static void add_class(struct rdl__classes *classes, uint64_t offset, uint8_t class)
{
    if (offset < IN_REGISTERS)
        classes->of[offset / EIGHT] = merge(classes->of[offset / EIGHT], class);
}

/* Something of one piece.  How it must be aligned is returned. */
static uint32_t add_scalar(struct rdl__classes *classes, uint64_t offset, uint8_t low, uint8_t high,
                           uint32_t alignment)
{
    classes->widest = alignment > classes->widest ? alignment : classes->widest;
    if (offset % alignment)
        classes->of[0] = RDL__CLASS_MEMORY;
    add_class(classes, offset, low);
    if (high != RDL__CLASS_NONE)
        add_class(classes, offset + EIGHT, high);
    return alignment;
}

static uint32_t refuse(struct rdl__classes *classes, const char *why)
{
    classes->refusal = why;
    return 1;
}

static uint64_t size_of(Dwarf_Die *type)
{
    Dwarf_Word size;

    return dw.dwarf_aggregate_size(type, &size) == 0 ? size : 0;
}

static bool is_named_like(Dwarf_Die *type, const char *part)
{
    const char *name = dw.dwarf_diename(type);

    return name && strstr(name, part);
}

static uint32_t add_float(struct rdl__classes *classes, Dwarf_Die *type, uint64_t offset,
                          uint32_t size)
{
    if (size == 2 || size == 4 || size == EIGHT)
        return add_scalar(classes, offset, RDL__CLASS_SSE, RDL__CLASS_NONE, size);
    if (size != 16)
        return refuse(classes, "of a kind of floating-point numbers that is not understood");
    classes->has_quad |= is_named_like(type, "128");
    if (classes->has_quad)
        return add_scalar(classes, offset, RDL__CLASS_SSE, RDL__CLASS_SSE_UP, size);
    return add_scalar(classes, offset, RDL__CLASS_X87, RDL__CLASS_X87_UP, size);
}

static uint32_t add_complex(struct rdl__classes *classes, uint64_t offset, uint32_t size)
{
    uint32_t half = size / 2;

    if (half != 4 && half != EIGHT)
        return refuse(classes, "of complex numbers other than float and double");
    add_scalar(classes, offset, RDL__CLASS_SSE, RDL__CLASS_NONE, half);
    return add_scalar(classes, offset + half, RDL__CLASS_SSE, RDL__CLASS_NONE, half);
}

static uint32_t add_integer(struct rdl__classes *classes, Dwarf_Die *type, uint64_t offset,
                            uint32_t size)
{
    if (is_named_like(type, "BitInt") || is_named_like(type, "ExtInt") || size > 16 || size == 0 ||
        size & (size - 1))
        return refuse(classes, "of integers of unusual size");
    return add_scalar(classes, offset, RDL__CLASS_INTEGER,
                      size == 16 ? RDL__CLASS_INTEGER : RDL__CLASS_NONE, size);
}

static uint32_t add_base(struct rdl__classes *classes, Dwarf_Die *type, uint64_t offset)
{
    uint32_t size = (uint32_t)size_of(type);
    Dwarf_Word encoding = 0;

    rdl__die_number(type, DW_AT_encoding, &encoding);
    switch (encoding) {
    case DW_ATE_boolean:
    case DW_ATE_signed:
    case DW_ATE_signed_char:
    case DW_ATE_unsigned:
    case DW_ATE_unsigned_char:
    case DW_ATE_UTF:
        return add_integer(classes, type, offset, size);
    case DW_ATE_float:
        return add_float(classes, type, offset, size);
    case DW_ATE_complex_float:
        return add_complex(classes, offset, size);
    default:
        return refuse(classes, "of a kind of numbers that is not understood");
    }
}

/* Of other sizes, how they are passed depends on the compiler and its options. */
static uint32_t add_vector(struct rdl__classes *classes, Dwarf_Die *type, uint64_t offset)
{
    uint64_t size = size_of(type);
    Dwarf_Die element;

    if (size == 16)
        return add_scalar(classes, offset, RDL__CLASS_SSE, RDL__CLASS_SSE_UP, 16);
    if (size == EIGHT && rdl__die_type(type, &element) && size_of(&element) < EIGHT)
        return add_scalar(classes, offset, RDL__CLASS_SSE, RDL__CLASS_NONE, EIGHT);
    return refuse(classes, "of vectors of other than 8 or 16 bytes");
}

static uint32_t add_type(struct rdl__classes *classes, Dwarf_Die type, uint64_t offset, int depth);

/* The end of a struct, of any length: x[]. */
static bool is_open_ended(Dwarf_Die *array)
{
    Dwarf_Die range;
    Dwarf_Word count;

    return dw.dwarf_child(array, &range) == 0 && dw.dwarf_tag(&range) == DW_TAG_subrange_type &&
           !rdl__die_number(&range, DW_AT_count, &count) &&
           !rdl__die_number(&range, DW_AT_upper_bound, &count);
}

/* Has an alignment, but no classes; but clang has a struct that ends so in memory. */
static uint32_t add_empty_array(struct rdl__classes *classes, Dwarf_Die *type, Dwarf_Die *element,
                                int depth)
{
    struct rdl__classes ignored = {.is_by_clang = classes->is_by_clang};

    if (classes->is_by_clang && is_open_ended(type))
        classes->of[0] = RDL__CLASS_MEMORY;
    return add_type(&ignored, *element, 0, depth + 1);
}

/* Of what is passed in memory anyway, one element tells the alignment. */
static uint32_t add_array(struct rdl__classes *classes, Dwarf_Die *type, uint64_t offset, int depth)
{
    uint64_t size = size_of(type), each;
    uint32_t alignment;
    Dwarf_Die element;

    if (dw.dwarf_hasattr(type, DW_AT_GNU_vector))
        return add_vector(classes, type, offset);
    if (!rdl__die_type(type, &element))
        return refuse(classes, "of an array of nobody knows what");
    if (size == 0)
        return add_empty_array(classes, type, &element, depth);
    each = size_of(&element);
    alignment = add_type(classes, element, offset, depth + 1);
    for (uint64_t at = each; each && at < size && offset + at < IN_REGISTERS; at += each)
        add_type(classes, element, offset + at, depth + 1);
    return alignment;
}

static uint32_t add_bits(struct rdl__classes *classes, Dwarf_Die *type, uint64_t first,
                         uint64_t bits)
{
    for (uint64_t bit = first; bit < first + bits; bit++)
        add_class(classes, bit / 8, RDL__CLASS_INTEGER);
    return (uint32_t)size_of(type);
}

/* What the program says of a type or member, if that is more. */
static uint32_t alignment_said(struct rdl__classes *classes, Dwarf_Die *die, uint32_t alignment)
{
    Dwarf_Word said;

    if (!rdl__die_number(die, DW_AT_alignment, &said) || said <= alignment)
        return alignment;
    return said > 16 ? refuse(classes, "aligned to more than 16 bytes") : (uint32_t)said;
}

/* A struct that does not let its members lie where they should is packed: not aligned at all. */
/* In C++ a struct may have functions that make copies of it, and is passed in another way then; or
 * begin with another. */
static bool may_be_an_object(Dwarf_Die *type)
{
    Dwarf_Word convention = 0;
    bool has_functions = false;
    Dwarf_Die child;

    rdl__die_number(type, DW_AT_calling_convention, &convention);
    if (dw.dwarf_child(type, &child) != 0)
        return false;
    do {
        if (dw.dwarf_tag(&child) == DW_TAG_inheritance)
            return true;
        has_functions |= dw.dwarf_tag(&child) == DW_TAG_subprogram;
    } while (dw.dwarf_siblingof(&child, &child) == 0);
    return has_functions ? convention != DW_CC_pass_by_value
                         : convention == DW_CC_pass_by_reference;
}

static uint32_t add_members(struct rdl__classes *classes, Dwarf_Die *type, uint64_t offset,
                            int depth)
{
    uint32_t alignment = 1, of_member;
    bool is_packed = false;
    Dwarf_Die member, of;

    if (dw.dwarf_hasattr(type, DW_AT_declaration))
        return refuse(classes, "of a struct that is not known here");
    if (may_be_an_object(type))
        return refuse(classes, "of a kind that C does not have");
    if (dw.dwarf_child(type, &member) != 0)
        return 1;
    do {
        uint64_t first, bits;

        if (dw.dwarf_tag(&member) != DW_TAG_member || !rdl__die_type(&member, &of))
            continue;
        rdl__type_peel(&of);
        first = rdl__member_first_bit(&member, size_of(&of), &bits);
        of_member = bits ? add_bits(classes, &of, 8 * offset + first, bits)
                         : add_type(classes, of, offset + first / 8, depth + 1);
        is_packed |= !bits && first / 8 % of_member;
        of_member = alignment_said(classes, &member, of_member);
        alignment = of_member > alignment ? of_member : alignment;
    } while (dw.dwarf_siblingof(&member, &member) == 0);
    return is_packed || size_of(type) % alignment ? 1 : alignment;
}

static uint32_t add_unaligned_type(struct rdl__classes *classes, Dwarf_Die *type, uint64_t offset,
                                   int depth)
{
    switch (dw.dwarf_tag(type)) {
    case DW_TAG_base_type:
        return add_base(classes, type, offset);
    case DW_TAG_enumeration_type:
        return add_integer(classes, type, offset, (uint32_t)size_of(type));
    case DW_TAG_pointer_type:
    case DW_TAG_reference_type:
    case DW_TAG_rvalue_reference_type:
        return add_scalar(classes, offset, RDL__CLASS_INTEGER, RDL__CLASS_NONE, EIGHT);
    case DW_TAG_array_type:
        return add_array(classes, type, offset, depth);
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
        return add_members(classes, type, offset, depth);
    default:
        return refuse(classes, "of a kind that C does not have");
    }
}

static bool is_atomic(Dwarf_Die type)
{
    int tag = dw.dwarf_tag(&type);

    while (tag == DW_TAG_typedef || tag == DW_TAG_const_type || tag == DW_TAG_volatile_type) {
        if (!rdl__die_type(&type, &type))
            return false;
        tag = dw.dwarf_tag(&type);
    }
    return tag == DW_TAG_atomic_type;
}

/* All that is part of it; and how it is aligned, which the program may have said. */
static uint32_t add_type(struct rdl__classes *classes, Dwarf_Die type, uint64_t offset, int depth)
{
    uint32_t alignment;

    if (depth > DEPTH_MAX)
        return refuse(classes, "of a type that is too deep");
    alignment_said(classes, &type, 1);
    if (classes->is_by_clang && is_atomic(type))
        return refuse(classes, "_Atomic, which clang passes in a way of its own");
    rdl__type_peel(&type);
    alignment = add_unaligned_type(classes, &type, offset, depth);
    return alignment_said(classes, &type, alignment);
}

static bool is_aggregate(Dwarf_Die type)
{
    rdl__type_peel(&type);
    return dw.dwarf_tag(&type) != DW_TAG_base_type && !dw.dwarf_hasattr(&type, DW_AT_GNU_vector);
}

/* What is said of all classes, when each is known. */
static void tidy_up(struct rdl__classes *classes)
{
    if (classes->size > IN_REGISTERS || classes->of[1] == RDL__CLASS_MEMORY ||
        (classes->of[1] == RDL__CLASS_X87_UP && classes->of[0] != RDL__CLASS_X87))
        classes->of[0] = RDL__CLASS_MEMORY;
    if (classes->of[1] == RDL__CLASS_SSE_UP && classes->of[0] != RDL__CLASS_SSE)
        classes->of[1] = RDL__CLASS_SSE;
    if (classes->of[0] == RDL__CLASS_NONE && classes->of[1] != RDL__CLASS_NONE)
        classes->refusal = "of a struct that begins with nothing";
}

struct rdl__classes rdl__type_classes(Dwarf_Die *type, bool is_by_clang)
{
    struct rdl__classes classes = {.size = (uint32_t)size_of(type), .is_by_clang = is_by_clang};
    bool has_parts = is_aggregate(*type);

    classes.alignment = add_type(&classes, *type, 0, 0);
    tidy_up(&classes);
    classes.is_wide_integer =
        classes.size == 16 && classes.of[0] == RDL__CLASS_INTEGER && !has_parts;
    classes.may_be_packed = has_parts && classes.widest == 16 && classes.size % 16 == 0;
    if (classes.has_quad && is_by_clang && has_parts)
        classes.refusal = "of a struct or union with a __float128, of which compilers disagree";
    return classes;
}

/* ---- Registers ------------------------------------------------------------------------------- */

/* In registers, the next ones of each kind. */
static struct rdl__passing pass(const struct rdl__classes *classes, struct rdl__taken *taken)
{
    struct rdl__passing passing = {0};

    for (int i = 0; i < 2; i++) {
        if (classes->of[i] == RDL__CLASS_INTEGER) {
            passing.how[i] = RDL__CARRIED_BY_INTEGER;
            passing.number[i] = taken->integers++;
        } else if (classes->of[i] == RDL__CLASS_SSE) {
            passing.how[i] = RDL__CARRIED_BY_VECTOR;
            passing.number[i] = taken->vectors++;
        } else if (classes->of[i] == RDL__CLASS_SSE_UP) {
            passing.how[i] = RDL__CARRIED_BY_VECTOR_TOP;
            passing.number[i] = (uint8_t)(taken->vectors - 1);
        }
    }
    return passing;
}

struct rdl__passing rdl__pass_result(const struct rdl__classes *classes, struct rdl__taken *taken)
{
    struct rdl__taken none = {0};

    if (classes->of[0] == RDL__CLASS_X87)
        return (struct rdl__passing){.how = {RDL__CARRIED_BY_ST0}};
    if (classes->of[0] != RDL__CLASS_MEMORY)
        return pass(classes, &none);
    taken->integers++;
    return (struct rdl__passing){.how = {RDL__CARRIED_BY_POINTER}};
}

static bool fits(const struct rdl__classes *classes, struct rdl__taken taken)
{
    if (classes->of[0] == RDL__CLASS_MEMORY || classes->of[0] == RDL__CLASS_X87)
        return false;
    pass(classes, &taken);
    return taken.integers <= INTEGERS && taken.vectors <= VECTORS;
}

struct rdl__passing rdl__pass_argument(const struct rdl__classes *classes, struct rdl__taken *taken,
                                       bool *out_is_doubtful)
{
    struct rdl__passing passing = {.how = {RDL__CARRIED_BY_STACK}};
    uint32_t alignment = classes->alignment > EIGHT ? classes->alignment : EIGHT;

    if (classes->size == 0)
        return (struct rdl__passing){0};
    if (fits(classes, *taken))
        return pass(classes, taken);
    *out_is_doubtful = classes->may_be_packed && taken->stack % 16;
    taken->stack = (taken->stack + alignment - 1) & ~(alignment - 1);
    passing.at = taken->stack;
    taken->stack += (classes->size + EIGHT - 1) & ~(uint32_t)(EIGHT - 1);
    return passing;
}
