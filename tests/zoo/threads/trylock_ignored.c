/* trylock_ignored.c -- trylock fails, its answer is not looked at, and another's lock is unlocked.
   expect: exit|race
   needs: sync */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static int buffered;

static void unlock(void)
{
    if (pthread_mutex_unlock(&lock) != 0)
        exit(3);
}

static void *write_one(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    buffered++;
    unlock();
    return NULL;
}

/* Only when nobody is busy with the buffer. */
static void *flush_if_idle(void *unused)
{
    (void)unused;
#ifdef FIXED
    if (pthread_mutex_trylock(&lock) != 0)
        return NULL;
#else
    pthread_mutex_trylock(&lock);
#endif
    buffered = 0;
    unlock();
    return NULL;
}

int main(void)
{
    pthread_t writer, flusher;

    pthread_create(&writer, NULL, write_one, NULL);
    pthread_create(&flusher, NULL, flush_if_idle, NULL);
    pthread_join(writer, NULL);
    pthread_join(flusher, NULL);
    return 0;
}
