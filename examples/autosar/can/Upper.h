/* Upper.h -- what the stack calls above it: the PDU router, and the communication manager. */
#ifndef UPPER_H
#define UPPER_H

#include "ComStack_Types.h"

void PduR_CanTpRxIndication(Std_ReturnType result, const PduInfoType *message);
void PduR_CanTpTxConfirmation(Std_ReturnType result);
void ComM_BusSM_ModeIndication(ComM_ModeType mode);

#endif
