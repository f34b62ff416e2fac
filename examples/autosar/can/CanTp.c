/* CanTp.c -- the transport layer: one message out, one message in, at a time.
 *
 * Frames are sent by the main function, one of each kind a cycle, and only when the last one of
 * that kind was confirmed.  A flavour of it that does not wait for the main function, but sends
 * the next consecutive frame as soon as it is told that the last is on the bus, is compiled with
 * CANTP_AT_ONCE; see tests.c for what comes of that. */
#include "CanTp.h"

#include <string.h>

#include "CanIf.h"
#include "Upper.h"

typedef enum { TX_IDLE, TX_FIRST_IS_DUE, TX_WAITS, TX_NEXT_IS_DUE, TX_LAST_IS_SENT } TxStateType;

static struct {
    boolean online;
    struct {
        TxStateType state;
        boolean unconfirmed; /* a frame */
        uint8 data[CANTP_MESSAGE_MAX];
        uint8 length, sent;
        uint8 sequence; /* number of the next consecutive frame */
        uint8 block;    /* frames until flow control has to come again; 0: it need not */
        uint8 ticks;
    } tx;
    struct {
        boolean active;
        uint8 data[CANTP_MESSAGE_MAX];
        uint8 length, received;
        uint8 sequence;
        uint8 ticks;
        boolean answerIsDue, unconfirmed;
        uint8 answer; /* the flow control that is due */
    } rx;
} CanTp;

void CanTp_Init(void)
{
    memset(&CanTp, 0, sizeof CanTp);
}

static void sendFrame(PduIdType pdu, const uint8 *frame, uint8 length)
{
    const PduInfoType info = {frame, length};

    (void)CanIf_Transmit(pdu, &info);
}

/* ---- Out ---------------------------------------------------------------------------------- */

static void endTransmission(Std_ReturnType result)
{
    if (CanTp.tx.state != TX_IDLE) {
        CanTp.tx.state = TX_IDLE;
        PduR_CanTpTxConfirmation(result);
    }
}

Std_ReturnType CanTp_Transmit(const PduInfoType *info)
{
    if (!CanTp.online || CanTp.tx.state != TX_IDLE || CanTp.tx.unconfirmed) {
        return E_NOT_OK;
    }
    if (info->SduLength == 0 || info->SduLength > CANTP_MESSAGE_MAX) {
        return E_NOT_OK;
    }
    CanTp.tx.length = (uint8)info->SduLength;
    CanTp.tx.sent = 0;
    CanTp.tx.sequence = 1;
    memcpy(CanTp.tx.data, info->SduDataPtr, info->SduLength);
    CanTp.tx.state = TX_FIRST_IS_DUE;
    return E_OK;
}

/* The head of a frame, then as much of the message as there is room for. */
static void sendPart(const uint8 *head, uint8 headLength)
{
    uint8 frame[CAN_DATA_MAX], left = CanTp.tx.length - CanTp.tx.sent;
    uint8 count = left < CAN_DATA_MAX - headLength ? left : CAN_DATA_MAX - headLength;

    memcpy(frame, head, headLength);
    memcpy(frame + headLength, CanTp.tx.data + CanTp.tx.sent, count);
    CanTp.tx.sent += count;
    CanTp.tx.unconfirmed = TRUE;
    sendFrame(CANIF_TX_TRANSPORT, frame, headLength + count);
}

static void sendFirst(void)
{
    const uint8 single[] = {CANTP_SINGLE | CanTp.tx.length};
    const uint8 first[] = {CANTP_FIRST, CanTp.tx.length};

    if (CanTp.tx.length <= CANTP_SINGLE_MAX) {
        CanTp.tx.state = TX_LAST_IS_SENT;
        sendPart(single, sizeof single);
    } else {
        CanTp.tx.state = TX_WAITS;
        CanTp.tx.ticks = CANTP_TICKS_BS;
        sendPart(first, sizeof first);
    }
}

static void sendNext(void)
{
    const uint8 head[] = {CANTP_CONSECUTIVE | (CanTp.tx.sequence & 0xf)};

    CanTp.tx.sequence++;
    if (CanTp.tx.length - CanTp.tx.sent <= CANTP_IN_CONSECUTIVE) {
        CanTp.tx.state = TX_LAST_IS_SENT;
    } else if (CanTp.tx.block > 0 && --CanTp.tx.block == 0) {
        CanTp.tx.state = TX_WAITS;
        CanTp.tx.ticks = CANTP_TICKS_BS;
    }
    sendPart(head, sizeof head);
}

static void sendWhatIsDue(void)
{
    if (CanTp.tx.unconfirmed) {
        return;
    }
    if (CanTp.tx.state == TX_FIRST_IS_DUE) {
        sendFirst();
    } else if (CanTp.tx.state == TX_NEXT_IS_DUE) {
        sendNext();
    } else if (CanTp.tx.state == TX_WAITS && --CanTp.tx.ticks == 0) {
        endTransmission(E_NOT_OK);
    }
}

