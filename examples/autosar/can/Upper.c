/* Upper.c -- what is above the stack: it takes note of what it is told, and sends its status. */
#include "Upper.h"

#include "CanIf.h"

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

/* Whether it could be sent does not matter: there will be another. */
void App_StatusChanged(const PduInfoType *status)
{
    (void)CanIf_Transmit(CANIF_TX_STATUS, status);
}
