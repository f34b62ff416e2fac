/* pop_from_empty.c -- two workers see one job on the list; the second follows a null pointer.
   expect: crash
   needs: sync */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct job {
    struct job *next;
    int runs;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct job store[3];
static struct job *jobs;

static bool is_empty(void)
{
    bool empty;

    pthread_mutex_lock(&lock);
    empty = jobs == NULL;
    pthread_mutex_unlock(&lock);
    return empty;
}

static struct job *pop(void)
{
    struct job *job;

    pthread_mutex_lock(&lock);
    job = jobs;
#ifdef FIXED
    if (job)
#endif
        jobs = job->next;
    pthread_mutex_unlock(&lock);
    return job;
}

static void *work(void *unused)
{
    (void)unused;
    while (!is_empty()) {
        struct job *job = pop();

#ifdef FIXED
        if (!job)
            break;
#endif
        job->runs++;
    }
    return NULL;
}

int main(void)
{
    pthread_t workers[2];
    int runs = 0;

    for (int i = 0; i < 3; i++) {
        store[i].next = jobs;
        jobs = &store[i];
    }
    for (int i = 0; i < 2; i++)
        pthread_create(&workers[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(workers[i], NULL);
    for (int i = 0; i < 3; i++)
        runs += store[i].runs;
    return runs == 3 ? 0 : 1;
}
