/* tests.c -- a failure to have the token of, and a function to look for. */
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

RDL_MAIN
