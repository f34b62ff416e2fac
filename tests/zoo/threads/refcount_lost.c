/* refcount_lost.c -- two holders count down from the same number; nobody gets to zero, or frees.
   expect: assertion
   needs: access */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int references = 2;
static atomic_int times_destroyed;

static void release(void)
{
#ifdef FIXED
    int left = atomic_fetch_sub(&references, 1) - 1;
#else
    int left = atomic_load(&references) - 1;

    atomic_store(&references, left);
#endif
    if (left == 0)
        atomic_fetch_add(&times_destroyed, 1);
}

static void *hold(void *unused)
{
    (void)unused;
    release();
    return NULL;
}

int main(void)
{
    pthread_t holders[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&holders[i], NULL, hold, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(holders[i], NULL);
    assert(atomic_load(&times_destroyed) == 1);
    return 0;
}
