/* mnemonics.h -- what an instruction does to memory. */
#ifndef RDL__MNEMONICS_H
#define RDL__MNEMONICS_H

#include "filter/statement.h"
#include "filter/tables.h"

enum rdl__effect {
    RDL__EFFECT_NONE,   /* it touches no memory */
    RDL__EFFECT_ACCESS, /* it touches that of one operand */
    RDL__EFFECT_FENCE,
    RDL__EFFECT_UNKNOWN, /* anything */
};

struct rdl__touching {
    uint8_t kind;    /* RDL__ACCESS_READ and the like: tables.h */
    uint8_t size;    /* in bytes */
    int8_t other;    /* the register that the value comes from; RDL__NO_REGISTER: none */
    uint8_t operand; /* which of the operands is the memory */
    bool is_part;    /* not all of these bytes are touched, or it is not known how many */
};

enum rdl__effect rdl__effect_of(const struct rdl__statement *statement, struct rdl__touching *out);

/* An instruction of unknown effect: does it touch memory, other than by pushing and popping? */
bool rdl__touches_memory(const struct rdl__statement *statement);

#endif
