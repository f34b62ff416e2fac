/* correct: it has more functions than are tested, and says more of failures. */
#include "mbox.h"

#include <stdlib.h>

int CirqBuffDynDestroy(CirqBufferType *cPtr);
void Arc_MBoxDestroy(Arc_MBoxType *mPtr);

Arc_MBoxType *Arc_MBoxCreate(size_t size)
{
    Arc_MBoxType *mPtr = malloc(sizeof(Arc_MBoxType));

    if (mPtr != NULL) {
        mPtr->cirqPtr = CirqBuffDynCreate(size, sizeof(void *));
    }
    return mPtr;
}

void Arc_MBoxDestroy(Arc_MBoxType *mPtr)
{
    (void)CirqBuffDynDestroy(mPtr->cirqPtr);
    free(mPtr);
}

sint32 Arc_MBoxPost(const Arc_MBoxType *mPtr, void *msg)
{
    return CirqBuffPush(mPtr->cirqPtr, msg) != 0 ? 1 : 0;
}

sint32 Arc_MBoxFetch(const Arc_MBoxType *mPtr, void *msg)
{
    return CirqBuffPop(mPtr->cirqPtr, msg) != 0 ? 1 : 0;
}
