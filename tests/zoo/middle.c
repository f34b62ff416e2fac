/* middle.c -- a sum that overflows. */
#include <raddle.h>

static uint32_t middle(uint32_t low, uint32_t high)
{
    return (low + high) / 2;
}

RDL_PROPERTY(the_middle_is_not_below_the_low_end)
{
    uint32_t low = rdl_u32(t);
    uint32_t high = rdl_u32(t);

    rdl_assume(t, low <= high);
    rdl_check_ge(middle(low, high), low);
}

RDL_MAIN
