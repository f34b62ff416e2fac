/* CanTp.h -- the transport layer: messages that are longer than a frame, in chunks.
 *
 * After ISO 15765-2.  A message of up to 7 bytes is a single frame.  A longer one begins with a
 * first frame, which the receiver answers by flow control; then consecutive frames follow. */
#ifndef CANTP_H
#define CANTP_H

#include "ComStack_Types.h"

enum {
    CANTP_MESSAGE_MAX = 32,
    CANTP_SINGLE_MAX = 7,
    CANTP_IN_FIRST = 6,       /* bytes of the message that the first frame has */
    CANTP_IN_CONSECUTIVE = 7, /* and each that follows */
    CANTP_TICKS_BS = 4,       /* calls of the main function until flow control is overdue */
    CANTP_TICKS_CR = 6,       /* and until the next consecutive frame is */

    CANTP_SINGLE = 0x00, /* the upper half of the first byte */
    CANTP_FIRST = 0x10,
    CANTP_CONSECUTIVE = 0x20,
    CANTP_FLOW_CONTROL = 0x30,

    CANTP_CLEAR_TO_SEND = 0, /* the lower half, of flow control */
    CANTP_WAIT = 1,
    CANTP_OVERFLOW = 2,
};

void CanTp_Init(void);

/* E_NOT_OK: another message is under way, or the network is off. */
Std_ReturnType CanTp_Transmit(const PduInfoType *info);
void CanTp_MainFunction(void);

/* For the CAN interface, and for the state manager: */
void CanTp_TxConfirmation(PduIdType pdu);
void CanTp_RxIndication(const PduInfoType *info);
void CanTp_ModeIndication(CanIf_PduModeType mode);

#endif
