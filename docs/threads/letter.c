/* letter.c -- a letter, and somebody who waits for it, but not for ever. */
#include <pthread.h>
#include <raddle.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t came = PTHREAD_COND_INITIALIZER;
static bool is_there;

/* False: it did not come in time. */
static bool await_letter(int seconds)
{
    struct timespec end;
    bool found;

    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += seconds;
    pthread_mutex_lock(&lock);
    if (!is_there)
        pthread_cond_timedwait(&came, &lock, &end);
    found = is_there;
    pthread_mutex_unlock(&lock);
    return found;
}

static void deliver(void *unused)
{
    (void)unused;
    sleep(1800);
    pthread_mutex_lock(&lock);
    is_there = true;
    pthread_cond_signal(&came);
    pthread_mutex_unlock(&lock);
}

#ifndef FAULTS
#define FAULTS 0
#endif

RDL_EXPLORE(an_hour_is_enough_for_half_an_hour, .faults = FAULTS)
{
    struct rdl_thread *postman;
    time_t begun = time(NULL);

    is_there = false;
    postman = rdl_spawn(t, "postman", deliver, NULL);
    rdl_check(await_letter(3600));
    rdl_check_ge(time(NULL) - begun, 1800);
    rdl_join(postman);
}

RDL_MAIN
