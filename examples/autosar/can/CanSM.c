/* CanSM.c -- the CAN state manager.
 *
 * Requests and indications are noted; the main function makes one transition a cycle.  Only that
 * nothing can be sent after a bus-off is told at once. */
#include "CanSM.h"

#include <string.h>

#include "CanIf.h"
#include "CanTp.h"
#include "Upper.h"

typedef enum { NO_COM, STARTING, FULL_COM, RECOVERING } StateType;

static struct {
    StateType state;
    ComM_ModeType requested;
    boolean started; /* as the controller says */
    uint8 busOffs;   /* since the network was last turned on */
    uint8 ticks;     /* until it is tried again */
} CanSM;

void CanSM_Init(void)
{
    memset(&CanSM, 0, sizeof CanSM);
}

Std_ReturnType CanSM_RequestComMode(ComM_ModeType mode)
{
    CanSM.requested = mode;
    return E_OK;
}

ComM_ModeType CanSM_GetCurrentComMode(void)
{
    return CanSM.state == FULL_COM ? COMM_FULL_COMMUNICATION : COMM_NO_COMMUNICATION;
}

static void start(void)
{
    CanSM.started = FALSE;
    CanSM.state = STARTING;
    (void)CanIf_SetControllerMode(CAN_CS_STARTED);
}

static void goOnline(void)
{
    CanSM.state = FULL_COM;
    (void)CanIf_SetPduMode(CANIF_ONLINE);
    CanTp_ModeIndication(CANIF_ONLINE);
    ComM_BusSM_ModeIndication(COMM_FULL_COMMUNICATION);
}

static void stop(void)
{
    if (CanSM.state == FULL_COM) {
        CanTp_ModeIndication(CANIF_OFFLINE);
        (void)CanIf_SetPduMode(CANIF_OFFLINE);
    }
    (void)CanIf_SetControllerMode(CAN_CS_STOPPED);
    CanSM.state = NO_COM;
    CanSM.busOffs = 0;
    ComM_BusSM_ModeIndication(COMM_NO_COMMUNICATION);
}

void CanSM_MainFunction(void)
{
    if (CanSM.state != NO_COM && CanSM.requested == COMM_NO_COMMUNICATION) {
        stop();
    } else if (CanSM.state == NO_COM && CanSM.requested == COMM_FULL_COMMUNICATION) {
        start();
    } else if (CanSM.state == STARTING && CanSM.started) {
        goOnline();
    } else if (CanSM.state == RECOVERING && CanSM.ticks > 0) {
        CanSM.ticks--;
    } else if (CanSM.state == RECOVERING) {
        start();
    }
}

void CanSM_ControllerModeIndication(Can_ControllerStateType mode)
{
    CanSM.started = mode == CAN_CS_STARTED;
}

void CanSM_ControllerBusOff(void)
{
    CanSM.started = FALSE;
    CanSM.state = RECOVERING;
    if (CanSM.busOffs < CANSM_BUS_OFFS_MAX) {
        CanSM.busOffs++;
        CanSM.ticks = CANSM_TICKS_SHORT;
    } else {
        CanSM.ticks = CANSM_TICKS_LONG;
    }
    CanTp_ModeIndication(CANIF_OFFLINE);
}
