/* cantp_spec.c -- the transport layer: a message on its way out, in chunks, and one on its way in.
 *
 * The model knows how much of each has been sent and received; which frame is due, and what a
 * frame means, follows from that.  receive() is the whole of reception: as the effect of the
 * operation, and on a copy of the state to find out whom it calls.
 *
 * Chance alone would hardly ever see a message through.  So frames that come are mostly those that
 * are waited for, confirmations come soon, and the network is seldom turned off; "interesting"
 * states are reported on, to see whether that is enough.
 *
 * With CANTP_AT_ONCE it is the spec of the hasty flavour; see tests.c. */
#include <string.h>

#include "CanTp.h"
#include "stack.h"

RDL_REQUIREMENT("CanTp_R1", "A message is refused while another is under way, or the net is off.");
RDL_REQUIREMENT("CanTp_R2", "A short message is a single frame.");
RDL_REQUIREMENT("CanTp_R3", "A long message begins with a first frame.");
RDL_REQUIREMENT("CanTp_R4", "Consecutive frames follow when flow control allows it.");
RDL_REQUIREMENT("CanTp_R5", "After a block of them flow control is awaited again.");
RDL_REQUIREMENT("CanTp_R6", "The sender is told that all is sent when the last is confirmed.");
RDL_REQUIREMENT("CanTp_R7", "A message whose flow control is overdue, or refuses it, fails.");
RDL_REQUIREMENT("CanTp_R8", "A first frame is answered by flow control.");
RDL_REQUIREMENT("CanTp_R9", "A message is passed on when it is complete.");
RDL_REQUIREMENT("CanTp_R10", "A message of which a frame is missing or late fails.");
RDL_REQUIREMENT("CanTp_R11", "What is under way fails when the network goes off.");

struct cantp {
    bool online;
    struct {
        enum { IDLE, FRAME_IS_DUE, WAITS, LAST_IS_SENT } state;
        bool unconfirmed; /* a frame */
        struct message message;
        int sent, frames, block, ticks;
    } out;
    struct {
        bool active, answer_is_due, unconfirmed;
        uint8 answer;
        struct message message;
        int received, frames, ticks;
    } in;
};

RDL_TYPES(cantp, struct cantp, void);

/* ---- Out ---------------------------------------------------------------------------------- */

/* The frame that is due, and how much of the message is in it. */
static struct frame due_frame(const struct cantp *s, int *out_count)
{
    int length = s->out.message.length, left = length - s->out.sent;
    bool first = s->out.sent == 0, single = first && length <= CANTP_SINGLE_MAX;
    int head = first && !single ? 2 : 1, room = CAN_DATA_MAX - head;
    int count = left < room ? left : room;
    struct frame frame = {.length = (uint8)(head + count)};

    frame.data[0] = (uint8)(single  ? CANTP_SINGLE | length
                            : first ? CANTP_FIRST
                                    : CANTP_CONSECUTIVE | (s->out.frames & 0xf));
    if (head == 2)
        frame.data[1] = (uint8)length;
    memcpy(frame.data + head, s->out.message.data + s->out.sent, (size_t)count);
    *out_count = count;
    return frame;
}

static void send_due_frame(struct cantp *s)
{
    bool first = s->out.sent == 0;
    int count;

    due_frame(s, &count);
    s->out.sent += count;
    s->out.frames++;
    s->out.unconfirmed = true;
    if (s->out.sent == s->out.message.length) {
        s->out.state = LAST_IS_SENT;
    } else if (first || (s->out.block > 0 && --s->out.block == 0)) {
        s->out.state = WAITS;
        s->out.ticks = CANTP_TICKS_BS;
    }
}

static void end_out(struct cantp *s)
{
    bool unconfirmed = s->out.unconfirmed;

    memset(&s->out, 0, sizeof s->out);
    s->out.unconfirmed = unconfirmed;
}

static void transmit_args(struct rdl_case *t, const struct cantp *s, struct message *a)
{
    (void)s;
    a->length = (uint8)(rdl_frequency(t, 1, 3) == 0 ? rdl_int(t, 1, CANTP_SINGLE_MAX)
                                                    : rdl_int(t, 8, CANTP_MESSAGE_MAX));
    for (int i = 0; i < a->length; i++)
        a->data[i] = rdl_u8(t);
}

RDL_WEIGH(cantp, transmit, s->out.state == IDLE ? 4 : 1);

