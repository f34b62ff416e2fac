/* pool_shutdown.c -- both workers are asleep when the pool stops, and only one of them is woken.
   expect: deadlock
   needs: sync */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t something_to_do = PTHREAD_COND_INITIALIZER;
static int jobs, jobs_done;
static bool is_stopping;

static void *work(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    for (;;) {
        while (jobs == 0 && !is_stopping)
            pthread_cond_wait(&something_to_do, &lock);
        if (jobs == 0)
            break;
        jobs--;
        jobs_done++;
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void submit(void)
{
    pthread_mutex_lock(&lock);
    jobs++;
    pthread_cond_signal(&something_to_do);
    pthread_mutex_unlock(&lock);
}

static void stop(void)
{
    pthread_mutex_lock(&lock);
    is_stopping = true;
#ifdef FIXED
    pthread_cond_broadcast(&something_to_do);
#else
    pthread_cond_signal(&something_to_do);
#endif
    pthread_mutex_unlock(&lock);
}

int main(void)
{
    pthread_t workers[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&workers[i], NULL, work, NULL);
    submit();
    stop();
    for (int i = 0; i < 2; i++)
        pthread_join(workers[i], NULL);
    assert(jobs_done == 1);
    return 0;
}
