/* count.c -- what counter.c counts with. */
#include "counter.h"

static int number;

void count(void)
{
    number++;
}

int counted(void)
{
    return number;
}
