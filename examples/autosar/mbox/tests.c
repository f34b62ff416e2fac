/* tests.c -- the message box without its circular buffer.
 *
 * No buffer is linked: RDL_STUB stands for its functions, and Raddle answers in their place.
 * To grade other implementations of mbox.h by the same spec:
 *     raddle grade --spec examples/autosar/mbox -I examples/autosar/include FILE...  */
#include "../buffer/spec.h"
#include "cirq_buffer.h"
#include "spec.h"

RDL_STUB(CirqBuffDynCreate, size, dataSize);
RDL_STUB(CirqBuffPush, cPtr, dataPtr);
RDL_STUB(CirqBuffPop, cPtr, dataPtr);

/* The paper has no such function, but the sources that it is about do: a box that can be destroyed
 * calls it.  Nothing here does. */
int CirqBuffDynDestroy(CirqBufferType *cPtr);
RDL_STUB(CirqBuffDynDestroy, cPtr);

RDL_EXTERN_SPEC(mbox);

/* The buffer answers what the call-outs of the box say. */
RDL_TEST_MODEL(a_hundred_basic_tests_of_the_box, mbox, .cases = 100);
RDL_TEST_MODEL(a_box_asks_the_buffer_for_what_it_should, mbox, .calls = {0, 500}, .tags = "grade");

/* The buffer is played by its own spec. */
RDL_TEST_MODEL(a_box_with_a_buffer_that_plays, mbox, .stand_ins = RDL_SPECS(cb), .calls = {0, 500});

/* A buffer that has less room than it was asked for, which its clients could have noticed; this
 * one does not.  The smallest case that shows it has 130 calls: create(129), and 129 times
 * post(0). */
RDL_TEST_MODEL(a_box_does_not_see_that_the_buffer_is_too_small, mbox, .stand_ins = RDL_SPECS(cb),
               .deviation = "silently holds 128 elements", .calls = {0, 500},
               .expect_failure = true);

RDL_MAIN
