/* monitor.c -- what is tested: an implementation of the example. */
#include "../../examples/warehouse/implementations/monitor.c"
