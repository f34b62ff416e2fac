/* tests.c -- the circular buffer alone: 100 basic tests, and many more.
 *
 * To grade other implementations of cirq_buffer.h by the same spec:
 *     raddle grade --spec examples/autosar/buffer -I examples/autosar/include FILE...  */
#include "spec.h"

RDL_EXTERN_SPEC(cb);

RDL_TEST_MODEL(a_hundred_basic_tests_of_the_buffer, cb, .cases = 100);

/* Long enough to run around small buffers, and to fill large ones. */
RDL_TEST_MODEL(a_buffer_gives_back_what_it_was_given, cb, .calls = {0, 500}, .tags = "grade");

RDL_MAIN
