/* cirq_buffer.h -- a circular buffer of elements of any size, first in, first out.
 *
 * The interface is that of figure 1 and section 2 of Mostowski, Arts and Hughes, "Modelling of
 * Autosar Libraries for Large Scale Testing" (2017). */
#ifndef CIRQ_BUFFER_H
#define CIRQ_BUFFER_H

#include <stddef.h>

typedef struct {
    int maxCnt;      /* The max number of elements in the list */
    int currCnt;     /* The current number of elements */
    size_t dataSize; /* Size of the elements in the list */
    void *head;      /* List head and tail */
    void *tail;
    void *bufStart; /* Buffer start/stop */
    void *bufEnd;
} CirqBufferType;

/* A buffer for `size` elements of `dataSize` bytes each; NULL: there is no memory. */
CirqBufferType *CirqBuffDynCreate(size_t size, size_t dataSize);

/* Copy an element in at the end, or out of the front.  0: it is done; 1: the buffer is full, or
 * empty, and nothing has changed. */
int CirqBuffPush(CirqBufferType *cPtr, void *dataPtr);
int CirqBuffPop(CirqBufferType *cPtr, void *dataPtr);

#endif
