/* polite_backoff.c -- each holds one lock, gives it back for the other and takes it again, in step.
   expect: livelock
   needs: sync */
#include <pthread.h>
#include <sched.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;

static void hold_both(pthread_mutex_t *mine, pthread_mutex_t *theirs)
{
    pthread_mutex_lock(mine);
    while (pthread_mutex_trylock(theirs) != 0) {
        pthread_mutex_unlock(mine);
        pthread_mutex_lock(mine);
        sched_yield(); /* too late to be polite: the other finds our lock taken again */
    }
    pthread_mutex_unlock(theirs);
    pthread_mutex_unlock(mine);
}

static void *go_left(void *unused)
{
    (void)unused;
    hold_both(&left, &right);
    return NULL;
}

static void *go_right(void *unused)
{
    (void)unused;
#ifdef FIXED
    hold_both(&left, &right); /* one order for both: whoever has the first gets the second */
#else
    hold_both(&right, &left);
#endif
    return NULL;
}

int main(void)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, go_left, NULL);
    pthread_create(&threads[1], NULL, go_right, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
