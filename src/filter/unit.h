/* unit.h -- what a compiler made of one source file: its functions and symbols. */
#ifndef RDL__UNIT_H
#define RDL__UNIT_H

#include "filter/statement.h"

enum rdl__compiler_kind { RDL__NO_COMPILER, RDL__GCC, RDL__CLANG };

/* A section, by its name and the group that it belongs to. */
struct rdl__section {
    struct rdl__span name, group; /* group: empty if it has none */
    int32_t open;                 /* the function whose code goes there now */
    bool executable, read_only;
    uint32_t label; /* of the table: where the first function of ours is; 0: there is none */
};

struct rdl__function {
    struct rdl__span name;
    uint32_t section;
    size_t begin, end;    /* statements: its label, and the directive .size */
    bool by_hand;         /* it was written in assembly */
    bool closed;          /* `end` is known */
    bool is_instrumented; /* what it does to memory is told, or it does nothing */
    int32_t part_of;      /* the function that this is a cold part of; or itself */
    int32_t cold;         /* its cold part; RDL__NO_FUNCTION: none */
};

struct rdl__symbol {
    struct rdl__span name;  /* empty: the slot is free */
    struct rdl__span alias; /* another name of this; empty: none */
    int32_t function;       /* RDL__NO_FUNCTION: it is defined elsewhere, or no function */
    bool global, weak;      /* weak: another module's may be taken instead */
    bool is_function, defined;
    bool read_only;   /* data that nobody changes */
    bool is_taken;    /* its address is an operand, or in a table */
    size_t statement; /* its label */
};

struct rdl__unit {
    struct rdl__span text;
    enum rdl__compiler_kind compiler;
    bool understood; /* false: leave it as it is */
    struct rdl__statements statements;
    struct rdl__section *sections;
    size_t section_count;
    struct rdl__function *functions;
    size_t function_count, function_room;
    struct rdl__symbol *symbols; /* a hash table */
    size_t symbol_count, symbol_room;
};

void rdl__unit_read(struct rdl__unit *out, struct rdl__span text);
void rdl__unit_release(struct rdl__unit *unit);

/* NULL: it is not mentioned by a directive, nor defined. */
const struct rdl__symbol *rdl__unit_symbol(const struct rdl__unit *unit, struct rdl__span name);

/* The same, if it is another name of something: that name itself. */
const struct rdl__symbol *rdl__unit_name(const struct rdl__unit *unit, struct rdl__span name);

/* Decide for each function whether it is instrumented (instrumented.c). */
void rdl__unit_judge(struct rdl__unit *unit);

/* Does this instruction transfer control, and where?  The operand of a call or jump without
 * its star; `indirect` if it has one. */
enum rdl__transfer { RDL__NO_TRANSFER, RDL__CALL, RDL__JUMP, RDL__BRANCH };
enum rdl__transfer rdl__transfer_of(const struct rdl__statement *statement,
                                    struct rdl__span *out_target, bool *out_indirect);

/* Is this function one by which compilers report accesses?  Does it leave memory alone that it is
 * given, as those do? */
bool rdl__is_hook(struct rdl__span function);
bool rdl__is_quiet(struct rdl__span function);

/* barriers.c: is there nothing between this statement and compiler barriers before and behind it
 * that leads elsewhere?  Is it a call that reports the one access between the two? */
bool rdl__is_between_barriers(const struct rdl__unit *unit, size_t statement);
bool rdl__reports_between_barriers(const struct rdl__unit *unit, size_t statement);

/* Is it a label that jumps of its function lead to? */
bool rdl__is_jumped_to(const struct rdl__unit *unit, const struct rdl__statement *statement);

/* May it make an address known that it is given?  So does an atomic store. */
bool rdl__publishes(struct rdl__span function);

/* Registers, as bits: the ones that this instruction writes to, and those that calls keep. */
enum { RDL__SAVED_BY_CALLEE = 1 << RDL__RBX | 1 << RDL__RBP | 1 << RDL__RSP | 0xf << 12 };
uint16_t rdl__registers_written(const struct rdl__statement *statement);

/* Does a memory operand name data that nobody changes, such as an address in the GOT? */
bool rdl__is_constant(const struct rdl__unit *unit, const struct rdl__memory *memory);

/* Is this an indirect jump to a label of its function?  False if it is not certain. */
bool rdl__jumps_by_table(const struct rdl__unit *unit, size_t statement);

#endif
