/* stack.h -- the operations of all components of the CAN stack: each has a spec of its own, and
 * speaks of its neighbours' by these. */
#ifndef STACK_H
#define STACK_H

#include <raddle.h>

#include "CanTp.h"
#include "ComStack_Types.h"

struct controller_mode {
    Can_ControllerStateType mode;
};

struct pdu_mode {
    CanIf_PduModeType mode;
};

struct com_mode {
    ComM_ModeType mode;
};

struct pdu {
    PduIdType pdu;
};

/* Bytes beyond the length are 0. */
struct frame {
    uint8 length, data[CAN_DATA_MAX];
};

struct message {
    uint8 length, data[CANTP_MESSAGE_MAX];
};

struct frame_of {
    PduIdType pdu;
    struct frame frame;
};

struct frame_on_bus {
    Can_IdType id;
    struct frame frame;
};

struct frame_to_write {
    PduIdType pdu;
    Can_IdType id;
    struct frame frame;
};

struct one_frame {
    struct frame frame;
};

struct result {
    Std_ReturnType result;
};

struct message_received {
    Std_ReturnType result;
    struct message message;
};

/* The driver. */
RDL_EXTERN_OP_RETURNS(can, set_mode, struct controller_mode, Std_ReturnType);
RDL_EXTERN_OP_RETURNS(can, write, struct frame_to_write, int);
RDL_EXTERN_OP(can, mode_cycle, struct rdl_nothing);
RDL_EXTERN_OP(can, write_cycle, struct rdl_nothing);
RDL_EXTERN_OP(can, sent, struct rdl_nothing);
RDL_EXTERN_OP(can, received, struct frame_on_bus);
RDL_EXTERN_OP(can, bus_off, struct rdl_nothing);

/* The interface. */
RDL_EXTERN_OP_RETURNS(canif, set_controller_mode, struct controller_mode, Std_ReturnType);
RDL_EXTERN_OP_RETURNS(canif, set_pdu_mode, struct pdu_mode, Std_ReturnType);
RDL_EXTERN_OP_RETURNS(canif, transmit, struct frame_of, Std_ReturnType);
RDL_EXTERN_OP(canif, tx_confirmation, struct pdu);
RDL_EXTERN_OP(canif, rx_indication, struct frame_on_bus);
RDL_EXTERN_OP(canif, mode_indication, struct controller_mode);
RDL_EXTERN_OP(canif, bus_off, struct rdl_nothing);

/* The state manager. */
RDL_EXTERN_OP_RETURNS(cansm, request, struct com_mode, Std_ReturnType);
RDL_EXTERN_OP_RETURNS(cansm, current, struct rdl_nothing, ComM_ModeType);
RDL_EXTERN_OP(cansm, cycle, struct rdl_nothing);
RDL_EXTERN_OP(cansm, mode_indication, struct controller_mode);
RDL_EXTERN_OP(cansm, bus_off, struct rdl_nothing);

/* The transport layer. */
RDL_EXTERN_OP_RETURNS(cantp, transmit, struct message, Std_ReturnType);
RDL_EXTERN_OP(cantp, cycle, struct rdl_nothing);
RDL_EXTERN_OP(cantp, tx_confirmation, struct pdu);
RDL_EXTERN_OP(cantp, rx_indication, struct one_frame);
RDL_EXTERN_OP(cantp, mode_indication, struct pdu_mode);

/* What is above. */
RDL_EXTERN_OP(upper, received, struct message_received);
RDL_EXTERN_OP(upper, sent, struct result);
RDL_EXTERN_OP(upper, com_mode, struct com_mode);
RDL_EXTERN_OP(upper, status, struct one_frame);

/* A frame that may come over the bus: mostly one of the transport protocol (frames.c). */
struct frame draw_frame(struct rdl_case *t);

/* Between the two ways to speak of data. */
struct frame frame_at(const PduInfoType *info);
struct message message_at(const PduInfoType *info);

#endif
