/* CanIf.c -- the CAN interface.
 *
 * At most one frame is in the hands of the driver.  The others wait, each in the buffer of its
 * PDU, until that one is confirmed; then the one with the highest priority is next. */
#include "CanIf.h"

#include <string.h>

#include "Can.h"
#include "CanSM.h"
#include "CanTp.h"

#define NO_PDU CANIF_TX_PDUS

static const Can_IdType txIds[CANIF_TX_PDUS] = {
    [CANIF_TX_FLOW_CONTROL] = 0x701,
    [CANIF_TX_TRANSPORT] = 0x702,
    [CANIF_TX_STATUS] = 0x123,
};

static struct {
    CanIf_PduModeType pduMode;
    PduIdType inDriver;
    struct {
        boolean used;
        uint8 length;
        uint8 data[CAN_DATA_MAX];
    } buffers[CANIF_TX_PDUS];
} CanIf;

static void goOffline(void)
{
    CanIf.pduMode = CANIF_OFFLINE;
    CanIf.inDriver = NO_PDU;
    memset(CanIf.buffers, 0, sizeof CanIf.buffers);
}

void CanIf_Init(void)
{
    goOffline();
}

Std_ReturnType CanIf_SetControllerMode(Can_ControllerStateType mode)
{
    goOffline();
    return Can_SetControllerMode(mode);
}

Std_ReturnType CanIf_SetPduMode(CanIf_PduModeType mode)
{
    if (mode == CANIF_OFFLINE) {
        goOffline();
    } else {
        CanIf.pduMode = mode;
    }
    return E_OK;
}

static Std_ReturnType writeFrame(PduIdType pdu, const uint8 *data, uint8 length)
{
    const Can_PduType frame = {pdu, txIds[pdu], length, data};

    if (Can_Write(&frame) != CAN_OK) {
        return E_NOT_OK;
    }
    CanIf.inDriver = pdu;
    return E_OK;
}

Std_ReturnType CanIf_Transmit(PduIdType pdu, const PduInfoType *info)
{
    if (CanIf.pduMode == CANIF_OFFLINE || pdu >= CANIF_TX_PDUS || info->SduLength > CAN_DATA_MAX) {
        return E_NOT_OK;
    }
    if (CanIf.inDriver == NO_PDU) {
        return writeFrame(pdu, info->SduDataPtr, (uint8)info->SduLength);
    }
    CanIf.buffers[pdu].used = TRUE;
    CanIf.buffers[pdu].length = (uint8)info->SduLength;
    memcpy(CanIf.buffers[pdu].data, info->SduDataPtr, info->SduLength);
    return E_OK;
}

static void writeNext(void)
{
    CanIf.inDriver = NO_PDU;
    for (PduIdType pdu = 0; pdu < CANIF_TX_PDUS; pdu++) {
        if (CanIf.buffers[pdu].used) {
            CanIf.buffers[pdu].used = FALSE;
            (void)writeFrame(pdu, CanIf.buffers[pdu].data, CanIf.buffers[pdu].length);
            return;
        }
    }
}

void CanIf_TxConfirmation(PduIdType pdu)
{
    if (pdu != CANIF_TX_STATUS) {
        CanTp_TxConfirmation(pdu);
    }
    writeNext();
}

void CanIf_RxIndication(Can_IdType id, const PduInfoType *info)
{
    if (CanIf.pduMode == CANIF_ONLINE && id == CAN_ID_TRANSPORT_RX) {
        CanTp_RxIndication(info);
    }
}

void CanIf_ControllerModeIndication(Can_ControllerStateType mode)
{
    CanSM_ControllerModeIndication(mode);
}

void CanIf_ControllerBusOff(void)
{
    goOffline();
    CanSM_ControllerBusOff();
}
