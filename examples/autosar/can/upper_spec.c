/* upper_spec.c -- what is above the stack.  It may be told anything at any time; what it is told
 * is checked by the call-outs of who tells it.  It sends its status whenever that changes, and
 * leaves it open what the interface answers. */
#include "Upper.h"
#include "stack.h"

RDL_TYPES(upper, struct rdl_nothing, void);

static void received_call(void *o, const struct message_received *a)
{
    (void)o;
    PduR_CanTpRxIndication(a->result, &(PduInfoType){a->message.data, a->message.length});
}

static void received_mock(Std_ReturnType result, const PduInfoType *message)
{
    rdl_mocked(upper, received, &((struct message_received){result, message_at(message)}),
               rdl_real(PduR_CanTpRxIndication)(result, message));
}

static void sent_call(void *o, const struct result *a)
{
    (void)o;
    PduR_CanTpTxConfirmation(a->result);
}

static void sent_mock(Std_ReturnType result)
{
    rdl_mocked(upper, sent, &(struct result){result}, rdl_real(PduR_CanTpTxConfirmation)(result));
}

static void com_mode_call(void *o, const struct com_mode *a)
{
    (void)o;
    ComM_BusSM_ModeIndication(a->mode);
}

static void com_mode_mock(ComM_ModeType mode)
{
    rdl_mocked(upper, com_mode, &(struct com_mode){mode},
               rdl_real(ComM_BusSM_ModeIndication)(mode));
}

static void status_args(struct rdl_case *t, const struct rdl_nothing *s, struct one_frame *a)
{
    (void)s;
    a->frame.length = 1;
    a->frame.data[0] = rdl_u8(t);
}

RDL_CALLOUTS(upper, status, rdl_call(canif, transmit, CANIF_TX_STATUS, a->frame));

static void status_call(void *o, const struct one_frame *a)
{
    (void)o;
    App_StatusChanged(&(PduInfoType){a->frame.data, a->frame.length});
}

static void *create(struct rdl_case *t, const struct rdl_nothing *s)
{
    (void)s;
    return t;
}

RDL_OP(upper, received, struct message_received, RDL_MOCKS(PduR_CanTpRxIndication, received_mock),
       .callers = "cantp", .call = received_call);
RDL_OP(upper, sent, struct result, RDL_MOCKS(PduR_CanTpTxConfirmation, sent_mock),
       .callers = "cantp", .call = sent_call);
RDL_OP(upper, com_mode, struct com_mode, RDL_MOCKS(ComM_BusSM_ModeIndication, com_mode_mock),
       .callers = "cansm", .call = com_mode_call);
RDL_OP(upper, status, struct one_frame, .callers = "test", .weight = 2, .args = status_args,
       .callouts = upper_status_callouts, .call = status_call);
RDL_SPEC(upper, RDL_OPS(upper, received, sent, com_mode, status), .create = create);