static void transmit_post(struct cantp *s, const struct message *a, Std_ReturnType *r)
{
    if (!s->online || s->out.state != IDLE || s->out.unconfirmed) {
        rdl_requirement("CanTp_R1");
        *r = E_NOT_OK;
        return;
    }
    if (a->length <= CANTP_SINGLE_MAX)
        rdl_requirement("CanTp_R2");
    else
        rdl_requirement("CanTp_R3");
    s->out.state = FRAME_IS_DUE;
    s->out.message = *a;
    *r = E_OK;
}

RDL_DO_RETURNS(cantp, transmit, *r = CanTp_Transmit(&(PduInfoType){a->data, a->length}));

RDL_ARGS(cantp, tx_confirmation,
         a->pdu = s->in.unconfirmed ? CANIF_TX_FLOW_CONTROL : CANIF_TX_TRANSPORT);
RDL_PRE(cantp, tx_confirmation,
        a->pdu == CANIF_TX_FLOW_CONTROL ? s->in.unconfirmed : s->out.unconfirmed);
RDL_WEIGH(cantp, tx_confirmation, s->in.unconfirmed || s->out.unconfirmed ? 8 : 0);

#ifdef CANTP_AT_ONCE
enum { SENDS_AT_ONCE = true };
#else
enum { SENDS_AT_ONCE = false };
#endif

static void tx_confirmation_callouts(const struct cantp *s, const struct pdu *a)
{
    int count;

    if (a->pdu == CANIF_TX_TRANSPORT && s->out.state == LAST_IS_SENT)
        rdl_callouts(rdl_call(upper, sent, E_OK));
    else if (a->pdu == CANIF_TX_TRANSPORT && s->out.state == FRAME_IS_DUE && SENDS_AT_ONCE)
        rdl_callouts(
            rdl_call_returns(canif, transmit, E_OK, CANIF_TX_TRANSPORT, due_frame(s, &count)));
}

static void tx_confirmation_post(struct cantp *s, const struct pdu *a)
{
    if (a->pdu == CANIF_TX_FLOW_CONTROL) {
        s->in.unconfirmed = false;
        return;
    }
    s->out.unconfirmed = false;
    if (s->out.state == LAST_IS_SENT) {
        rdl_requirement("CanTp_R6");
        end_out(s);
    } else if (s->out.state == FRAME_IS_DUE && SENDS_AT_ONCE) {
        send_due_frame(s);
    }
}

RDL_DO(cantp, tx_confirmation, CanTp_TxConfirmation(a->pdu));

/* ---- In ----------------------------------------------------------------------------------- */

/* What is told above, in this order. */
struct told {
    bool fails_to_receive, receives, fails_to_send;
    struct message message;
};

static void end_in(struct cantp *s)
{
    s->in.active = false;
    s->in.message = (struct message){0};
    s->in.received = s->in.frames = s->in.ticks = 0;
}

static void fail_in(struct cantp *s, struct told *told)
{
    told->fails_to_receive |= s->in.active;
    end_in(s);
}

/* These bytes belong to the message, as far as it is long. */
static void keep(struct cantp *s, struct told *told, const uint8 *bytes, int count)
{
    int room = s->in.message.length - s->in.received;

    count = count < room ? count : room;
    memcpy(s->in.message.data + s->in.received, bytes, (size_t)count);
    s->in.received += count;
    s->in.frames++;
    s->in.ticks = CANTP_TICKS_CR;
    if (s->in.received == s->in.message.length) {
        told->receives = true;
        told->message = s->in.message;
        end_in(s);
    }
}

static void begin(struct cantp *s, struct told *told, int length)
{
    fail_in(s, told);
    s->in.active = true;
    s->in.message.length = (uint8)length;
}

static void receive_first(struct cantp *s, struct told *told, const struct frame *f)
{
    int length = (f->data[0] & 0xf) << 8 | f->data[1];

    if (f->length < CAN_DATA_MAX || length <= CANTP_SINGLE_MAX)
        return;
    s->in.answer_is_due = true;
    s->in.answer = length > CANTP_MESSAGE_MAX ? CANTP_OVERFLOW : CANTP_CLEAR_TO_SEND;
    if (length > CANTP_MESSAGE_MAX) {
        fail_in(s, told);
    } else {
        begin(s, told, length);
        keep(s, told, f->data + 2, CANTP_IN_FIRST);
    }
}

