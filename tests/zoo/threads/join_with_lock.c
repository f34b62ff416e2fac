/* join_with_lock.c -- the lock is held while a worker is joined that has just decided to take it.
   expect: deadlock
   needs: sync */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool stopping;
static int units_done;

static void *work(void *unused)
{
    (void)unused;
    for (int i = 0; i < 2 && !atomic_load(&stopping); i++) {
        pthread_mutex_lock(&lock);
        units_done++;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t worker;

    pthread_create(&worker, NULL, work, NULL);
    pthread_mutex_lock(&lock);
    atomic_store(&stopping, true);
#ifdef FIXED
    pthread_mutex_unlock(&lock);
    pthread_join(worker, NULL);
#else
    pthread_join(worker, NULL);
    pthread_mutex_unlock(&lock);
#endif
    return units_done <= 2 ? 0 : 1;
}