static void takeFlowControl(const PduInfoType *info)
{
    if (CanTp.tx.state != TX_WAITS || info->SduLength < 3) {
        return;
    }
    switch (info->SduDataPtr[0] & 0xf) {
    case CANTP_CLEAR_TO_SEND:
        CanTp.tx.block = info->SduDataPtr[1];
        CanTp.tx.state = TX_NEXT_IS_DUE;
        break;
    case CANTP_WAIT:
        CanTp.tx.ticks = CANTP_TICKS_BS;
        break;
    default:
        endTransmission(E_NOT_OK);
        break;
    }
}

void CanTp_TxConfirmation(PduIdType pdu)
{
    if (pdu == CANIF_TX_FLOW_CONTROL) {
        CanTp.rx.unconfirmed = FALSE;
        return;
    }
    CanTp.tx.unconfirmed = FALSE;
    if (CanTp.tx.state == TX_LAST_IS_SENT) {
        endTransmission(E_OK);
    }
#ifdef CANTP_AT_ONCE
    if (CanTp.tx.state == TX_NEXT_IS_DUE) {
        sendNext();
    }
#endif
}

/* ---- In ----------------------------------------------------------------------------------- */

static void endReception(Std_ReturnType result)
{
    const PduInfoType message = {CanTp.rx.data, result == E_OK ? CanTp.rx.length : 0};

    if (CanTp.rx.active) {
        CanTp.rx.active = FALSE;
        PduR_CanTpRxIndication(result, &message);
    }
}

static void keep(const uint8 *data, uint16 count)
{
    uint8 room = CanTp.rx.length - CanTp.rx.received;
    uint8 kept = count < room ? (uint8)count : room;

    memcpy(CanTp.rx.data + CanTp.rx.received, data, kept);
    CanTp.rx.received += kept;
    CanTp.rx.ticks = CANTP_TICKS_CR;
    if (CanTp.rx.received == CanTp.rx.length) {
        endReception(E_OK);
    }
}

/* Another message begins; what there is of the last one will not be completed. */
static void begin(uint8 length)
{
    endReception(E_NOT_OK);
    CanTp.rx.active = TRUE;
    CanTp.rx.length = length;
    CanTp.rx.received = 0;
    CanTp.rx.sequence = 1;
}

static void takeSingle(const PduInfoType *info)
{
    uint8 length = info->SduDataPtr[0] & 0xf;

    if (length > 0 && length <= CANTP_SINGLE_MAX && info->SduLength > length) {
        begin(length);
        keep(info->SduDataPtr + 1, length);
    }
}

static void takeFirst(const PduInfoType *info)
{
    uint16 length = (uint16)((info->SduDataPtr[0] & 0xf) << 8 | info->SduDataPtr[1]);

    if (info->SduLength < CAN_DATA_MAX || length <= CANTP_SINGLE_MAX) {
        return;
    }
    CanTp.rx.answerIsDue = TRUE;
    CanTp.rx.answer = length > CANTP_MESSAGE_MAX ? CANTP_OVERFLOW : CANTP_CLEAR_TO_SEND;
    if (length > CANTP_MESSAGE_MAX) {
        endReception(E_NOT_OK);
    } else {
        begin((uint8)length);
        keep(info->SduDataPtr + 2, CANTP_IN_FIRST);
    }
}

static void takeConsecutive(const PduInfoType *info)
{
    if (!CanTp.rx.active) {
        return;
    }
    if ((info->SduDataPtr[0] & 0xf) != (CanTp.rx.sequence & 0xf)) {
        endReception(E_NOT_OK);
        return;
    }
    CanTp.rx.sequence++;
    keep(info->SduDataPtr + 1, info->SduLength - 1);
}

void CanTp_RxIndication(const PduInfoType *info)
{
    if (info->SduLength < 2) {
        return;
    }
    switch (info->SduDataPtr[0] & 0xf0) {
    case CANTP_SINGLE:
        takeSingle(info);
        break;
    case CANTP_FIRST:
        takeFirst(info);
        break;
    case CANTP_CONSECUTIVE:
        takeConsecutive(info);
        break;
    case CANTP_FLOW_CONTROL:
        takeFlowControl(info);
        break;
    default:
        break;
    }
}

static void sendAnswer(void)
{
    const uint8 frame[] = {CANTP_FLOW_CONTROL | CanTp.rx.answer, 0, 0};

    if (CanTp.rx.answerIsDue && !CanTp.rx.unconfirmed) {
        CanTp.rx.answerIsDue = FALSE;
        CanTp.rx.unconfirmed = TRUE;
        sendFrame(CANIF_TX_FLOW_CONTROL, frame, sizeof frame);
    }
}

static void watchReception(void)
{
    if (CanTp.rx.active && --CanTp.rx.ticks == 0) {
        endReception(E_NOT_OK);
    }
}

/* ---- Both --------------------------------------------------------------------------------- */

void CanTp_MainFunction(void)
{
    sendAnswer();
    watchReception();
    sendWhatIsDue();
}

void CanTp_ModeIndication(CanIf_PduModeType mode)
{
    if (mode == CANIF_ONLINE) {
        CanTp.online = TRUE;
        return;
    }
    endTransmission(E_NOT_OK);
    endReception(E_NOT_OK);
    CanTp_Init();
}
