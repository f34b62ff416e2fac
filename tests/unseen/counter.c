/* counter.c -- the part that is not instrumented. */
#include "counter.h"

#include <sched.h>
#include <stddef.h>

static int counter;
static int locked;

int counter_get(void)
{
    return counter;
}

void counter_set(int value)
{
    counter = value;
}

void counter_step(int (*between)(int value))
{
    counter = between(counter);
}

void counter_lock(void)
{
    while (__atomic_exchange_n(&locked, 1, __ATOMIC_ACQUIRE))
        sched_yield();
}

void counter_unlock(void)
{
    __atomic_store_n(&locked, 0, __ATOMIC_RELEASE);
}

void *counter_thread(void *between)
{
    int (*function)(int) = (int (*)(int))between;
    int value = counter;

    counter = function(value);
    return NULL;
}

void counter_apply(void (*function)(int value), int value)
{
    function(value);
}
