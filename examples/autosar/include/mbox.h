/* mbox.h -- a message box: pointers to messages wait in it until somebody fetches them.
 *
 * The interface is that of section 2 of Mostowski, Arts and Hughes, "Modelling of Autosar
 * Libraries for Large Scale Testing" (2017). */
#ifndef MBOX_H
#define MBOX_H

#include "Std_Types.h"
#include "cirq_buffer.h"

typedef struct {
    CirqBufferType *cirqPtr;
} Arc_MBoxType;

/* A box for `size` messages. */
Arc_MBoxType *Arc_MBoxCreate(size_t size);

/* Put in the pointer that `msg` points to, or take one out and write it there.  What is returned
 * is what the circular buffer says: 0 if it is done. */
sint32 Arc_MBoxPost(const Arc_MBoxType *mPtr, void *msg);
sint32 Arc_MBoxFetch(const Arc_MBoxType *mPtr, void *msg);

#endif
