/* Upper.c -- what is above the stack: it takes note, and that is all. */
#include "Upper.h"

static struct {
    uint32 received, sent, failed;
    ComM_ModeType mode;
} Upper;

void PduR_CanTpRxIndication(Std_ReturnType result, const PduInfoType *message)
{
    (void)message;
    Upper.received += result == E_OK;
    Upper.failed += result != E_OK;
}

void PduR_CanTpTxConfirmation(Std_ReturnType result)
{
    Upper.sent += result == E_OK;
    Upper.failed += result != E_OK;
}

void ComM_BusSM_ModeIndication(ComM_ModeType mode)
{
    Upper.mode = mode;
}
