/* Can.h -- the driver of one CAN controller with one transmit mailbox.
 *
 * The hardware is a struct here; what raises an interrupt calls the handlers. */
#ifndef CAN_H
#define CAN_H

#include "ComStack_Types.h"

typedef enum { CAN_OK, CAN_NOT_OK, CAN_BUSY } Can_ReturnType;

typedef struct {
    PduIdType swPduHandle; /* comes back with the confirmation */
    Can_IdType id;
    uint8 length;
    const uint8 *sdu;
} Can_PduType;

/* The registers of the controller. */
typedef struct {
    boolean running;
    boolean txRequest; /* the mailbox has a frame */
    Can_IdType txId;
    uint8 txLength;
    uint8 txData[CAN_DATA_MAX];
    Can_IdType rxId;
    uint8 rxLength;
    uint8 rxData[CAN_DATA_MAX];
} Can_RegistersType;

extern Can_RegistersType Can_Registers;

void Can_Init(void);
Std_ReturnType Can_SetControllerMode(Can_ControllerStateType mode);

/* CAN_BUSY: the mailbox is in use; CAN_NOT_OK: the controller is stopped. */
Can_ReturnType Can_Write(const Can_PduType *pdu);

void Can_MainFunction_Mode(void);  /* tells of a change of mode */
void Can_MainFunction_Write(void); /* tells that a frame is on the bus */

void Can_TxInterrupt(void);     /* the frame in the mailbox is on the bus */
void Can_RxInterrupt(void);     /* a frame has come */
void Can_BusOffInterrupt(void); /* too many errors: the controller has stopped itself */

#endif
