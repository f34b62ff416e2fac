/* frames.c -- frames as they may come over the bus, and as the specs see them. */
#include <string.h>

#include "stack.h"

static void draw_bytes(struct rdl_case *t, struct frame *frame, uint8 from)
{
    for (uint8 i = from; i < frame->length; i++)
        frame->data[i] = rdl_u8(t);
}

/* Lengths and numbers are small, so that what comes by chance makes a whole message now and
 * then. */
struct frame draw_frame(struct rdl_case *t)
{
    struct frame frame = {.length = CAN_DATA_MAX};

    switch (rdl_frequency(t, 4, 2, 3, 4, 1)) {
    case 0:
        frame.length = 3;
        frame.data[0] = (uint8)(CANTP_FLOW_CONTROL | rdl_frequency(t, 8, 1, 1));
        frame.data[1] = (uint8)rdl_int(t, 0, 2);
        return frame;
    case 1:
        frame.data[0] = (uint8)(CANTP_SINGLE | rdl_int(t, 1, CANTP_SINGLE_MAX));
        draw_bytes(t, &frame, 1);
        return frame;
    case 2:
        frame.data[0] = CANTP_FIRST;
        frame.data[1] =
            (uint8)(rdl_frequency(t, 9, 1) == 0 ? rdl_int(t, 8, 20) : rdl_int(t, 0, 255));
        draw_bytes(t, &frame, 2);
        return frame;
    case 3:
        frame.data[0] = (uint8)(CANTP_CONSECUTIVE | rdl_int(t, 1, 3));
        draw_bytes(t, &frame, 1);
        return frame;
    default:
        frame.length = (uint8)rdl_int(t, 0, CAN_DATA_MAX);
        draw_bytes(t, &frame, 0);
        return frame;
    }
}

struct frame frame_at(const PduInfoType *info)
{
    struct frame frame = {.length = (uint8)info->SduLength};

    memcpy(frame.data, info->SduDataPtr, frame.length);
    return frame;
}

struct message message_at(const PduInfoType *info)
{
    struct message message = {.length = (uint8)info->SduLength};

    memcpy(message.data, info->SduDataPtr, message.length);
    return message;
}
