/* parameters.h -- the names of a function's parameters, as its declaration has them. */
#ifndef RDL__PARAMETERS_H
#define RDL__PARAMETERS_H

#include <stdbool.h>
#include <stddef.h>

struct rdl__signature {
    const char *name; /* of the function, in the text */
    size_t name_length;
    char *names;    /* "block, data, length"; a number for one without; "": none has; to be freed */
    bool has_label; /* __asm__("...") behind it: the linker knows it by another name */
};

/* The next that looks like a declaration in what the preprocessor wrote; *at moves on.  False:
 * there is none. */
bool rdl__signature_next(struct rdl__signature *out, const char **at);

/* Can this be part of a name? */
bool rdl__is_of_name(char c);

#endif
