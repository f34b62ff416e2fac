/* prototype.h -- what a function takes and returns, and where the calling convention (System V, for
 * AMD64) has each of them.
 *
 * From debugging information: of the function itself, or of a variable that is a pointer to such a
 * function, for functions that have none.
 *
 *     static __typeof__(flash_write) *const like = flash_write;
 *
 *     struct rdl__prototype_wanted wanted = {.entry = (uintptr_t)flash_write};
 *     (or                                   {.variable = &like})
 *     rdl__prototypes_find(&wanted, 1);
 *     wanted.prototype.parameters[0].name ...
 *
 * Together with thunk.h, arguments and results can be read and written by their numbers. */
#ifndef RDL__PROTOTYPE_H
#define RDL__PROTOTYPE_H

#include <stddef.h>
#include <stdint.h>

#include "port/thunk.h"
#include "port/types.h"

/* What holds 8 bytes of a value; or, where it is said of the first 8, all of it. */
enum rdl__carrier {
    RDL__CARRIED_BY_NOTHING,
    RDL__CARRIED_BY_INTEGER,    /* rdl__arguments.integers; of results rax, rdx */
    RDL__CARRIED_BY_VECTOR,     /* .vectors; of results .returned */
    RDL__CARRIED_BY_VECTOR_TOP, /* the upper half of the one before */
    RDL__CARRIED_BY_STACK,      /* all of it */
    RDL__CARRIED_BY_ST0,        /* all of a result */
    RDL__CARRIED_BY_POINTER,    /* all of a result: the caller has passed where to put it */
};

struct rdl__passing {
    uint8_t how[2];    /* enum rdl__carrier */
    uint8_t number[2]; /* of the register */
    uint32_t at;       /* on the stack: bytes from the first */
};

struct rdl__parameter {
    const char *name;             /* "": it has none */
    const char *type_name;        /* as in C */
    const struct rdl__type *type; /* of a pointer, with what it points to (of), if known */
    uint32_t size;
    struct rdl__passing passing;
};

struct rdl__prototype {
    const char *name; /* of the function; "": not known */
    const struct rdl__parameter *parameters;
    uint32_t count;
    const struct rdl__type *returns; /* NULL: nothing */
    const char *returns_name;        /* "void" */
    uint32_t returns_size;
    struct rdl__passing returning;
    uint32_t stack_bytes;
    bool is_variadic;    /* more may follow, of which nothing is known; it is handed on */
    bool never_returns;  /* as the function says; a variable does not tell */
    const char *refusal; /* why it cannot be mocked; "": it can */
};

struct rdl__prototype_wanted {
    uintptr_t entry;      /* of the function; or 0 and */
    const void *variable; /* a variable that is a pointer to such a function */
    const char *name;     /* of the function that the variable is about, for names of parameters;
                             NULL: what the variable points to */
    struct rdl__prototype prototype; /* what is found; it stays */
};

/* All at once: it takes long. */
void rdl__prototypes_find(struct rdl__prototype_wanted *wanted, size_t count);

/* As many bytes as the parameter or result has. */
void rdl__argument_read(const struct rdl__prototype *p, uint32_t i,
                        const struct rdl__arguments *from, void *out);
void rdl__argument_write(const struct rdl__prototype *p, uint32_t i, struct rdl__arguments *to,
                         const void *value);
void rdl__returned_read(const struct rdl__prototype *p, const struct rdl__arguments *from,
                        void *out);
void rdl__returned_write(const struct rdl__prototype *p, struct rdl__arguments *to,
                         const void *value);

/* Call a function of this prototype with these arguments; what it returns is put where
 * rdl__returned_read finds it, and where a thunk returns it from. */
void rdl__prototype_call(const struct rdl__prototype *p, uintptr_t function,
                         struct rdl__arguments *arguments);

#endif
