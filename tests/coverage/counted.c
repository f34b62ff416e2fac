/* counted.c -- lines that are executed as often as they say, and processes that end in many ways */
#include <raddle.h>
#include <stdlib.h>
#include <unistd.h>

static int half(int n)
{
    if (n < 0)
        return -1; /* never */
    return n / 2;  /* in each case */
}

RDL_PROPERTY(halves)
{
    rdl_check(half((int)rdl_int(t, 0, 100)) >= 0);
}

RDL_PROPERTY(exits)
{
    if (rdl_bool(t) || true)
        exit(3); /* by exit */
}

RDL_PROPERTY(exits_at_once)
{
    if (rdl_bool(t) || true)
        _exit(3); /* by _exit */
}

RDL_PROPERTY(crashes)
{
    if (rdl_bool(t) || true)
        abort(); /* by a signal */
}

RDL_MAIN
