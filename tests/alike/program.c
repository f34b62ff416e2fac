/* program.c -- static variables in a library and in many pages, and lines that coverage counts. */
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

/* Which of its pages is written depends on the schedule, and that page is the only one. */
static char rare[64][4096];
static int place;

static void go_further(void *add)
{
    for (int i = 0; i < 3; i++) {
        place = 2 * place + *(const int *)add;
        rdl_yield();
    }
}

RDL_EXPLORE(pages_that_are_seldom_written_are_put_back)
{
    int none = 0, one = 1;
    struct rdl_thread *first, *second;

    for (int i = 0; i < 64; i++)
        rdl_check_eq(rare[i][i], 0); /* in each case */
    first = rdl_spawn(t, "first", go_further, &none);
    second = rdl_spawn(t, "second", go_further, &one);
    rdl_join(first);
    rdl_join(second);
    rare[place][place] = 1;
}

RDL_MAIN
