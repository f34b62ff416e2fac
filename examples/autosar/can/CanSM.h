/* CanSM.h -- the CAN state manager: turns the network on and off, and on again after a bus-off. */
#ifndef CANSM_H
#define CANSM_H

#include "ComStack_Types.h"

enum {
    CANSM_BUS_OFFS_MAX = 3, /* after so many in a row, more patience */
    CANSM_TICKS_SHORT = 1,  /* calls of the main function until it is tried again */
    CANSM_TICKS_LONG = 3,
};

void CanSM_Init(void);
Std_ReturnType CanSM_RequestComMode(ComM_ModeType mode);
ComM_ModeType CanSM_GetCurrentComMode(void);
void CanSM_MainFunction(void);

/* For the CAN interface: */
void CanSM_ControllerModeIndication(Can_ControllerStateType mode);
void CanSM_ControllerBusOff(void);

#endif
