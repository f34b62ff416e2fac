/* mbox.c -- the message box that is tested: that of examples/autosar. */
#include "../../examples/autosar/mbox/implementations/mbox.c"
