/* crash.c -- what a crash costs: every case ends its worker. */
#include <signal.h>

#include "usage.h"

RDL_PROPERTY(every_case_crashes)
{
    rdl_int(t, 0, 1000000);
    raise(SIGSEGV);
}