static void receive_flow_control(struct cantp *s, struct told *told, const struct frame *f)
{
    int status = f->data[0] & 0xf;

    if (s->out.state != WAITS || f->length < 3)
        return;
    if (status == CANTP_CLEAR_TO_SEND) {
        s->out.state = FRAME_IS_DUE;
        s->out.block = f->data[1];
        s->out.ticks = 0;
    } else if (status == CANTP_WAIT) {
        s->out.ticks = CANTP_TICKS_BS;
    } else {
        told->fails_to_send = true;
        end_out(s);
    }
}

static struct told receive(struct cantp *s, const struct frame *f)
{
    struct told told = {0};
    int low = f->data[0] & 0xf;

    if (f->length < 2)
        return told;
    switch (f->data[0] & 0xf0) {
    case CANTP_SINGLE:
        if (low > 0 && low <= CANTP_SINGLE_MAX && f->length > low) {
            begin(s, &told, low);
            keep(s, &told, f->data + 1, low);
        }
        break;
    case CANTP_FIRST:
        receive_first(s, &told, f);
        break;
    case CANTP_CONSECUTIVE:
        if (s->in.active && low == (s->in.frames & 0xf))
            keep(s, &told, f->data + 1, f->length - 1);
        else
            fail_in(s, &told);
        break;
    case CANTP_FLOW_CONTROL:
        receive_flow_control(s, &told, f);
        break;
    }
    return told;
}

/* Mostly what is waited for. */
static void rx_indication_args(struct rdl_case *t, const struct cantp *s, struct one_frame *a)
{
    a->frame = draw_frame(t);
    if (s->out.state == WAITS && rdl_chance(t, 0.7))
        a->frame = (struct frame){3, {CANTP_FLOW_CONTROL, (uint8)rdl_int(t, 0, 2)}};
    else if (s->in.active && rdl_chance(t, 0.8))
        a->frame.data[0] = (uint8)(CANTP_CONSECUTIVE | (s->in.frames & 0xf));
}

static void rx_indication_callouts(const struct cantp *s, const struct one_frame *a)
{
    struct cantp copy = *s;
    struct told told = receive(&copy, &a->frame);

    rdl_callouts(rdl_sequence(
        told.fails_to_receive ? rdl_call(upper, received, .result = E_NOT_OK) : rdl_no_calls,
        told.receives ? rdl_call(upper, received, E_OK, told.message) : rdl_no_calls,
        told.fails_to_send ? rdl_call(upper, sent, E_NOT_OK) : rdl_no_calls));
}

static void rx_indication_post(struct cantp *s, const struct one_frame *a)
{
    struct told told = receive(s, &a->frame);

    if (told.receives)
        rdl_requirement("CanTp_R9");
    if (told.fails_to_receive)
        rdl_requirement("CanTp_R10");
    if (told.fails_to_send)
        rdl_requirement("CanTp_R7");
}

RDL_DO(cantp, rx_indication, CanTp_RxIndication(&(PduInfoType){a->frame.data, a->frame.length}));

static void rx_indication_mock(const PduInfoType *info)
{
    rdl_mocked(cantp, rx_indication, &(struct one_frame){frame_at(info)},
               rdl_real(CanTp_RxIndication)(info));
}

/* ---- The main function -------------------------------------------------------------------- */

static bool answers(const struct cantp *s)
{
    return s->in.answer_is_due && !s->in.unconfirmed;
}

static bool sends(const struct cantp *s)
{
    return s->out.state == FRAME_IS_DUE && !s->out.unconfirmed;
}

static bool is_late(const struct cantp *s)
{
    return s->out.state == WAITS && !s->out.unconfirmed && s->out.ticks == 1;
}

static void cycle_callouts(const struct cantp *s, const struct rdl_nothing *a)
{
    struct frame answer = {3, {CANTP_FLOW_CONTROL | s->in.answer}}, due = {0};
    int count;

    (void)a;
    if (sends(s))
        due = due_frame(s, &count);
    rdl_callouts(rdl_sequence(
        answers(s) ? rdl_call_returns(canif, transmit, E_OK, CANIF_TX_FLOW_CONTROL, answer)
                   : rdl_no_calls,
        s->in.active && s->in.ticks == 1 ? rdl_call(upper, received, .result = E_NOT_OK)
                                         : rdl_no_calls,
        sends(s)     ? rdl_call_returns(canif, transmit, E_OK, CANIF_TX_TRANSPORT, due)
        : is_late(s) ? rdl_call(upper, sent, E_NOT_OK)
                     : rdl_no_calls));
}

