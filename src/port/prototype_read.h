/* prototype_read.h -- what a function takes and returns, read by libdw, in a process made for it:
 * between the files that do it. */
#ifndef RDL__PROTOTYPE_READ_H
#define RDL__PROTOTYPE_READ_H

#include "port/libdw.h"
#include "port/prototype.h"
#include "port/room.h"
#include "port/structs.h"
#include "port/types_read.h"

struct rdl__prototype_errand {
    struct rdl__prototype_wanted *wanted; /* shared */
    size_t count;
    struct rdl__room room;
};

/* Work of the process made for it, on a struct rdl__prototype_errand. */
void rdl__prototypes_read(void *errand);

/* ---- Where the calling convention has a type (prototype_classes.c) -------- */

/* As the convention calls them; X87 is for long double. */
enum rdl__class {
    RDL__CLASS_NONE,
    RDL__CLASS_INTEGER,
    RDL__CLASS_SSE,
    RDL__CLASS_SSE_UP,
    RDL__CLASS_X87,
    RDL__CLASS_X87_UP,
    RDL__CLASS_MEMORY,
};

struct rdl__classes {
    uint8_t of[2]; /* enum rdl__class, of each 8 bytes; MEMORY: all is */
    uint32_t size, alignment;
    bool is_by_clang;     /* compilers do not agree in all */
    bool is_wide_integer; /* of 16 bytes */
    bool has_quad;        /* __float128 */
    uint32_t widest;      /* the largest alignment of anything in it */
    bool may_be_packed;   /* then it would be aligned to 8 bytes, not 16; nobody says so */
    const char *refusal;  /* NULL: it is understood */
};

struct rdl__classes rdl__type_classes(Dwarf_Die *type, bool is_by_clang);

/* ---- Which registers are taken (prototype_classes.c) -------- */

struct rdl__taken {
    uint8_t integers, vectors;
    uint32_t stack;
};

/* A result in memory takes the first register. */
struct rdl__passing rdl__pass_result(const struct rdl__classes *classes, struct rdl__taken *taken);

/* Doubtful: it depends on whether it is packed where it lies on the stack. */
struct rdl__passing rdl__pass_argument(const struct rdl__classes *classes, struct rdl__taken *taken,
                                       bool *out_is_doubtful);

/* ---- One of them (prototype_read.c) -------- */

struct rdl__prototype_reading {
    struct rdl__type_reader types;
    struct rdl__structs structs;
    struct rdl__objects objects;
    struct rdl__object *object; /* at hand */
    Dwfl *dwfl;
};

/* One prototype that is being read. */
struct rdl__sketch {
    struct rdl__prototype_reading *reading;
    struct rdl__prototype *out;
    struct rdl__parameter *parameters;
    uint32_t room;
    struct rdl__taken taken;
    bool is_by_clang;
    bool is_of_c;
    bool is_own_file;    /* nobody outside of its file knows the function */
    bool is_pointed_to;  /* it is the type of a pointer, not of a function that has code */
    Dwarf_Die *concrete; /* the function that has code, and where it begins; NULL: none */
    Dwarf_Addr entry;
    const char *left_out[2]; /* parameters that may be, in integer and in vector registers */
};

/* Is it said of something? */
bool rdl__die_flag(Dwarf_Die *die, unsigned name);

/* The first reason counts. */
__attribute__((format(printf, 2, 3))) void rdl__sketch_refuse(struct rdl__sketch *sketch,
                                                              const char *format, ...);

/* Fill in the result and the parameters of a function, or of the type of one. */
void rdl__sketch_fill(struct rdl__sketch *sketch, Dwarf_Die *function);

#endif
