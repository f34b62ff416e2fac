/* Upper.h -- what is above the stack: the PDU router, the communication manager, and an application
 * whose status is on the bus. */
#ifndef UPPER_H
#define UPPER_H

#include "ComStack_Types.h"

void PduR_CanTpRxIndication(Std_ReturnType result, const PduInfoType *message);
void PduR_CanTpTxConfirmation(Std_ReturnType result);
void ComM_BusSM_ModeIndication(ComM_ModeType mode);

void App_StatusChanged(const PduInfoType *status);

#endif
