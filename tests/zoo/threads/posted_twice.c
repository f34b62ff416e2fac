/* posted_twice.c -- a part that failed reports twice; the sum is taken before the other part.
   expect: assertion|race
   needs: sync */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>

static sem_t done;
static int good_part;

static bool compute_bad_part(void)
{
#ifndef FIXED
    sem_post(&done); /* "nothing more to come"; but the caller says so, too */
#endif
    return false;
}

static void *do_good_part(void *unused)
{
    (void)unused;
    good_part = 6;
    sem_post(&done);
    return NULL;
}

static void *do_bad_part(void *unused)
{
    (void)unused;
    compute_bad_part();
    sem_post(&done);
    return NULL;
}

int main(void)
{
    pthread_t good, bad;

    sem_init(&done, 0, 0);
    pthread_create(&good, NULL, do_good_part, NULL);
    pthread_create(&bad, NULL, do_bad_part, NULL);
    for (int i = 0; i < 2; i++)
        sem_wait(&done);
    assert(good_part == 6);
    pthread_join(good, NULL);
    pthread_join(bad, NULL);
    sem_destroy(&done);
    return 0;
}
