/* counter.c -- compiled as `raddle cc` would: threads may be switched at each access. */
#include "orders.h"

_Atomic int counter;

void count_in_one_line(void *unused)
{
    (void)unused;
    counter = counter + 1;
}

void count_in_two_lines(void *unused)
{
    int seen;

    (void)unused;
    seen = counter;
    counter = seen + 1;
}
