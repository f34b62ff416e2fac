/* refcount_checked_later.c -- both holders count down, then both see zero and destroy the object.
   expect: assertion|race
   needs: access */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

static struct {
    atomic_int references;
    bool is_open;
} connection = {2, true};

static void release(void)
{
#ifdef FIXED
    if (atomic_fetch_sub(&connection.references, 1) > 1)
        return;
#else
    atomic_fetch_sub(&connection.references, 1);
    if (atomic_load(&connection.references) > 0)
        return;
#endif
    assert(connection.is_open);
    connection.is_open = false;
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
    assert(!connection.is_open);
    return 0;
}
