/* frame.h -- variables of a function, at an instruction of it, by their names.
 *
 * What debugging information says of an address is read before, in a process made for it; who
 * comes there with registers needs nothing but what was found:
 *
 *     struct rdl__stack_frames frames = {0};
 *
 *     rdl__stack_frames_want(&frames, spot->address, spot->function);
 *     rdl__stack_frames_find(&frames, NULL);
 *     ...
 *     rdl__part_find(&frames.items[0], registers, "box->items[at].id", &part, &error)
 *     rdl__part_read(&part, registers, &id, sizeof id, &error)
 *     rdl__part_write(&part, registers, &id, sizeof id, &error)
 *
 * A name means the innermost variable of that name; then those of the file, and those that the
 * whole program knows.  What the compiler did not keep is "optimised out": an error. */
#ifndef RDL__FRAME_H
#define RDL__FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "port/types.h"

struct rdl__registers;

/* ---- What is known at an address -------- */

/* How to find something: operations, numbered as DWARF does. */
struct rdl__recipe_op {
    uint32_t code;
    uint64_t a, b;
    const void *more; /* bytes of a value; a recipe within a recipe */
};

#define RDL__OP_PASSED 0xa3 /* what a register held when the function was called */

struct rdl__recipe {
    const struct rdl__recipe_op *ops;
    uint32_t count;
};

enum rdl__variable_kind { RDL__PARAMETER, RDL__LOCAL, RDL__GLOBAL };

struct rdl__variable {
    const char *name;
    const char *type_name;        /* as in C */
    const struct rdl__type *type; /* NULL: not known */
    uint32_t size;
    enum rdl__variable_kind kind;
    struct rdl__recipe where; /* nothing: optimised out */
};

struct rdl__variables {
    const struct rdl__variable *items;
    size_t count;
};

struct rdl__stack_frame {
    uintptr_t address;
    const char *function;        /* whose variables are meant; NULL: the innermost */
    bool is_known;               /* there is debugging information */
    bool is_first;               /* of the function: nothing has been executed yet */
    struct rdl__variables own;   /* parameters and locals, the innermost first */
    struct rdl__variables other; /* of the file, then of the program */
    struct rdl__recipe cfa, base;
    struct rdl__recipe saved[17];  /* where the caller's registers are */
    const struct rdl__call *calls; /* who may have called, and with what */
    size_t call_count;
};

/* A place that calls the function: what it passes may be known, when it is no longer there. */
struct rdl__call {
    uintptr_t return_to;
    struct rdl__recipe cfa, base; /* there */
    struct {
        uint32_t number; /* of the register */
        struct rdl__recipe value;
    } passed[8];
    uint32_t passed_count;
};

struct rdl__stack_frames {
    struct rdl__stack_frame *items;
    size_t count, room;
    void *memory; /* of the answers */
};

/* A function that is inlined may begin where its call does: which of the two is meant tells the
 * name of the function, as struct rdl__spot has it; NULL: the innermost.  It must stay. */
void rdl__stack_frames_want(struct rdl__stack_frames *frames, uintptr_t address,
                            const char *function);

/* All that are wanted; in this process, or in a file that does not run. */
void rdl__stack_frames_find(struct rdl__stack_frames *frames, const char *program);
void rdl__stack_frames_release(struct rdl__stack_frames *frames);

/* NULL: there is none of that name. */
const struct rdl__variable *rdl__stack_frame_variable(const struct rdl__stack_frame *frame,
                                                      const char *name);

/* ---- Where it is, and what is there -------- */

enum rdl__piece_kind {
    RDL__IN_NOTHING, /* optimised out */
    RDL__IN_MEMORY,
    RDL__IN_REGISTER,
    RDL__IN_NUMBER, /* known, but nowhere: it cannot be written */
    RDL__IN_BYTES,
};

struct rdl__piece {
    enum rdl__piece_kind kind;
    uint32_t size;     /* in bytes */
    uint64_t at;       /* an address, a register's number, or the number itself */
    const void *bytes; /* the value */
};

enum { RDL__PIECES_MAX = 16 };

/* Where a variable is held: one piece, mostly. */
struct rdl__holding {
    uint32_t count;
    struct rdl__piece pieces[RDL__PIECES_MAX];
};

/* False: it is optimised out, or more than we understand. */
bool rdl__variable_hold(const struct rdl__stack_frame *frame, const struct rdl__variable *variable,
                        struct rdl__registers *registers, struct rdl__holding *out,
                        struct rdl__error *error);

/* A variable or part of one: `count`, `box->items[3].id`, `*p`, `(*p)[i]`.  Indices may be
 * numbers, or such parts. */
struct rdl__part {
    const struct rdl__type *type;
    struct rdl__holding held;
    uint32_t offset;    /* in what is held */
    uint16_t bit, bits; /* of bit-fields, as in types.h */
};

bool rdl__part_find(const struct rdl__stack_frame *frame, struct rdl__registers *registers,
                    const char *path, struct rdl__part *out, struct rdl__error *error);

/* Where it lies in memory; NULL: it does not, or not as a whole. */
void *rdl__part_address(const struct rdl__part *part);

/* As many bytes as the type has; a bit-field is unpacked.  Memory that is not there is an error. */
bool rdl__part_read(const struct rdl__part *part, struct rdl__registers *registers, void *out,
                    size_t size, struct rdl__error *error);
bool rdl__part_write(const struct rdl__part *part, struct rdl__registers *registers,
                     const void *value, size_t size, struct rdl__error *error);

/* ---- For frame*.c -------- */

bool rdl__holding_read(const struct rdl__holding *held, struct rdl__registers *registers,
                       uint32_t offset, void *out, size_t size, struct rdl__error *error);
bool rdl__holding_write(const struct rdl__holding *held, struct rdl__registers *registers,
                        uint32_t offset, const void *value, size_t size, struct rdl__error *error);

/* The bytes of a register, and how many; NULL: it is not one that we have. */
uint8_t *rdl__register_bytes(struct rdl__registers *registers, uint64_t number, size_t *out_size);

/* Memory of this process that may not be there. */
bool rdl__memory_read(uint64_t address, void *out, size_t size);
bool rdl__memory_write(uint64_t address, const void *bytes, size_t size);

#endif
