/* controlled.c -- types are looked up in a process of their own, also by threads that are
 * controlled, which do not notice. */
#include <pthread.h>
#include <raddle.h>

#include "spec/spec.h"

struct pair {
    int a, b;
};

RDL_TYPES(pairs, int, void);
RDL_OP_RETURNS(pairs, put, struct pair, int);
RDL_SPEC(pairs, RDL_OPS(pairs, put), .show = NULL);

static void check_shown(void)
{
    struct rdl__text text = {0};

    rdl__show_call(&text, rdl_spec_pairs->operations[0], &(struct pair){1, 2});
    rdl_check_str(rdl__text_string(&text), "put(a = 1, b = 2)");
    rdl__text_release(&text);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void increase(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
}

/* Every thread may be the first, and the others may go on at any time but meanwhile. */
RDL_EXPLORE(types_are_looked_up_by_a_controlled_thread, .cases = 200)
{
    struct rdl_thread *one = rdl_spawn(t, "one", increase, NULL);
    struct rdl_thread *two = rdl_spawn(t, "two", increase, NULL);

    count = 0;
    rdl_yield();
    check_shown();
    rdl_yield();
    check_shown();
    rdl_join(one);
    rdl_join(two);
}

RDL_PROPERTY(types_are_looked_up_by_a_worker)
{
    (void)t;
    check_shown();
}

RDL_MAIN
