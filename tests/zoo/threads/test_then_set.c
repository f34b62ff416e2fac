/* test_then_set.c -- two threads see the spin lock free before either takes it.
   expect: assertion|race
   needs: access */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int taken;
static int visits; /* the lock is to protect this */

static void spin_lock(void)
{
#ifdef FIXED
    while (atomic_exchange(&taken, 1))
        sched_yield();
#else
    while (atomic_load(&taken))
        sched_yield();
    atomic_store(&taken, 1);
#endif
}

static void *work(void *unused)
{
    (void)unused;
    spin_lock();
    visits++;
    atomic_store(&taken, 0);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(visits == 2);
    return 0;
}
