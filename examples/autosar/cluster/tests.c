/* tests.c -- the message box and the circular buffer together.
 *
 * First the two specs without any code: whenever the box may be called, the buffer is ready for
 * what the box asks of it.  Then the code of one while the other is played by its spec, in turn;
 * then both, with their specs looking on. */
#include "../buffer/spec.h"
#include "../mbox/spec.h"

RDL_CLUSTER(messages, RDL_SPECS(mbox, cb));

RDL_TEST_CLUSTER(the_specs_agree, messages, .calls = {0, 500});
RDL_TEST_CLUSTER(the_box_is_real, messages, .real = "mbox", .calls = {0, 500});
RDL_TEST_CLUSTER(the_buffer_is_real, messages, .real = "cb", .calls = {0, 500});
RDL_TEST_CLUSTER(both_are_real, messages, .real = "all", .calls = {0, 500});

/* What the specs alone can tell of a buffer that is too small: nothing is wrong with them, but
 * the answers are other ones than the box relies on. */
RDL_TEST_CLUSTER(a_box_on_a_small_buffer, messages, .real = "mbox",
                 .deviation = "silently holds 128 elements", .calls = {0, 500},
                 .expect_failure = true);

RDL_MAIN
