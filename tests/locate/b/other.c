/* b/other.c -- the other file of this name. */
#include "../box.h"

__attribute__((noinline)) static int same(int n)
{
    return n * 7; /* in b */
}

int in_b(int n)
{
    return same(n) + 1;
}

/* The linker may leave it out. */
int nobody_calls(int n)
{
    return n + 1;
}
