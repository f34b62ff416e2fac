/* signal_before_wait.c -- the signal comes before the wait, and nothing remembers that it came.
   expect: deadlock
   needs: sync */
#include <pthread.h>
#include <stdbool.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t started = PTHREAD_COND_INITIALIZER;
#ifdef FIXED
static bool has_started;
#endif

static void *wait_for_start(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
#ifdef FIXED
    while (!has_started)
#endif
        pthread_cond_wait(&started, &lock);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *start(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
#ifdef FIXED
    has_started = true;
#endif
    pthread_cond_signal(&started);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t runner, starter;

    pthread_create(&runner, NULL, wait_for_start, NULL);
    pthread_create(&starter, NULL, start, NULL);
    pthread_join(runner, NULL);
    pthread_join(starter, NULL);
    return 0;
}
