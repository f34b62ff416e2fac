/* tables.h -- what the filter of the assembler leaves in a module for the library to read.
 *
 * Every module (a program or a shared library) has these tables, which its linker puts
 * together from those of its object files.  A function of the module hands them over when it
 * is loaded, and takes them back when it is unloaded. */
#ifndef RDL__TABLES_H
#define RDL__TABLES_H

#include <stdint.h>

#define RDL__TABLES_VERSION 3

/* Code whose accesses to memory are told of.  Section rdl_ranges. */
struct rdl__table_range {
    int32_t start; /* from the address of this field on */
    uint32_t size; /* 0: no entry */
};

/* A function that such code calls, and that may be none of it.  Section rdl_calls. */
enum { RDL__TABLE_NO_CALL, RDL__TABLE_DIRECT, RDL__TABLE_INDIRECT };

struct rdl__table_call {
    uint8_t on;   /* not 0: the caller is to go by way of Raddle; the library sets this */
    uint8_t kind; /* RDL__TABLE_DIRECT and the like */
    uint16_t unused;
    int32_t name;     /* from the address of this field on; of direct calls */
    uintptr_t target; /* of direct calls */
};

/* What inline assembly does to memory, or a call for a struct that it passes. */
enum {
    RDL__ACCESS_READ,
    RDL__ACCESS_WRITE,    /* perhaps after it has read it */
    RDL__ACCESS_LOAD,     /* as of a volatile variable */
    RDL__ACCESS_STORE,    /* likewise */
    RDL__ACCESS_UPDATE,   /* reads, then writes, as of a volatile variable */
    RDL__ACCESS_ATOMIC,   /* reads and writes at once */
    RDL__ACCESS_EXCHANGE, /* the same, with the value of a register */
    RDL__ACCESS_COMPARE,  /* the same, if rax has the value that is there; of two words: rdx, too */
    RDL__ACCESS_SET_BIT,  /* the same, of one bit, whose number a register may have */
    RDL__ACCESS_CLEAR_BIT,
    RDL__ACCESS_FENCE,
    RDL__ACCESS_ANYTHING, /* a statement that the filter cannot take apart */
};

struct rdl__table_access {
    uint8_t kind;
    int8_t other; /* the register: 0 is rax, then rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8; -1: none */
    uint8_t bit;  /* number of the bit, if no register has it */
    uint8_t surplus; /* so many bytes at the end may be read without being the program's */
    uint32_t size;
    int32_t where; /* from the address of this field on: the function, as a text */
};

/* A module's tables; each pair is the beginning and the end. */
struct rdl__tables {
    uint64_t version;
    const struct rdl__table_range *ranges, *ranges_end;
    struct rdl__table_call *calls, *calls_end;
};

/* What code calls before a call, if its entry says so; written in assembly, and all registers
 * but r11 are as before.  In r11: the entry of a direct call, the target of an indirect one. */
void rdl__before_call(void);
void rdl__before_indirect_call(void);

/* What such code calls before an instruction.  In r11: its struct rdl__table_access; in
 * rdi: the address.  Both were pushed before; by the second one, below the 128 bytes under the
 * stack that a function without calls may use.  All registers and flags are as before. */
void rdl__before_access(void);
void rdl__before_access_in_leaf(void);

/* Called by the module.  Weak there: a module may be without the library. */
void rdl__module_loaded(const struct rdl__tables *tables);
void rdl__module_unloaded(const struct rdl__tables *tables);

#endif
