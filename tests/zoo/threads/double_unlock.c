/* double_unlock.c -- a consumer that finds nothing unlocks, goes on, and unlocks again.
   expect: exit
   needs: sync */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock; /* checks errors */
static int stored;

static void unlock(void)
{
    if (pthread_mutex_unlock(&lock) != 0)
        exit(3);
}

static void *put(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    stored++;
    unlock();
    return NULL;
}

static void *take_if_any(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    if (stored == 0) {
        unlock();
#ifdef FIXED
        return NULL;
#endif
    } else {
        stored--;
    }
    unlock();
    return NULL;
}

int main(void)
{
    pthread_mutexattr_t checked;
    pthread_t producer, consumer;

    pthread_mutexattr_init(&checked);
    pthread_mutexattr_settype(&checked, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&lock, &checked);
    pthread_mutexattr_destroy(&checked);
    pthread_create(&producer, NULL, put, NULL);
    pthread_create(&consumer, NULL, take_if_any, NULL);
    pthread_join(producer, NULL);
    pthread_join(consumer, NULL);
    pthread_mutex_destroy(&lock);
    return 0;
}
