/* spec.h -- the operations of a message box, for its own spec and for those of its callers. */
#ifndef MBOX_SPEC_H
#define MBOX_SPEC_H

#include <raddle.h>

enum { MBOX_SIZE_MAX = 256 }; /* of those that are tested */

struct box_size {
    size_t size;
};

/* A message is a pointer, of which only the value counts. */
struct message {
    uint64_t value;
};

struct fetched {
    int status;
    uint64_t value;
};

RDL_EXTERN_OP(mbox, create, struct box_size);
RDL_EXTERN_OP_RETURNS(mbox, post, struct message, int);
RDL_EXTERN_OP_RETURNS(mbox, fetch, struct rdl_nothing, struct fetched);

#endif
