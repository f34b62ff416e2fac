/* test_hook_sched.c -- hooks in controlled threads: their functions may wait, and be left
 * waiting. */
#include <errno.h>
#include <signal.h>

#include "explore.h"
#include "hook_code.h"

CODE(long_one, "movl $100, %eax\n addq %rdi, %rax\n ret")
CODE(short_one, "nop\n leaq 200(%rdi), %rax\n ret")

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static struct rdl__hook hooks[2];
static int arrived, wanted;
static _Thread_local int own;

/* Wait for the other in the hook: that is one order of their calls, whichever comes first. */
static void meet(struct rdl__registers *registers, void *it)
{
    (void)it;
    pthread_mutex_lock(&mutex);
    own += (int)registers->rdi;
    errno = EDOM;
    arrived++;
    pthread_cond_broadcast(&cond);
    while (arrived < wanted)
        pthread_cond_wait(&cond, &mutex);
    pthread_mutex_unlock(&mutex);
}

static void place(rdl__hook_function *call, int how_many)
{
    struct rdl__error error = {.text = ""};

    arrived = 0;
    wanted = how_many;
    hooks[0] = (struct rdl__hook){.address = (uintptr_t)long_one, .call = call};
    hooks[1] = (struct rdl__hook){.address = (uintptr_t)short_one, .call = call};
    for (int i = 0; i < 2; i++)
        if (!rdl__hook_place(&hooks[i], &error))
            put(7, "%s", error.text);
}

static void remove_both(void)
{
    rdl__hook_remove(&hooks[0]);
    rdl__hook_remove(&hooks[1]);
}

static void *first(void *unused)
{
    long result;

    errno = 3;
    result = long_one(1, 0);
    put(0, "%ld,%d,%d", result, own, errno);
    return unused;
}

static void *second(void *unused)
{
    long result;

    errno = 4;
    result = short_one(2, 0);
    put(1, "%ld,%d,%d", result, own, errno);
    return unused;
}

static void both_meet(void)
{
    place(meet, 2);
    together(2, first, second);
    remove_both();
    put(2, "%d", rdl__hook_is_quiet(&hooks[0]) && rdl__hook_is_quiet(&hooks[1]));
}

TEST(controlled_threads_wait_for_each_other_in_hooks)
{
    EXPECT_STR(outcomes_of(both_meet), "101,1,3 202,2,4 1");
}

static void nobody_comes(void)
{
    place(meet, 3);
    together(2, first, second);
}

TEST(that_nobody_comes_is_a_deadlock)
{
    EXPECT_CONTAINS(outcomes_of(nobody_comes), "deadlock");
}

/* All signals are blocked, from before the hooks are placed. */
static void *blocking(void *unused)
{
    sigset_t all;

    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return second(unused);
}

static void *placing(void *unused)
{
    place(meet, 1);
    return first(unused);
}

static void masks_differ(void)
{
    together(2, placing, blocking);
    remove_both();
    put(2, "%d", arrived);
}

TEST(controlled_threads_may_block_signals_before_hooks_are_placed)
{
    const char *outcomes = outcomes_of(masks_differ);

    EXPECT_CONTAINS(outcomes, "101,1,3 202,2,4 2");
    EXPECT_LACKS(outcomes, "SIG");
    EXPECT_LACKS(outcomes, "block");
}
