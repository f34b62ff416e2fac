/* buffer.c -- the spec of the neighbour, as it is. */
#include "../buffer/spec.c"
