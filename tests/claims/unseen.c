/* unseen.c -- code that is not instrumented, whatever the rest of the program is. */
#include "unseen.h"

static int state;

int unseen_get(void)
{
    return state;
}

void unseen_set(int value)
{
    state = value;
}

void unseen_write(int *to, int value)
{
    *to = value;
}

void unseen_call(void (*function)(int *), int *argument)
{
    function(argument);
}
