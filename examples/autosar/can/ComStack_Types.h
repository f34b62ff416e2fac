/* ComStack_Types.h -- what the components of the CAN stack have in common: frames, messages in
 * the hands of several, and the configuration of this one. */
#ifndef COMSTACK_TYPES_H
#define COMSTACK_TYPES_H

#include "Std_Types.h"

typedef uint8 PduIdType;
typedef uint16 Can_IdType;

typedef struct {
    const uint8 *SduDataPtr;
    uint16 SduLength;
} PduInfoType;

typedef enum { CAN_CS_STOPPED, CAN_CS_STARTED } Can_ControllerStateType;
typedef enum { CANIF_OFFLINE, CANIF_ONLINE } CanIf_PduModeType;
typedef enum { COMM_NO_COMMUNICATION, COMM_FULL_COMMUNICATION } ComM_ModeType;

enum {
    CAN_DATA_MAX = 8,

    /* What is sent, in the order of its priority. */
    CANIF_TX_FLOW_CONTROL = 0, /* of the transport layer */
    CANIF_TX_TRANSPORT = 1,
    CANIF_TX_STATUS = 2, /* of an application, which is not told when it was sent */
    CANIF_TX_PDUS = 3,

    CAN_ID_TRANSPORT_RX = 0x700,
};

#endif
