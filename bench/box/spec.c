/* spec.c -- the spec of examples/autosar/mbox, as it is; but each run, which begins by making
 * something to test, is counted. */
#include <raddle.h>

#include "box.h"

#define rdl_alloc(t, size) (++*box_runs, rdl_alloc(t, size))
#include "../../examples/autosar/mbox/spec.c"
