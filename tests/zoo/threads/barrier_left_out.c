/* barrier_left_out.c -- a thread that hears of a failure in time leaves; the others wait for it.
   expect: deadlock
   needs: sync */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

static pthread_barrier_t all_loaded;
static atomic_bool failed;

static void *load_good_part(void *unused)
{
    (void)unused;
#ifndef FIXED
    if (atomic_load(&failed)) /* nothing to do any more; but the barrier still counts us */
        return NULL;
#endif
    pthread_barrier_wait(&all_loaded);
    return NULL;
}

static void *load_bad_part(void *unused)
{
    (void)unused;
    atomic_store(&failed, true);
    pthread_barrier_wait(&all_loaded);
    return NULL;
}

int main(void)
{
    void *(*const parts[3])(void *) = {load_good_part, load_good_part, load_bad_part};
    pthread_t loaders[3];

    pthread_barrier_init(&all_loaded, NULL, 3);
    for (int i = 0; i < 3; i++)
        pthread_create(&loaders[i], NULL, parts[i], NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(loaders[i], NULL);
    pthread_barrier_destroy(&all_loaded);
    return 0;
}
