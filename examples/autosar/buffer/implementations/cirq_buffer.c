/* correct: a circular buffer.
 *
 * `tail` is where the next element goes, `head` where the oldest is; `bufEnd` is one byte behind
 * the last element.  Both run around; how many elements there are is counted, so that all of the
 * room can be used. */
#include "cirq_buffer.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define CIRQ_OK     0
#define CIRQ_NOT_OK 1

/* Targets whose library has no memcpy, or a slow one, say so in their configuration. */
#ifdef CFG_CIRQ_BUFFER_OWN_COPY
static void copy(void *to, const void *from, size_t count)
{
    const unsigned char *source = from;
    unsigned char *target = to;

    while (count-- > 0) {
        *target++ = *source++;
    }
}
#else
#define copy memcpy
#endif

static void init(CirqBufferType *cPtr, void *buffer, size_t size, size_t dataSize)
{
    cPtr->maxCnt = (int)size;
    cPtr->currCnt = 0;
    cPtr->dataSize = dataSize;
    cPtr->bufStart = buffer;
    cPtr->bufEnd = (char *)buffer + size * dataSize;
    cPtr->head = cPtr->bufStart;
    cPtr->tail = cPtr->bufStart;
}

static void *next(const CirqBufferType *cPtr, void *element)
{
    char *after = (char *)element + cPtr->dataSize;

    if (after == cPtr->bufEnd) {
        after = cPtr->bufStart;
    }
    return after;
}

CirqBufferType *CirqBuffDynCreate(size_t size, size_t dataSize)
{
    CirqBufferType *cPtr;
    void *buffer;

    if (size == 0 || size > INT_MAX || dataSize > SIZE_MAX / size) {
        return NULL;
    }
    cPtr = malloc(sizeof(CirqBufferType));
    buffer = malloc(size * dataSize);
    if (cPtr == NULL || buffer == NULL) {
        free(cPtr);
        free(buffer);
        return NULL;
    }
    init(cPtr, buffer, size, dataSize);
    return cPtr;
}

int CirqBuffPush(CirqBufferType *cPtr, void *dataPtr)
{
    if (cPtr == NULL || dataPtr == NULL) {
        return CIRQ_NOT_OK;
    }
    if (cPtr->currCnt == cPtr->maxCnt) {
        return CIRQ_NOT_OK;
    }
    copy(cPtr->tail, dataPtr, cPtr->dataSize);
    cPtr->tail = next(cPtr, cPtr->tail);
    cPtr->currCnt++;
    return CIRQ_OK;
}

int CirqBuffPop(CirqBufferType *cPtr, void *dataPtr)
{
    if (cPtr == NULL || dataPtr == NULL) {
        return CIRQ_NOT_OK;
    }
    if (cPtr->currCnt == 0) {
        return CIRQ_NOT_OK;
    }
    copy(dataPtr, cPtr->head, cPtr->dataSize);
    cPtr->head = next(cPtr, cPtr->head);
    cPtr->currCnt--;
    return CIRQ_OK;
}
