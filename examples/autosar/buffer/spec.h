/* spec.h -- the operations of a circular buffer, for its own spec and for those of its callers. */
#ifndef BUFFER_SPEC_H
#define BUFFER_SPEC_H

#include <raddle.h>

enum { BUFFER_SIZE_MAX = 256 }; /* of those that are tested */

struct sizes {
    size_t size, data_size;
};

/* What is in the buffer, and what comes out of it.  Bytes beyond the data size are 0. */
struct element {
    uint64_t words[2];
};

struct popped {
    int status;
    struct element element;
};

RDL_EXTERN_OP(cb, create, struct sizes);
RDL_EXTERN_OP_RETURNS(cb, push, struct element, int);
RDL_EXTERN_OP_RETURNS(cb, pop, struct rdl_nothing, struct popped);

#endif
