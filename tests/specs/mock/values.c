/* values.c -- tests of mocks: values that are compared, answered and shown. */
#include <complex.h>
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

RDL_PROPERTY(wrong_ring, .cases = 5)
{
    struct ring wanted = {8, NULL}, ring = {4, NULL};

    rdl_mock(t, ring_push, rdl_points_to(&wanted, sizeof wanted), rdl_returns(7));
    ring_push(&ring, "x");
}

/* ---- Numbers -------- */

/* A bool that is 2 is neither true nor false. */
RDL_PROPERTY(numbers_become_true)
{
    bool ready;
    unsigned char byte;

    rdl_mock(t, device_is_ready, rdl_returns(2));
    ready = device_is_ready(0);
    memcpy(&byte, &ready, 1);
    rdl_check_eq(byte, 1);
}

RDL_PROPERTY(large_numbers_are_converted)
{
    rdl_mock(t, device_total, rdl_arg(-3), rdl_arg(4U), rdl_returns(-5));
    rdl_check(device_total(-3, 4) == -5);
    rdl_mock(t, device_total, rdl_arg((wide)1 << 100), rdl_returns((wide)1 << 90));
    rdl_check(device_total((wide)1 << 100, 4) == (wide)1 << 90);
}

RDL_PROPERTY(complex_numbers_are_converted)
{
    rdl_mock(t, device_turn, rdl_arg(2.0F + 1.0F * I), rdl_arg(3), rdl_returns(1.5F + 2.0F * I));
    rdl_check(device_turn(2 + I, 3) == 1.5 + 2 * I);
}

RDL_PROPERTY(wrong_complex_number, .cases = 5)
{
    rdl_spy(t, device_turn);
    rdl_check(device_turn(2 + I, 3) == 0);
}

RDL_PROPERTY(misuse_large_number)
{
    rdl_mock(t, device_status, rdl_returns((wide)1 << 100));
}

RDL_PROPERTY(wrong_round_number, .cases = 5)
{
    rdl_spy(t, device_scale);
    device_scale(10, 250);
    rdl_fail("to be told");
}

/* ---- What is wrong with them -------- */

RDL_PROPERTY(wrong_out_parameter_that_is_null, .cases = 5)
{
    rdl_mock(t, flash_write, rdl_sets("written", 3));
    flash_write(1, "ab", 2, NULL);
    rdl_fail("to be told");
}

RDL_PROPERTY(misuse_const)
{
    rdl_mock(t, flash_write, rdl_sets("data", 'x'));
}

RDL_PROPERTY(misuse_const_bytes)
{
    rdl_mock(t, flash_write, rdl_sets_bytes("data", "xy", 2));
}

RDL_PROPERTY(misuse_copies)
{
    rdl_copies(rdl_mock(t, flash_write), "data", -5);
}

RDL_PROPERTY(misuse_name)
{
    rdl_mock(t, flash_log, rdl_where("format", 0));
}

/* ---- Expectations -------- */

RDL_SLOT(int, the_unit);

RDL_PROPERTY(wrong_argument_that_was_kept, .cases = 5)
{
    rdl_expect_calls(t, rdl_sequence(rdl_call_to(flash_erase, rdl_keeps(the_unit)),
                                     rdl_call_to(device_sum, rdl_same_as(the_unit), rdl_arg(2))));
    flash_erase(5);
    device_sum(6, 2, 3, 4, 5, 6, 7, 8);
}

RDL_PROPERTY(misuse_step_by_chance)
{
    rdl_expect_calls(t, rdl_call_to(flash_erase, rdl_percent(50)));
}

RDL_PROPERTY(misuse_step_that_is_no_call)
{
    static struct rdl_port port = {.name = "port"};

    rdl_expect_calls(
        t, rdl_sequence(rdl_call_to(flash_erase), rdl_expect(rdl_out(&port, rdl_any(fault)))));
}

RDL_PROPERTY(misuse_no_step)
{
    rdl_expect_calls(t, NULL);
}

RDL_PROPERTY(misuse_slot)
{
    rdl_expect_calls(t, rdl_call_to(flash_erase, rdl_same_as(the_unit)));
}
