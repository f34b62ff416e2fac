/* spin_for_nobody.c -- the setter sees nobody wait just before somebody does, and tells no one.
   expect: livelock
   needs: access */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

static atomic_bool is_loaded, somebody_waits, may_go;

static void *wait_until_loaded(void *unused)
{
    (void)unused;
    if (!atomic_load(&is_loaded)) {
        atomic_store(&somebody_waits, true);
        while (!atomic_load(&may_go))
            sched_yield();
    }
    return NULL;
}

static void *load(void *unused)
{
    (void)unused;
    atomic_store(&is_loaded, true);
#ifndef FIXED
    if (atomic_load(&somebody_waits))
#endif
        atomic_store(&may_go, true);
    return NULL;
}

int main(void)
{
    pthread_t waiter, loader;

    pthread_create(&waiter, NULL, wait_until_loaded, NULL);
    pthread_create(&loader, NULL, load, NULL);
    pthread_join(waiter, NULL);
    pthread_join(loader, NULL);
    return 0;
}
