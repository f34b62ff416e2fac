/* exit.c -- a controlled thread calls exit: whoever wants to know is asked before.  And a process
 * ends without exit: what it has counted for gcov is not lost. */
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "control/sched/next.h"
#include "control/sched/sched.h"
#include "port/coverage.h"
#include "port/kernel.h"
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

RDL__INTERPOSE void _exit(int status)
{
    rdl__coverage_end();
    rdl__kernel(SYS_exit_group, status, 0, 0, 0, 0,
                0); /* locks may be held: nothing is looked up */
    __builtin_unreachable();
}

RDL__INTERPOSE void _Exit(int status)
{
    _exit(status);
}
