/* barrier_reuse.c -- a fast thread is at the barrier again before a slow one saw it open.
   expect: deadlock
   needs: sync */
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>

enum { THREADS = 2, ROUNDS = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static int arrived; /* back to 0 when the barrier opens */
#ifdef FIXED
static int times_opened;
#endif
static sem_t parts, round_over; /* of a round: what is left to do, and that all is done */

/* True for the last to come. */
static bool meet(void)
{
    bool is_last;

    pthread_mutex_lock(&lock);
    is_last = ++arrived == THREADS;
    if (is_last) {
        arrived = 0;
#ifdef FIXED
        times_opened++;
#endif
        pthread_cond_broadcast(&opened);
    } else {
#ifdef FIXED
        int before = times_opened;

        while (times_opened == before)
#else
        while (arrived != 0)
#endif
            pthread_cond_wait(&opened, &lock);
    }
    pthread_mutex_unlock(&lock);
    return is_last;
}

static void *work(void *unused)
{
    (void)unused;
    for (int i = 0; i < ROUNDS; i++) {
        sem_wait(&parts);
        if (meet())
            sem_post(&round_over);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];

    sem_init(&parts, 0, 0);
    sem_init(&round_over, 0, 0);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < THREADS; i++)
            sem_post(&parts);
        sem_wait(&round_over);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    sem_destroy(&round_over);
    sem_destroy(&parts);
    return 0;
}
