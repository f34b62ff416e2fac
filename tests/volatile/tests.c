/* tests.c -- what volatile accesses mean, as tests say. */
#include <raddle.h>

static int payload;
static volatile int flag;

static void send(void *unused)
{
    (void)unused;
    payload = 1;
    flag = 1;
}

static void pass(struct rdl_case *t)
{
    struct rdl_thread *thread = rdl_spawn(t, "sender", send, NULL);

    if (flag)
        rdl_check_eq(payload, 1);
    rdl_join(thread);
}

RDL_EXPLORE(by_default)
{
    pass(t);
}

RDL_EXPLORE(relaxed, .volatile_accesses = RDL_VOLATILE_RELAXED)
{
    pass(t);
}

RDL_EXPLORE(plain, .volatile_accesses = RDL_VOLATILE_PLAIN)
{
    pass(t);
}

RDL_MAIN
