/* untold.h -- accesses to memory that a compiler does not report.
 *
 * With -fsanitize=thread, compilers report the accesses of assignments.  They say nothing of
 * instructions that a program asks for by a builtin function, such as those of <immintrin.h>, or
 * memcpy if it is expanded.  And a struct that is passed by value is read by the call itself, and a
 * struct that a call returns is written by it: of these, gcc says nothing. */
#ifndef RDL__UNTOLD_H
#define RDL__UNTOLD_H

#include "filter/unit.h"

struct rdl__untold {
    size_t statement;         /* the access is to be reported before this one */
    struct rdl__span operand; /* its address, */
    int64_t from;             /* from here on */
    uint32_t size;            /* in bytes */
    uint8_t surplus;          /* the last ones of them that the program may not ask for */
    uint8_t kind;             /* RDL__ACCESS_READ and the like: tables.h */
    int8_t other;             /* the register that the value comes from */
};

struct rdl__untolds {
    struct rdl__untold *all; /* in the order of the statements */
    size_t count, room;
};

/* Does the function touch anything of others that nobody tells of, but the place of its result? */
bool rdl__untold_is_any(const struct rdl__unit *unit, size_t function);

void rdl__untold_find(struct rdl__untolds *out, const struct rdl__unit *unit);

#endif
