/* statement.h -- assembler text, statement by statement, in the syntax of AT&T.
 *
 * A statement is a label, a directive or an instruction.  Spans point into the text, which is
 * never changed: whatever is added to it is a list of insertions (edit.h). */
#ifndef RDL__STATEMENT_H
#define RDL__STATEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rdl__span {
    const char *at;
    size_t count;
};

enum rdl__statement_kind { RDL__LABEL, RDL__DIRECTIVE, RDL__INSTRUCTION };

enum { RDL__OPERANDS_MAX = 6 };
enum { RDL__NO_FUNCTION = -1 };

struct rdl__statement {
    uint8_t kind;
    bool assembly;   /* somebody wrote it by hand: it stands between #APP and #NO_APP */
    bool locks;      /* it has the prefix lock, */
    bool repeats;    /* one of the rep family, */
    bool notrack;    /* or notrack, as jumps by a table have */
    bool is_tail;    /* the compiler says that this jump is a call, */
    bool is_spill;   /* and that this keeps a register on the stack, or brings it back, */
    bool is_kept;    /* the same, of registers of any size, and as part of something else */
    bool incomplete; /* it has more operands than there is room for, or cannot be read */
    uint8_t operand_count;
    int32_t function;      /* in the unit; RDL__NO_FUNCTION: none */
    uint32_t barriers;     /* so many empty statements of inline assembly stand before it */
    uint32_t written;      /* between the same #APP and #NO_APP: this number, from 1 on */
    struct rdl__span word; /* the label without its colon, the directive or the mnemonic */
    struct rdl__span operands[RDL__OPERANDS_MAX];
    const char *begin, *end; /* all of it, prefixes included */
};

struct rdl__statements {
    struct rdl__statement *all;
    size_t count, room;
};

void rdl__statements_read(struct rdl__statements *out, struct rdl__span text);

/* ---- Spans --------------------------------------------------------------------------------- */

bool rdl__span_is(struct rdl__span span, const char *text);
bool rdl__span_begins(struct rdl__span span, const char *text);
bool rdl__span_ends(struct rdl__span span, const char *text);
bool rdl__span_equals(struct rdl__span a, struct rdl__span b);
bool rdl__span_has(struct rdl__span span, char c);
bool rdl__span_has_text(struct rdl__span span, const char *text);
struct rdl__span rdl__span_until(struct rdl__span span, char c); /* all of it if c is not in it */
struct rdl__span rdl__span_from(struct rdl__span span, size_t at);

/* ---- Operands ------------------------------------------------------------------------------ */

enum { RDL__RAX, RDL__RDX, RDL__RCX, RDL__RBX, RDL__RSI, RDL__RDI, RDL__RBP, RDL__RSP };
enum { RDL__REGISTERS = 16, RDL__NO_REGISTER = -1, RDL__RIP = 16 };

/* A register of the sixteen, as the numbers above or 8 to 15, and how many bytes of it
 * the name means; RDL__NO_REGISTER: it is another one. */
int rdl__register_of(struct rdl__span operand, unsigned *out_size);

/* displacement(base, index, scale), with a segment before it. */
struct rdl__memory {
    struct rdl__span displacement; /* a number or a symbol; may be empty */
    struct rdl__span segment;      /* "%fs"; empty: none */
    int base, index;               /* RDL__NO_REGISTER: none; base may be RDL__RIP */
    unsigned scale;
};

/* False: the operand is no memory, or cannot be read. */
bool rdl__memory_of(struct rdl__span operand, struct rdl__memory *out);

/* The symbol of a displacement, without an offset or @GOTPCREL; empty: it has none. */
struct rdl__span rdl__symbol_of(struct rdl__span displacement);

#endif
