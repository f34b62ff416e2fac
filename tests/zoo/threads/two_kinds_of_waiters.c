/* two_kinds_of_waiters.c -- one signal for "not full" and "not empty" wakes the wrong kind.
   expect: deadlock
   needs: sync */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER; /* producers and consumers wait here */
static bool full;

static void tell(void)
{
#ifdef FIXED
    pthread_cond_broadcast(&changed);
#else
    pthread_cond_signal(&changed);
#endif
}

static void *put(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    while (full)
        pthread_cond_wait(&changed, &lock);
    full = true;
    tell();
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *take(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    while (!full)
        pthread_cond_wait(&changed, &lock);
    full = false;
    tell();
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    void *(*const jobs[4])(void *) = {put, take, put, take};
    pthread_t threads[4];

    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, jobs[i], NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    assert(!full);
    return 0;
}
