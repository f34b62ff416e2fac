/* plain.c -- see plain.h. */
#include "plain.h"

#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_flag locked = ATOMIC_FLAG_INIT;
static void *_Atomic box;
static _Thread_local unsigned long lines;
static unsigned long looks;

void plain_lock(void)
{
    while (atomic_flag_test_and_set(&locked))
        sched_yield();
}

void plain_unlock(void)
{
    atomic_flag_clear(&locked);
}

void plain_put(void *letter)
{
    atomic_store(&box, letter);
}

void *plain_take(void)
{
    void *letter;

    while (!(letter = atomic_exchange(&box, NULL)))
        sched_yield();
    return letter;
}

void plain_spin_lock(void)
{
    while (atomic_flag_test_and_set(&locked))
        __builtin_ia32_pause();
}

void *plain_spin_take(void)
{
    while (!atomic_load(&box))
        continue;
    return atomic_load(&box);
}

void *plain_count_and_take(void)
{
    while (!atomic_load(&box))
        (*(volatile unsigned long *)&looks)++;
    return atomic_load(&box);
}

void plain_log(const char *text)
{
    lines += text != NULL;
}

void plain_call(void (*function)(void))
{
    function();
    atomic_store(&box, &box);
}
