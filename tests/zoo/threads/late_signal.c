/* late_signal.c -- the job is marked done and unlocked; its owner frees it; then it is signalled.
   expect: crash|misuse
   needs: sync */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>

struct job {
    pthread_mutex_t lock;
    pthread_cond_t finished;
    bool is_done;
    bool has_waiter; /* never changes once the job has begun */
};

static void *work(void *argument)
{
    struct job *job = argument;

    pthread_mutex_lock(&job->lock);
    job->is_done = true;
#ifdef FIXED
    if (job->has_waiter)
        pthread_cond_signal(&job->finished);
    pthread_mutex_unlock(&job->lock);
#else
    pthread_mutex_unlock(&job->lock);
    if (job->has_waiter)
        pthread_cond_signal(&job->finished);
#endif
    return NULL;
}

int main(void)
{
    struct job *job =
        mmap(NULL, sizeof *job, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_t worker;

    if (job == MAP_FAILED)
        exit(77);
    pthread_mutex_init(&job->lock, NULL);
    pthread_cond_init(&job->finished, NULL);
    job->has_waiter = true;
    pthread_create(&worker, NULL, work, job);
    pthread_mutex_lock(&job->lock);
    while (!job->is_done)
        pthread_cond_wait(&job->finished, &job->lock);
    pthread_mutex_unlock(&job->lock);
    pthread_cond_destroy(&job->finished);
    pthread_mutex_destroy(&job->lock);
    mprotect(job, sizeof *job, PROT_NONE); /* gone for good: nothing else moves in there */
    pthread_join(worker, NULL);
    munmap(job, sizeof *job);
    return 0;
}
