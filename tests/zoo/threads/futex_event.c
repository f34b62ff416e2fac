/* futex_event.c -- the event is set between the look at it and reading the value to sleep on.
   expect: deadlock
   needs: access */
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int is_set;

/* Sleeps only if the event still has the value `seen`. */
static void futex_wait(int seen)
{
    syscall(SYS_futex, &is_set, FUTEX_WAIT_PRIVATE, seen, NULL);
}

static void *wait_for_event(void *unused)
{
    (void)unused;
    while (!atomic_load(&is_set)) {
#ifdef FIXED
        futex_wait(0);
#else
        futex_wait(atomic_load(&is_set));
#endif
    }
    return NULL;
}

static void *set_event(void *unused)
{
    (void)unused;
    atomic_store(&is_set, 1);
    syscall(SYS_futex, &is_set, FUTEX_WAKE_PRIVATE, 1);
    return NULL;
}

int main(void)
{
    pthread_t waiter, setter;

    pthread_create(&waiter, NULL, wait_for_event, NULL);
    pthread_create(&setter, NULL, set_event, NULL);
    pthread_join(waiter, NULL);
    pthread_join(setter, NULL);
    return 0;
}
