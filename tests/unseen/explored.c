/* explored.c -- a test that is instrumented, of code that is not. */
#include <raddle.h>

#include "counter.h"

static void add(void *unused)
{
    int value = counter_get();

    (void)unused;
    counter_set(value + 1);
}

RDL_EXPLORE(updates_add_up)
{
    struct rdl_thread *one, *two;

    counter_set(0);
    one = rdl_spawn(t, "one", add, NULL);
    two = rdl_spawn(t, "two", add, NULL);
    rdl_join(one);
    rdl_join(two);
    rdl_check_eq(counter_get(), 2);
}

RDL_MAIN
