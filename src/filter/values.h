/* values.h -- which registers and words of the stack hold the same value, plus a constant.
 *
 * A value is a base, which is only known by a hash of where it comes from, and an offset.  Two
 * places with the same base and offset hold the same; of two others, nothing is known. */
#ifndef RDL__VALUES_H
#define RDL__VALUES_H

#include "filter/statement.h"
#include "filter/unit.h"

struct rdl__value {
    uint64_t base; /* 0: the offset is all */
    int64_t offset;
    bool is_own;      /* it points to the stack, or to constants, */
    bool is_constant; /* and certainly to constants */
};

/* A word of the stack, from the stack pointer at the entry of the function on. */
struct rdl__slot {
    int64_t at;
    unsigned size;
    struct rdl__value value;
};

enum { RDL__SLOTS_MAX = 96 };

struct rdl__values {
    struct rdl__value registers[RDL__REGISTERS];
    struct rdl__slot slots[RDL__SLOTS_MAX];
    size_t slot_count;
    int64_t taken; /* the lowest address of the stack that was computed; INT64_MAX: none */
};

/* At the entry of a function. */
void rdl__values_begin(struct rdl__values *out);

/* What rdi holds at the entry of a function. */
struct rdl__value rdl__value_of_first_argument(void);

struct rdl__value rdl__address_of(const struct rdl__unit *unit, const struct rdl__values *values,
                                  const struct rdl__memory *memory);

/* The bytes that movsq or stosq and their like touch at once; 0: it is none of them. */
unsigned rdl__string_size(const struct rdl__statement *statement);

/* Behind this statement. */
void rdl__values_step(struct rdl__values *values, const struct rdl__unit *unit, size_t at);

/* Another way leads to the same label, which has this number: keep what holds on both.  True: that
 * is less than before. */
bool rdl__values_join(struct rdl__values *values, const struct rdl__values *other, uint64_t label);

/* Keep nothing but which registers point to the stack. */
void rdl__values_forget(struct rdl__values *values, uint64_t label);

/* May these bytes of the stack belong to a variable whose address was computed? */
bool rdl__values_is_taken(const struct rdl__values *values, struct rdl__value address,
                          int64_t size);

bool rdl__value_equals(struct rdl__value a, struct rdl__value b);

#endif
