/* program.c -- static variables in a library, and lines that coverage counts. */
#include <raddle.h>

int library_next(void);

static int own;

static void touch(void *it)
{
    (void)it;
    rdl_yield();
}

RDL_EXPLORE(statics_are_put_back)
{
    struct rdl_thread *one = rdl_spawn(t, "one", touch, t), *two = rdl_spawn(t, "two", touch, t);

    rdl_bool(t);
    rdl_check_eq(own++, 0); /* in each case */
    rdl_check_eq(library_next(), 101);
    rdl_join(one);
    rdl_join(two);
}

RDL_MAIN
