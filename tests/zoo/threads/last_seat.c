/* last_seat.c -- both clerks see a seat left, each under the lock, and both sell it afterwards.
   expect: assertion
   needs: sync */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int seats = 1;

static bool any_seat_left(void)
{
    bool any;

    pthread_mutex_lock(&lock);
    any = seats > 0;
    pthread_mutex_unlock(&lock);
    return any;
}

static void sell(void)
{
    pthread_mutex_lock(&lock);
#ifdef FIXED
    if (seats > 0) /* what was true before the lock was taken need not be true now */
#endif
        seats--;
    pthread_mutex_unlock(&lock);
}

static void *serve(void *unused)
{
    (void)unused;
    if (any_seat_left())
        sell();
    return NULL;
}

int main(void)
{
    pthread_t clerks[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&clerks[i], NULL, serve, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(clerks[i], NULL);
    assert(seats == 0);
    return 0;
}
