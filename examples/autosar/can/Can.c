/* Can.c -- the driver: between the registers of the controller and the CAN interface.
 *
 * The mailbox is free as soon as its frame is on the bus.  That this is so is told later, by the
 * main function, one frame a cycle: who is told may write the next frame at once. */
#include "Can.h"

#include <string.h>

#include "CanIf.h"

#define CONFIRMATIONS 2

Can_RegistersType Can_Registers;

static struct {
    PduIdType pdu;                        /* whose frame is in the mailbox */
    PduIdType confirmable[CONFIRMATIONS]; /* whose frames are on the bus, oldest first */
    uint8 confirmableCnt;
    boolean modeChanged; /* and nobody was told */
    Can_ControllerStateType mode;
} Can;

static void forgetFrames(void)
{
    Can_Registers.txRequest = FALSE;
    Can.confirmableCnt = 0;
}

void Can_Init(void)
{
    memset(&Can_Registers, 0, sizeof Can_Registers);
    memset(&Can, 0, sizeof Can);
}

Std_ReturnType Can_SetControllerMode(Can_ControllerStateType mode)
{
    Can_Registers.running = mode == CAN_CS_STARTED;
    forgetFrames();
    Can.mode = mode;
    Can.modeChanged = TRUE;
    return E_OK;
}

Can_ReturnType Can_Write(const Can_PduType *pdu)
{
    if (!Can_Registers.running) {
        return CAN_NOT_OK;
    }
    if (Can_Registers.txRequest) {
        return CAN_BUSY;
    }
    Can.pdu = pdu->swPduHandle;
    Can_Registers.txId = pdu->id;
    Can_Registers.txLength = pdu->length;
    memcpy(Can_Registers.txData, pdu->sdu, pdu->length);
    Can_Registers.txRequest = TRUE;
    return CAN_OK;
}

void Can_MainFunction_Mode(void)
{
    if (Can.modeChanged) {
        Can.modeChanged = FALSE;
        CanIf_ControllerModeIndication(Can.mode);
    }
}

void Can_MainFunction_Write(void)
{
    PduIdType oldest;

    if (Can.confirmableCnt == 0) {
        return;
    }
    oldest = Can.confirmable[0];
    Can.confirmableCnt--;
    memmove(&Can.confirmable[0], &Can.confirmable[1], Can.confirmableCnt);
    CanIf_TxConfirmation(oldest);
}

void Can_TxInterrupt(void)
{
    if (Can_Registers.txRequest && Can.confirmableCnt < CONFIRMATIONS) {
        Can_Registers.txRequest = FALSE;
        Can.confirmable[Can.confirmableCnt++] = Can.pdu;
    }
}

void Can_RxInterrupt(void)
{
    const PduInfoType info = {Can_Registers.rxData, Can_Registers.rxLength};

    CanIf_RxIndication(Can_Registers.rxId, &info);
}

void Can_BusOffInterrupt(void)
{
    Can_Registers.running = FALSE;
    forgetFrames();
    Can.modeChanged = FALSE;
    CanIf_ControllerBusOff();
}
