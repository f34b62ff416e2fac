/* timed_out.c -- a wait that ran out of time is taken for one that was told of a delivery.
   expect: assertion
   needs: sync */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t delivered = PTHREAD_COND_INITIALIZER;
static bool is_delivered;
static int parcel;

static void *deliver(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    parcel = 8;
    is_delivered = true;
    pthread_cond_signal(&delivered);
    pthread_mutex_unlock(&lock);
    return NULL;
}

/* Looks once and lets the deliverer in once: the deadline is always past. */
static void *collect(void *unused)
{
    const struct timespec long_ago = {0, 0};
    int result = 0;

    (void)unused;
    pthread_mutex_lock(&lock);
    while (!is_delivered && result != ETIMEDOUT)
        result = pthread_cond_timedwait(&delivered, &lock, &long_ago);
#ifdef FIXED
    if (is_delivered) /* else: come again tomorrow */
#endif
        assert(parcel == 8);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t deliverer, collector;

    pthread_create(&deliverer, NULL, deliver, NULL);
    pthread_create(&collector, NULL, collect, NULL);
    pthread_join(deliverer, NULL);
    pthread_join(collector, NULL);
    return 0;
}
