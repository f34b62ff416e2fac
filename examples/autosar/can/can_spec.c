/* can_spec.c -- the driver: a mailbox that is free or not, frames that were sent and of which the
 * interface has not been told, and a mode of which it may not have been told either.
 *
 * It is called from above and from below, and calls upwards: the interrupts and main functions,
 * which the test calls, have call-outs to the CAN interface. */
#include <string.h>

#include "Can.h"
#include "CanIf.h"
#include "stack.h"

RDL_REQUIREMENT("Can_R1", "A stopped controller refuses to write.");
RDL_REQUIREMENT("Can_R2", "A mailbox that is in use refuses another frame.");
RDL_REQUIREMENT("Can_R3", "A frame that was sent is confirmed by the main function, once.");
RDL_REQUIREMENT("Can_R4", "A frame that comes is passed on at once.");
RDL_REQUIREMENT("Can_R5", "At a bus-off all frames are forgotten, and the interface is told.");
RDL_REQUIREMENT("Can_R6", "A change of mode is told of by the main function.");

struct can {
    bool running, mode_is_new, mailbox_is_used;
    struct frame_to_write mailbox;
    rdl_fifo(PduIdType, 2) sent;
};

RDL_TYPES(can, struct can, Can_RegistersType);

/* ---- From above --------------------------------------------------------------------------- */

RDL_ARGS(can, set_mode,
         a->mode = rdl_chance(t, s->running ? 0.2 : 0.9) ? CAN_CS_STARTED : CAN_CS_STOPPED);
RDL_POST_RETURNS(can, set_mode,
                 *s = (struct can){.running = a->mode == CAN_CS_STARTED, .mode_is_new = true};
                 *r = E_OK);
RDL_DO_RETURNS(can, set_mode, *r = Can_SetControllerMode(a->mode));

RDL_ARGS(can, write, a->pdu = (PduIdType)rdl_int(t, 0, CANIF_TX_PDUS - 1);
         a->id = (Can_IdType)rdl_int(t, 0, 0x7ff); a->frame = draw_frame(t));

static void write_post(struct can *s, const struct frame_to_write *a, int *r)
{
    if (!s->running) {
        rdl_requirement("Can_R1");
        *r = CAN_NOT_OK;
    } else if (s->mailbox_is_used) {
        rdl_requirement("Can_R2");
        *r = CAN_BUSY;
    } else {
        s->mailbox_is_used = true;
        s->mailbox = *a;
        *r = CAN_OK;
    }
}

RDL_DO_RETURNS(can, write,
               *r = (int)Can_Write(&(Can_PduType){a->pdu, a->id, a->frame.length, a->frame.data}));

static Can_ReturnType write_mock(const Can_PduType *pdu)
{
    const PduInfoType info = {pdu->sdu, pdu->length};
    const struct frame_to_write a = {pdu->swPduHandle, pdu->id, frame_at(&info)};

    return (Can_ReturnType)rdl_mocked_returns(can, write, &a, (int)rdl_real(Can_Write)(pdu));
}

/* ---- Main functions ----------------------------------------------------------------------- */

RDL_CALLOUTS(can, mode_cycle,
             s->mode_is_new
                 ? rdl_call(canif, mode_indication, s->running ? CAN_CS_STARTED : CAN_CS_STOPPED)
                 : rdl_no_calls);
RDL_POST(can, mode_cycle, s->mode_is_new = false);
RDL_DO(can, mode_cycle, Can_MainFunction_Mode());

static void write_cycle_callouts(const struct can *s, const struct rdl_nothing *a)
{
    (void)a;
    if (s->sent.count > 0) {
        rdl_requirement("Can_R3");
        rdl_callouts(rdl_call(canif, tx_confirmation, rdl_fifo_peek(&s->sent)));
    }
}

static void write_cycle_post(struct can *s, const struct rdl_nothing *a)
{
    (void)a;
    if (s->sent.count > 0)
        (void)rdl_fifo_get(&s->sent);
}

RDL_DO(can, write_cycle, Can_MainFunction_Write());

/* ---- Interrupts --------------------------------------------------------------------------- */

