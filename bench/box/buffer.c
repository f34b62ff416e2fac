/* buffer.c -- the spec of the circular buffer, that of examples/autosar. */
#include "../../examples/autosar/buffer/spec.c"
