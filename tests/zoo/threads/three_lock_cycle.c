/* three_lock_cycle.c -- index waits for cache, cache for journal, journal for index.
   expect: deadlock
   needs: sync */
#include <pthread.h>

static pthread_mutex_t index_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t cache_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t journal_lock = PTHREAD_MUTEX_INITIALIZER;

static void hold_both(pthread_mutex_t *first, pthread_mutex_t *second)
{
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
}

static void *look_up(void *unused)
{
    (void)unused;
    hold_both(&index_lock, &cache_lock);
    return NULL;
}

static void *evict(void *unused)
{
    (void)unused;
    hold_both(&cache_lock, &journal_lock);
    return NULL;
}

static void *replay(void *unused)
{
    (void)unused;
#ifdef FIXED
    hold_both(&index_lock, &journal_lock);
#else
    hold_both(&journal_lock, &index_lock);
#endif
    return NULL;
}

int main(void)
{
    void *(*const jobs[3])(void *) = {look_up, evict, replay};
    pthread_t threads[3];

    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, jobs[i], NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
