/* user.c -- a program as a user would write it, to try an installed Raddle. */
#include <raddle.h>

RDL_PROPERTY(a_number_is_in_its_range)
{
    int64_t n = rdl_int(t, 0, 10);

    rdl_check(n >= 0);
    rdl_check(n <= 10);
}

RDL_PROPERTY(doubling_gives_an_even_number)
{
    int64_t n = rdl_int(t, -1000, 1000);

    rdl_check(2 * n % 2 == 0);
}

RDL_MAIN
