/* values.h -- values of any type in words, and back, as types.h describes them.
 *
 *   numbers        -3, 1.5, true, 'a'          enumerations     GREEN; 7 if none is called so
 *   rdl_ref        #3, none                    pointers         NULL, 0x55d0; never followed
 *   arrays         [1, 2]; complex, too        arrays of char   "text", up to the last that
 *   lists          [1, 2]: count and items                      is not NUL
 *   maps           {1: 10, 2: 20}              structs          {x = 1, y = 2}
 *   unions         {first = 1}: the first member, unless bytes beyond it are not zero
 *   bytes          <01 ff>: of other unions, and of what is not known
 *
 * A list, or a map, of more items than fit in is shown as the struct that it is. */
#ifndef RDL__VALUES_H
#define RDL__VALUES_H

#include "base/error.h"
#include "base/json_scan.h"
#include "base/text.h"
#include "port/types.h"

void rdl__value_show(struct rdl__text *out, const struct rdl__type *type, const void *value);

/* A struct without its braces and, if it has one member only, without its name. */
void rdl__value_show_bare(struct rdl__text *out, const struct rdl__type *type, const void *value);

/* The same for all that can be shown, that is, but for padding and items beyond a count? */
bool rdl__value_same(const struct rdl__type *type, const void *a, const void *b);

/* Set the bits that are of a value, and not padding, in as many bytes of zero as the type has. */
void rdl__value_mask(const struct rdl__type *type, void *mask);

/* Values in the order of the fields, separated by blanks or commas: `0 100`; or as they
 * are shown, with or without the names.  Padding becomes zero.  False: error says what was
 * expected where, and *out is spoilt. */
bool rdl__value_read(const struct rdl__type *type, const char *text, void *out,
                     struct rdl__error *error);

/* The same from JSON.  Structs are objects, and what they do not name is zero; enumerators and
 * texts are strings, lists and arrays are arrays, of which the rest is zero; the keys of maps
 * are strings in which they are written as above.  The scan is left behind the value. */
bool rdl__value_read_json(const struct rdl__type *type, struct rdl__json_scan *scan, void *out,
                          struct rdl__error *error);

/* As C initialises a variable: {.x = 1, .y = 2}.  False: there is no way to write it, and out
 * is spoilt. */
bool rdl__value_add_c(struct rdl__text *out, const struct rdl__type *type, const void *value);

bool rdl__type_is_integer(const struct rdl__type *type);
bool rdl__type_has_refs(const struct rdl__type *type); /* rdl_ref, anywhere in it */

/* ---- For values.c, read.c and read_json.c --------------------------------------------------- */

enum { RDL__SCALAR_MAX = 16 };

/* Where a member lies; a bit-field is unpacked first, into room of RDL__SCALAR_MAX bytes. */
const void *rdl__value_member(const struct rdl__member *member, const void *value, void *room);
void rdl__value_pack(const struct rdl__member *member, const void *unpacked, void *value);

/* The same; false: it is more than the bits can hold. */
bool rdl__value_fit_in(const struct rdl__member *member, const void *unpacked, void *value);

/* Store a number; false: it does not fit. */
bool rdl__value_store(const struct rdl__type *type, bool is_signed, bool negative,
                      unsigned __int128 number, void *out);

/* How many items a list has; false: more than fit in. */
bool rdl__value_count(const struct rdl__type *list, const void *value, uint32_t *out);

#endif
