/* broken: bad-spec-impl: it never holds more than 128 elements, and does not tell. */
#include "cirq_buffer.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define CIRQ_OK     0
#define CIRQ_NOT_OK 1

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
    if (cPtr->currCnt == cPtr->maxCnt || cPtr->currCnt == 128) {
        return CIRQ_NOT_OK;
    }
    memcpy(cPtr->tail, dataPtr, cPtr->dataSize);
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
    memcpy(dataPtr, cPtr->head, cPtr->dataSize);
    cPtr->head = next(cPtr, cPtr->head);
    cPtr->currCnt--;
    return CIRQ_OK;
}
