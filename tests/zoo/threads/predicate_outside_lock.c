/* predicate_outside_lock.c -- the flag is set and signalled between the waiter's look and its wait.
   expect: deadlock
   needs: sync */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static atomic_bool ready; /* atomic, "so it needs no lock" */

static void *consume(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    while (!atomic_load(&ready))
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *produce(void *unused)
{
    (void)unused;
#ifdef FIXED
    pthread_mutex_lock(&lock);
#endif
    atomic_store(&ready, true);
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
    pthread_cond_signal(&changed);
    return NULL;
}

int main(void)
{
    pthread_t consumer, producer;

    pthread_create(&consumer, NULL, consume, NULL);
    pthread_create(&producer, NULL, produce, NULL);
    pthread_join(consumer, NULL);
    pthread_join(producer, NULL);
    return 0;
}
