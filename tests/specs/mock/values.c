/* values.c -- tests of mocks: values that are compared, answered and shown. */
#include <raddle.h>
#include <string.h>

#include "store.h"

/* ---- Padding is no part of a value -------- */

static struct packet packet_over(int filling)
{
    struct packet packet;

    memset(&packet, filling, sizeof packet);
    packet.kind = 'p';
    packet.at[0] = (struct point){1, 2};
    packet.at[1] = (struct point){3, 4};
    packet.low = 5;
    packet.high = 2;
    packet.weight = 2.5L;
    return packet;
}

/* long double has 6 bytes that are not used, which are whatever they were on the stack. */
static int send_over(int filling)
{
    struct packet packet = packet_over(filling), copy = packet_over(filling);

    return device_send(packet, packet.weight, &copy);
}

RDL_PROPERTY(padding_does_not_count)
{
    struct packet wanted = packet_over(0x5a);

    rdl_mock(t, device_send, rdl_arg(wanted), rdl_arg(2.5L), rdl_points_to(&wanted, sizeof wanted),
             rdl_returns(7));
    rdl_check_eq(send_over(0), 7);
    rdl_check_eq(send_over(0xa5), 7);
}

RDL_SLOT(struct packet, the_packet);
RDL_SLOT(long double, the_limit);

RDL_PROPERTY(padding_is_not_kept)
{
    rdl_expect_calls(
        t, rdl_sequence(rdl_call_to(device_send, rdl_keeps(the_packet), rdl_keeps(the_limit)),
                        rdl_call_to(device_send, rdl_same_as(the_packet), rdl_same_as(the_limit))));
    send_over(0);
    send_over(0xa5);
    rdl_calls_done(t);
}

RDL_PROPERTY(wrong_packet, .cases = 5)
{
    struct packet wanted = packet_over(0);

    wanted.high = 1;
    rdl_mock(t, device_send, rdl_arg(wanted), rdl_returns(7));
    send_over(0);
}
