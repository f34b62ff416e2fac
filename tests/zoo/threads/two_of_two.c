/* two_of_two.c -- there are two drives, each copy needs both, and each has got one.
   expect: deadlock
   needs: sync */
#include <pthread.h>
#include <semaphore.h>

static sem_t drives;
#ifdef FIXED
static pthread_mutex_t choosing = PTHREAD_MUTEX_INITIALIZER; /* only one takes drives at a time */
#endif

static void *copy(void *unused)
{
    (void)unused;
#ifdef FIXED
    pthread_mutex_lock(&choosing);
#endif
    sem_wait(&drives);
    sem_wait(&drives);
#ifdef FIXED
    pthread_mutex_unlock(&choosing);
#endif
    sem_post(&drives);
    sem_post(&drives);
    return NULL;
}

int main(void)
{
    pthread_t copies[2];

    sem_init(&drives, 0, 2);
    for (int i = 0; i < 2; i++)
        pthread_create(&copies[i], NULL, copy, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(copies[i], NULL);
    sem_destroy(&drives);
    return 0;
}
