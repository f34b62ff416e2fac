/* CanIf.h -- the CAN interface: what is above need not know of controllers and mailboxes. */
#ifndef CANIF_H
#define CANIF_H

#include "ComStack_Types.h"

void CanIf_Init(void);
Std_ReturnType CanIf_SetControllerMode(Can_ControllerStateType mode);
Std_ReturnType CanIf_SetPduMode(CanIf_PduModeType mode);

/* Each PDU has a buffer of its own, for one frame.  Who is told when it was sent must not ask for
 * another before.  E_NOT_OK: the interface is offline. */
Std_ReturnType CanIf_Transmit(PduIdType pdu, const PduInfoType *info);

/* For the driver: */
void CanIf_TxConfirmation(PduIdType pdu);
void CanIf_RxIndication(Can_IdType id, const PduInfoType *info);
void CanIf_ControllerModeIndication(Can_ControllerStateType mode);
void CanIf_ControllerBusOff(void);

#endif