RDL_PRE(can, sent, s->mailbox_is_used && s->sent.count < rdl_capacity(&s->sent));
RDL_WEIGH(can, sent, s->mailbox_is_used ? 4 : 0);
RDL_POST(can, sent, rdl_fifo_put(&s->sent, s->mailbox.pdu); s->mailbox_is_used = false;
         s->mailbox = (struct frame_to_write){0});
RDL_DO(can, sent, Can_TxInterrupt());

RDL_ARGS(can, received, a->id = rdl_chance(t, 0.1) ? 0x7ff : CAN_ID_TRANSPORT_RX;
         a->frame = draw_frame(t));
RDL_PRE(can, received, s->running);
RDL_WEIGH(can, received, s->running ? 4 : 0);
RDL_CALLOUTS(can, received, rdl_call(canif, rx_indication, a->id, a->frame));
RDL_DO(can, received, o->rxId = a->id; o->rxLength = a->frame.length;
       memcpy(o->rxData, a->frame.data, sizeof o->rxData); Can_RxInterrupt());

RDL_PRE(can, bus_off, s->running);
RDL_WEIGH(can, bus_off, s->running);
RDL_CALLOUTS(can, bus_off, rdl_call(canif, bus_off));
RDL_POST(can, bus_off, *s = (struct can){0});
RDL_DO(can, bus_off, Can_BusOffInterrupt());

/* ---- All of it ---------------------------------------------------------------------------- */

static Can_RegistersType *create(struct rdl_case *t, const struct can *s)
{
    (void)t, (void)s;
    Can_Init();
    return &Can_Registers;
}

/* The registers show what the driver has to show. */
static bool registers_agree(Can_RegistersType *o, const struct can *s)
{
    if (o->running != s->running || o->txRequest != s->mailbox_is_used)
        return false;
    return !s->mailbox_is_used ||
           (o->txId == s->mailbox.id && o->txLength == s->mailbox.frame.length &&
            memcmp(o->txData, s->mailbox.frame.data, o->txLength) == 0);
}

RDL_OP_RETURNS(can, set_mode, struct controller_mode, Std_ReturnType,
               .mocks = "Can_SetControllerMode", .callers = "canif", .args = can_set_mode_args,
               .post = can_set_mode_post, .call = can_set_mode_call);
RDL_OP_RETURNS(can, write, struct frame_to_write, int, RDL_MOCKS(Can_Write, write_mock),
               .callers = "canif", .weight = 4, .args = can_write_args, .post = write_post,
               .call = can_write_call);
RDL_OP(can, mode_cycle, struct rdl_nothing, .callers = "test", .requirements = "Can_R6",
       .weight = 2, .callouts = can_mode_cycle_callouts, .post = can_mode_cycle_post,
       .call = can_mode_cycle_call);
RDL_OP(can, write_cycle, struct rdl_nothing, .callers = "test", .weight = 4,
       .callouts = write_cycle_callouts, .post = write_cycle_post, .call = can_write_cycle_call);
RDL_OP(can, sent, struct rdl_nothing, .callers = "test", .weigh = can_sent_weigh,
       .pre = can_sent_pre, .post = can_sent_post, .call = can_sent_call);
RDL_OP(can, received, struct frame_on_bus, .callers = "test", .requirements = "Can_R4",
       .weigh = can_received_weigh, .args = can_received_args, .pre = can_received_pre,
       .callouts = can_received_callouts, .call = can_received_call);
RDL_OP(can, bus_off, struct rdl_nothing, .callers = "test", .requirements = "Can_R5",
       .weigh = can_bus_off_weigh, .pre = can_bus_off_pre, .callouts = can_bus_off_callouts,
       .post = can_bus_off_post, .call = can_bus_off_call);
RDL_SPEC(can, RDL_OPS(can, set_mode, write, mode_cycle, write_cycle, sent, received, bus_off),
         .create = create, .agrees = registers_agree);

/* As if the mailbox were free when its frame is confirmed, and not when it is on the bus. */
RDL_DEVIATION(can, write, "the mailbox is free later", s->running && s->sent.count > 0,
              *r = CAN_BUSY);
