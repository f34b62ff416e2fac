/* by_pointer.c -- a function of the C library whose row nobody compared, called by a pointer. */
#define _GNU_SOURCE
#include <raddle.h>
#include <sched.h>

static int (*volatile function)(int) = sched_getscheduler;

static void ask(void *unused)
{
    (void)unused;
    function(0);
}

RDL_EXPLORE(two_ask)
{
    struct rdl_thread *one = rdl_spawn(t, "one", ask, NULL);

    ask(NULL);
    rdl_join(one);
}

RDL_MAIN