static void go_on_out(struct cantp *s)
{
    if (sends(s)) {
        if (s->out.sent > 0)
            rdl_requirement("CanTp_R4");
        send_due_frame(s);
        if (s->out.state == WAITS && s->out.frames > 1)
            rdl_requirement("CanTp_R5");
    } else if (is_late(s)) {
        rdl_requirement("CanTp_R7");
        end_out(s);
    } else if (s->out.state == WAITS && !s->out.unconfirmed) {
        s->out.ticks--;
    }
}

static void cycle_post(struct cantp *s, const struct rdl_nothing *a)
{
    (void)a;
    if (answers(s)) {
        rdl_requirement("CanTp_R8");
        s->in.answer_is_due = false;
        s->in.unconfirmed = true;
    }
    if (s->in.active && --s->in.ticks == 0) {
        rdl_requirement("CanTp_R10");
        end_in(s);
    }
    go_on_out(s);
}

RDL_DO(cantp, cycle, CanTp_MainFunction());

/* ---- The network --------------------------------------------------------------------------- */

RDL_ARGS(cantp, mode_indication,
         a->mode = rdl_chance(t, s->online ? 0.2 : 0.9) ? CANIF_ONLINE : CANIF_OFFLINE);
RDL_WEIGH(cantp, mode_indication, s->online ? 1 : 12);
RDL_CALLOUTS(cantp, mode_indication,
             rdl_sequence(a->mode == CANIF_OFFLINE && s->out.state != IDLE
                              ? rdl_call(upper, sent, E_NOT_OK)
                              : rdl_no_calls,
                          a->mode == CANIF_OFFLINE && s->in.active
                              ? rdl_call(upper, received, .result = E_NOT_OK)
                              : rdl_no_calls));

static void mode_indication_post(struct cantp *s, const struct pdu_mode *a)
{
    if (a->mode == CANIF_OFFLINE) {
        if (s->out.state != IDLE || s->in.active)
            rdl_requirement("CanTp_R11");
        *s = (struct cantp){0};
    } else {
        s->online = true;
    }
}

RDL_DO(cantp, mode_indication, CanTp_ModeIndication(a->mode));

/* ---- All of it ---------------------------------------------------------------------------- */

static void *create(struct rdl_case *t, const struct cantp *s)
{
    (void)s;
    CanTp_Init();
    return t;
}

static bool long_message_is_sent(const struct cantp *s)
{
    return s->out.state == LAST_IS_SENT && s->out.message.length > CANTP_SINGLE_MAX;
}

static bool last_frame_is_awaited(const struct cantp *s)
{
    return s->in.active && s->in.message.length - s->in.received <= CANTP_IN_CONSECUTIVE;
}

RDL_OP_RETURNS(cantp, transmit, struct message, Std_ReturnType, .callers = "test",
               .weigh = cantp_transmit_weigh, .args = transmit_args, .post = transmit_post,
               .call = cantp_transmit_call);
RDL_OP(cantp, cycle, struct rdl_nothing, .callers = "test", .weight = 8, .callouts = cycle_callouts,
       .post = cycle_post, .call = cantp_cycle_call);
RDL_OP(cantp, tx_confirmation, struct pdu, .mocks = "CanTp_TxConfirmation", .callers = "canif",
       .weigh = cantp_tx_confirmation_weigh, .args = cantp_tx_confirmation_args,
       .pre = cantp_tx_confirmation_pre, .callouts = tx_confirmation_callouts,
       .post = tx_confirmation_post, .call = cantp_tx_confirmation_call);
RDL_OP(cantp, rx_indication, struct one_frame, RDL_MOCKS(CanTp_RxIndication, rx_indication_mock),
       .callers = "canif", .weight = 6, .args = rx_indication_args,
       .callouts = rx_indication_callouts, .post = rx_indication_post,
       .call = cantp_rx_indication_call);
RDL_OP(cantp, mode_indication, struct pdu_mode, .mocks = "CanTp_ModeIndication", .callers = "cansm",
       .weigh = cantp_mode_indication_weigh, .args = cantp_mode_indication_args,
       .callouts = cantp_mode_indication_callouts, .post = mode_indication_post,
       .call = cantp_mode_indication_call);
RDL_SPEC(cantp, RDL_OPS(cantp, transmit, cycle, tx_confirmation, rx_indication, mode_indication),
         .create = create,
         .interesting = {{"all of a long message is sent", long_message_is_sent},
                         {"the last frame of a message is awaited", last_frame_is_awaited}});
