/* canif_spec.c -- the CAN interface: online or not, a frame in the hands of the driver, and one
 * that waits for each PDU.
 *
 * Most of what it says is call-outs, downwards to the driver and upwards to the transport layer
 * and the state manager.  It relies on its neighbours in two ways: the driver takes what it is
 * given, since it is only given one frame at a time; and the transport layer does not ask to send
 * a PDU again before the last one was confirmed.  (Of the status, the latest counts.) */
#include "CanIf.h"
#include "stack.h"

RDL_REQUIREMENT("CanIf_R1", "While it is offline nothing is sent, and requests are refused.");
RDL_REQUIREMENT("CanIf_R2", "A frame that cannot be written yet is buffered.");
RDL_REQUIREMENT("CanIf_R3", "After a confirmation the buffered frame of the first PDU is next.");
RDL_REQUIREMENT("CanIf_R4", "Frames of the transport protocol are passed on, others are not.");
RDL_REQUIREMENT("CanIf_R5", "A bus-off takes the interface offline, and the manager is told.");
RDL_REQUIREMENT("CanIf_R6", "What turns it off drops what is buffered.");

enum { NO_PDU = CANIF_TX_PDUS };

struct canif {
    bool started, online, driver_has_one;
    PduIdType in_driver;
    bool waits[CANIF_TX_PDUS];
    struct frame waiting[CANIF_TX_PDUS];
};

RDL_TYPES(canif, struct canif, void);

static const Can_IdType ids[CANIF_TX_PDUS] = {0x701, 0x702, 0x123};

static bool is_pending(const struct canif *s, PduIdType pdu)
{
    return s->waits[pdu] || (s->driver_has_one && s->in_driver == pdu);
}

static PduIdType next_of(const struct canif *s)
{
    PduIdType pdu = 0;

    while (pdu < CANIF_TX_PDUS && !s->waits[pdu])
        pdu++;
    return pdu;
}

static const struct canif stopped = {0};

/* ---- Modes -------------------------------------------------------------------------------- */

RDL_ARGS(canif, set_controller_mode,
         a->mode = rdl_chance(t, s->started ? 0.1 : 0.9) ? CAN_CS_STARTED : CAN_CS_STOPPED);
RDL_WEIGH(canif, set_controller_mode, s->started ? 1 : 8);
RDL_CALLOUTS(canif, set_controller_mode, rdl_call_returns(can, set_mode, E_OK, a->mode));
RDL_POST_RETURNS(canif, set_controller_mode, *s = stopped; s->started = a->mode == CAN_CS_STARTED;
                 *r = E_OK);
RDL_DO_RETURNS(canif, set_controller_mode, *r = CanIf_SetControllerMode(a->mode));

RDL_ARGS(canif, set_pdu_mode,
         a->mode = rdl_chance(t, s->online ? 0.1 : 0.9) ? CANIF_ONLINE : CANIF_OFFLINE);
RDL_WEIGH(canif, set_pdu_mode, s->started && !s->online ? 16 : 1);
RDL_PRE(canif, set_pdu_mode, s->started || a->mode == CANIF_OFFLINE);

static void set_pdu_mode_post(struct canif *s, const struct pdu_mode *a, Std_ReturnType *r)
{
    if (a->mode == CANIF_OFFLINE) {
        rdl_requirement("CanIf_R6");
        *s = (struct canif){.started = s->started};
    } else {
        s->online = true;
    }
    *r = E_OK;
}

RDL_DO_RETURNS(canif, set_pdu_mode, *r = CanIf_SetPduMode(a->mode));

RDL_ARGS(canif, mode_indication, a->mode = rdl_bool(t) ? CAN_CS_STARTED : CAN_CS_STOPPED);
RDL_CALLOUTS(canif, mode_indication, rdl_call(cansm, mode_indication, a->mode));
RDL_DO(canif, mode_indication, CanIf_ControllerModeIndication(a->mode));

RDL_PRE(canif, bus_off, s->started);
RDL_CALLOUTS(canif, bus_off, rdl_call(cansm, bus_off));
RDL_POST(canif, bus_off, *s = stopped);
RDL_DO(canif, bus_off, CanIf_ControllerBusOff());

/* ---- Frames ------------------------------------------------------------------------------- */

RDL_ARGS(canif, transmit, a->pdu = (PduIdType)rdl_int(t, 0, CANIF_TX_PDUS - 1);
         a->frame = draw_frame(t));
RDL_PRE(canif, transmit,
        a->pdu < CANIF_TX_PDUS && a->frame.length <= CAN_DATA_MAX &&
            (a->pdu == CANIF_TX_STATUS || !is_pending(s, a->pdu)));
RDL_CALLOUTS(canif, transmit,
             s->online && !s->driver_has_one
                 ? rdl_call_returns(can, write, 0, a->pdu, ids[a->pdu], a->frame)
                 : rdl_no_calls);

static void transmit_post(struct canif *s, const struct frame_of *a, Std_ReturnType *r)
{
    *r = s->online ? E_OK : E_NOT_OK;
    if (!s->online) {
        rdl_requirement("CanIf_R1");
    } else if (s->driver_has_one) {
        rdl_requirement("CanIf_R2");
        s->waits[a->pdu] = true;
        s->waiting[a->pdu] = a->frame;
    } else {
        s->driver_has_one = true;
        s->in_driver = a->pdu;
    }
}

RDL_DO_RETURNS(canif, transmit,
               *r = CanIf_Transmit(a->pdu, &(PduInfoType){a->frame.data, a->frame.length}));

