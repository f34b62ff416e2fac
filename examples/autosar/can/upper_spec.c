/* upper_spec.c -- what is above the stack.  It may be told anything at any time; what it is told
 * is checked by the call-outs of who tells it.  It sends its status whenever that changes, and
 * leaves it open what the interface answers. */
#include "Upper.h"
#include "stack.h"

RDL_TYPES(upper, struct rdl_nothing, void);

RDL_DO(upper, received,
       PduR_CanTpRxIndication(a->result, &(PduInfoType){a->message.data, a->message.length}));

static void received_mock(Std_ReturnType result, const PduInfoType *message)
{
    rdl_mocked(upper, received, &((struct message_received){result, message_at(message)}),
               rdl_real(PduR_CanTpRxIndication)(result, message));
}

RDL_DO(upper, sent, PduR_CanTpTxConfirmation(a->result));

RDL_DO(upper, com_mode, ComM_BusSM_ModeIndication(a->mode));

RDL_ARGS(upper, status, a->frame.length = 1; a->frame.data[0] = rdl_u8(t));
RDL_CALLOUTS(upper, status, rdl_call(canif, transmit, CANIF_TX_STATUS, a->frame));
RDL_DO(upper, status, App_StatusChanged(&(PduInfoType){a->frame.data, a->frame.length}));

static void *create(struct rdl_case *t, const struct rdl_nothing *s)
{
    (void)s;
    return t;
}

RDL_OP(upper, received, struct message_received, RDL_MOCKS(PduR_CanTpRxIndication, received_mock),
       .callers = "cantp", .call = upper_received_call);
RDL_OP(upper, sent, struct result, .mocks = "PduR_CanTpTxConfirmation", .callers = "cantp",
       .call = upper_sent_call);
RDL_OP(upper, com_mode, struct com_mode, .mocks = "ComM_BusSM_ModeIndication", .callers = "cansm",
       .call = upper_com_mode_call);
RDL_OP(upper, status, struct one_frame, .callers = "test", .weight = 2, .args = upper_status_args,
       .callouts = upper_status_callouts, .call = upper_status_call);
RDL_SPEC(upper, RDL_OPS(upper, received, sent, com_mode, status), .create = create);
