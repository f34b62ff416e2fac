#include <raddle.h>
#undef RDL_MAIN
#define RDL_MAIN
#include "examples/warehouse/spec.c"
/* 1 */