static Std_ReturnType transmit_mock(PduIdType pdu, const PduInfoType *info)
{
    return rdl_mocked_returns(canif, transmit, &((struct frame_of){pdu, frame_at(info)}),
                              rdl_real(CanIf_Transmit)(pdu, info));
}

RDL_ARGS(canif, tx_confirmation, a->pdu = s->in_driver);
RDL_PRE(canif, tx_confirmation, s->driver_has_one && s->in_driver == a->pdu);
RDL_WEIGH(canif, tx_confirmation, s->driver_has_one ? 4 : 0);

static void tx_confirmation_callouts(const struct canif *s, const struct pdu *a)
{
    PduIdType next = next_of(s);

    rdl_callouts(rdl_sequence(
        a->pdu != CANIF_TX_STATUS ? rdl_call(cantp, tx_confirmation, a->pdu) : rdl_no_calls,
        next != NO_PDU ? rdl_call_returns(can, write, 0, next, ids[next], s->waiting[next])
                       : rdl_no_calls));
}

static void tx_confirmation_post(struct canif *s, const struct pdu *a)
{
    PduIdType next = next_of(s);

    (void)a;
    s->driver_has_one = next != NO_PDU;
    s->in_driver = 0;
    if (next != NO_PDU) {
        rdl_requirement("CanIf_R3");
        s->in_driver = next;
        s->waits[next] = false;
        s->waiting[next] = (struct frame){0};
    }
}

RDL_DO(canif, tx_confirmation, CanIf_TxConfirmation(a->pdu));

RDL_ARGS(canif, rx_indication, a->id = rdl_chance(t, 0.2) ? 0x7ff : CAN_ID_TRANSPORT_RX;
         a->frame = draw_frame(t));
RDL_CALLOUTS(canif, rx_indication,
             s->online && a->id == CAN_ID_TRANSPORT_RX ? rdl_call(cantp, rx_indication, a->frame)
                                                       : rdl_no_calls);
RDL_DO(canif, rx_indication,
       CanIf_RxIndication(a->id, &(PduInfoType){a->frame.data, a->frame.length}));

static void rx_indication_mock(Can_IdType id, const PduInfoType *info)
{
    rdl_mocked(canif, rx_indication, &((struct frame_on_bus){id, frame_at(info)}),
               rdl_real(CanIf_RxIndication)(id, info));
}

/* ---- All of it ---------------------------------------------------------------------------- */

static void *create(struct rdl_case *t, const struct canif *s)
{
    (void)s;
    CanIf_Init();
    return t;
}

static bool a_frame_waits(const struct canif *s)
{
    return next_of(s) != NO_PDU;
}

RDL_OP_RETURNS(canif, set_controller_mode, struct controller_mode, Std_ReturnType,
               .mocks = "CanIf_SetControllerMode", .callers = "cansm",
               .weigh = canif_set_controller_mode_weigh, .args = canif_set_controller_mode_args,
               .callouts = canif_set_controller_mode_callouts,
               .post = canif_set_controller_mode_post, .call = canif_set_controller_mode_call);
RDL_OP_RETURNS(canif, set_pdu_mode, struct pdu_mode, Std_ReturnType, .mocks = "CanIf_SetPduMode",
               .callers = "cansm", .weigh = canif_set_pdu_mode_weigh,
               .args = canif_set_pdu_mode_args, .pre = canif_set_pdu_mode_pre,
               .post = set_pdu_mode_post, .call = canif_set_pdu_mode_call);
RDL_OP_RETURNS(canif, transmit, struct frame_of, Std_ReturnType,
               RDL_MOCKS(CanIf_Transmit, transmit_mock), .callers = "cantp upper", .weight = 8,
               .args = canif_transmit_args, .pre = canif_transmit_pre,
               .callouts = canif_transmit_callouts, .post = transmit_post,
               .call = canif_transmit_call);
RDL_OP(canif, tx_confirmation, struct pdu, .mocks = "CanIf_TxConfirmation", .callers = "can",
       .weigh = canif_tx_confirmation_weigh, .args = canif_tx_confirmation_args,
       .pre = canif_tx_confirmation_pre, .callouts = tx_confirmation_callouts,
       .post = tx_confirmation_post, .call = canif_tx_confirmation_call);
RDL_OP(canif, rx_indication, struct frame_on_bus, RDL_MOCKS(CanIf_RxIndication, rx_indication_mock),
       .callers = "can", .requirements = "CanIf_R4", .weight = 2, .args = canif_rx_indication_args,
       .callouts = canif_rx_indication_callouts, .call = canif_rx_indication_call);
RDL_OP(canif, mode_indication, struct controller_mode, .mocks = "CanIf_ControllerModeIndication",
       .callers = "can", .args = canif_mode_indication_args,
       .callouts = canif_mode_indication_callouts, .call = canif_mode_indication_call);
RDL_OP(canif, bus_off, struct rdl_nothing, .mocks = "CanIf_ControllerBusOff", .callers = "can",
       .requirements = "CanIf_R5", .pre = canif_bus_off_pre, .callouts = canif_bus_off_callouts,
       .post = canif_bus_off_post, .call = canif_bus_off_call);
RDL_SPEC(canif,
         RDL_OPS(canif, set_controller_mode, set_pdu_mode, transmit, tx_confirmation, rx_indication,
                 mode_indication, bus_off),
         .create = create, .interesting = {{"a frame waits for the driver", a_frame_waits}});

/* It keeps nothing for later, and says so; but nobody listens. */
RDL_DEVIATION(canif, transmit, "nothing is buffered", s->online && s->driver_has_one,
              *r = E_NOT_OK);
