/* tests.c -- a failure to have the token of, a function to look for, and calls that are wrong. */
#include <raddle.h>

static int add(int a, int b)
{
    return a + b;
}

RDL_PROPERTY(fails_above_ten)
{
#ifdef CHANGED
    rdl_check(rdl_bool(t));
#endif
    rdl_check(add(rdl_int(t, 0, 100), 0) <= 10);
}

RDL_PROPERTY(is_never_tried)
{
    rdl_discard(t);
}

/* Alone in its function, a call is a jump, once it is compiled with -O2. */
RDL_SCHEDULE(joins_nothing)
{
    rdl_join(NULL);
}

RDL_PROPERTY(ends_nothing)
{
    rdl_end(t);
}

RDL_MAIN
