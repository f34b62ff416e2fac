/* exit.c -- a controlled thread calls exit: whoever wants to know is asked before. */
#include <stdlib.h>

#include "control/sched/next.h"
#include "control/sched/sched.h"
#include "raddle/events.h"

RDL__ASKED_FOR(exit);

void (*rdl__on_sudden_end)(int kind, int number);

RDL__INTERPOSE void exit(int status)
{
    if (rdl__self() && rdl__on_sudden_end)
        rdl__on_sudden_end(RDL_FAULT_EXIT, status);
    RDL__NEXT(exit)(status);
    __builtin_unreachable();
}
