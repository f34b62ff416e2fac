/* destroy_in_use.c -- a mutex is destroyed when its last user is done, but has not unlocked it yet.
   expect: misuse|exit
   needs: sync */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

static struct {
    pthread_mutex_t lock;
    atomic_bool is_done; /* set under the lock */
} job;

static void *work(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&job.lock);
    atomic_store(&job.is_done, true);
    pthread_mutex_unlock(&job.lock);
    return NULL;
}

static bool is_done(void)
{
    bool answer;

#ifdef FIXED
    pthread_mutex_lock(&job.lock); /* whoever set it has let go of the lock then */
#endif
    answer = atomic_load(&job.is_done);
#ifdef FIXED
    pthread_mutex_unlock(&job.lock);
#endif
    return answer;
}

int main(void)
{
    pthread_t worker;

    pthread_mutex_init(&job.lock, NULL);
    pthread_create(&worker, NULL, work, NULL);
    while (!is_done())
        sched_yield();
    if (pthread_mutex_destroy(&job.lock) != 0)
        exit(3);
    pthread_join(worker, NULL);
    return 0;
}
