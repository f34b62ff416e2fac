#include <raddle.h>
#include <string.h>

typedef struct {
    size_t dataSize;
} CirqBufferType;
int CirqBuffPush(CirqBufferType *cPtr, void *dataPtr);

struct element {
    int value;
};
struct message {
    int value;
};
struct mbox {
    int count;
};
RDL_EXTERN_OP_RETURNS(cb, push, struct element, int);
RDL_EXTERN_SPEC(cb);
RDL_EXTERN_SPEC(mbox);

/* 1 */
