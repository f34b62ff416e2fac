/* trywait_ignored.c -- sem_trywait has nothing, its answer is not looked at, an item is taken.
   expect: assertion
   needs: sync */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t items;
static int stored;

static void *put(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    stored++;
    pthread_mutex_unlock(&lock);
    sem_post(&items);
    return NULL;
}

static void *take_if_any(void *unused)
{
    (void)unused;
#ifdef FIXED
    if (sem_trywait(&items) != 0)
        return NULL;
#else
    sem_trywait(&items);
#endif
    pthread_mutex_lock(&lock);
    assert(stored > 0);
    stored--;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t producer, consumer;

    sem_init(&items, 0, 0);
    pthread_create(&producer, NULL, put, NULL);
    pthread_create(&consumer, NULL, take_if_any, NULL);
    pthread_join(producer, NULL);
    pthread_join(consumer, NULL);
    sem_destroy(&items);
    return 0;
}
