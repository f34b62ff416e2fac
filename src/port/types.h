/* types.h -- what a C type is made of, as debugging information has it.
 *
 * A type is found by a variable: a struct that has a member which points to the type.
 *
 *     static const struct { struct item *type_of_args; } put;
 *
 *     struct rdl__type_wanted wanted = {&put, "type_of_args"};
 *     rdl__types_find(&wanted, 1);
 *     wanted.type ...                          NULL: not known
 *
 * libdw (elfutils) reads it, in a process made for that; it may be missing. */
#ifndef RDL__TYPES_H
#define RDL__TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rdl__type_kind {
    RDL__TYPE_BYTES, /* nothing else is known */
    RDL__TYPE_SIGNED,
    RDL__TYPE_UNSIGNED,
    RDL__TYPE_BOOL,
    RDL__TYPE_CHAR,
    RDL__TYPE_FLOAT,
    RDL__TYPE_ENUM,
    RDL__TYPE_REF, /* rdl_ref */
    RDL__TYPE_POINTER,
    RDL__TYPE_ARRAY,
    RDL__TYPE_TEXT, /* array of char */
    RDL__TYPE_STRUCT,
    RDL__TYPE_LIST, /* struct of the members count and items */
    RDL__TYPE_MAP,  /* the same, whose items have the members key and value */
    RDL__TYPE_UNION,
};

struct rdl__type {
    enum rdl__type_kind kind;
    bool is_signed;  /* of enumerations */
    bool is_complex; /* an array that is a number to C: its real part, and its imaginary one */
    uint32_t size;
    uint32_t count;             /* of whichever of these there are: */
    const struct rdl__type *of; /* elements; of pointers, what they point to, if that was wanted */
    const struct rdl__member *members;         /* anonymous structs are taken as part */
    const struct rdl__enumerator *enumerators; /* of the struct around them */
};

struct rdl__member {
    const char *name; /* "": none */
    const struct rdl__type *type;
    uint32_t offset;
    uint16_t bit, bits; /* of bit-fields: the first, from offset, and how many; else 0 */
};

struct rdl__enumerator {
    const char *name;
    uint64_t value; /* of which as many bytes count as the type has */
};

struct rdl__type_wanted {
    const void *variable;
    const char *member;
    const struct rdl__type *type; /* what is found; it stays */
};

/* Find all that are wanted, at once: it takes long. */
void rdl__types_find(struct rdl__type_wanted *wanted, size_t count);

#endif
