/* tests.c -- the CAN stack: each component alone, the specs of all together, each component with
 * the others played by their specs, and all of it.
 *
 * The same tests are compiled a second time with CANTP_AT_ONCE, for a transport layer that sends
 * the next frame of a message as soon as it is told that the last one is on the bus.  Both its
 * code and its spec do so, and agree; nor does any other component have a fault.  But the
 * interface tells of a frame before it has let go of it, so it is asked for a PDU that is still
 * pending.  No test of a component can see that.  Those of the cluster do, the first of them
 * without any code. */
#include "stack.h"

RDL_EXTERN_SPEC(can);
RDL_EXTERN_SPEC(canif);
RDL_EXTERN_SPEC(cansm);
RDL_EXTERN_SPEC(cantp);

#ifdef CANTP_AT_ONCE
enum { IS_HASTY = true };
#else
enum { IS_HASTY = false };
#endif

RDL_TEST_MODEL(the_driver_alone, can);
RDL_TEST_MODEL(the_interface_alone, canif);
RDL_TEST_MODEL(the_state_manager_alone, cansm);
RDL_TEST_MODEL(the_transport_layer_alone, cantp);

RDL_CLUSTER(stack, RDL_SPECS(can, canif, cansm, cantp, upper));

RDL_TEST_CLUSTER(the_specs_agree, stack, .calls = {0, 300}, .expect_failure = IS_HASTY);
RDL_TEST_CLUSTER(all_are_real, stack, .real = "all", .calls = {0, 300}, .expect_failure = IS_HASTY);

#ifndef CANTP_AT_ONCE
RDL_TEST_CLUSTER(the_driver_is_real, stack, .real = "can", .calls = {0, 300});
RDL_TEST_CLUSTER(the_interface_is_real, stack, .real = "canif", .calls = {0, 300});
RDL_TEST_CLUSTER(the_state_manager_is_real, stack, .real = "cansm", .calls = {0, 300});
RDL_TEST_CLUSTER(the_transport_layer_is_real, stack, .real = "cantp", .calls = {0, 300});

/* The interface writes the next frame while it is told of the last, and does not look whether that
 * is possible: it relies on a driver whose mailbox is free by then. */
RDL_TEST_CLUSTER(the_interface_needs_a_free_mailbox, stack, .real = "canif", .calls = {0, 300},
                 .deviation = "the mailbox is free later", .expect_failure = true);

/* Nor does the transport layer look whether its frame was taken.  It waits, until the network is
 * turned off; none of its neighbours minds. */
RDL_TEST_CLUSTER(the_transport_layer_needs_no_buffer, stack, .real = "cantp", .calls = {0, 300},
                 .deviation = "nothing is buffered");
#endif

RDL_MAIN
