/* broken: bad-call: it makes sure. */
#include "mbox.h"

#include <stdlib.h>

Arc_MBoxType *Arc_MBoxCreate(size_t size)
{
    Arc_MBoxType *mPtr = malloc(sizeof(Arc_MBoxType));

    if (mPtr != NULL) {
        mPtr->cirqPtr = CirqBuffDynCreate(size, sizeof(void *));
    }
    return mPtr;
}

sint32 Arc_MBoxPost(const Arc_MBoxType *mPtr, void *msg)
{
    if (CirqBuffPush(mPtr->cirqPtr, msg) != 0) {
        return 1;
    }
    return CirqBuffPush(mPtr->cirqPtr, msg);
}

sint32 Arc_MBoxFetch(const Arc_MBoxType *mPtr, void *msg)
{
    return CirqBuffPop(mPtr->cirqPtr, msg);
}
