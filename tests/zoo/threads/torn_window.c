/* torn_window.c -- the window moves in two locked steps; between them its ends are crossed.
   expect: assertion
   needs: sync */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    int low, high;
} window = {0, 10};

static void *move(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    window.low = 20;
#ifndef FIXED
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
#endif
    window.high = 30;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *look(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    assert(window.low <= window.high);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t mover, viewer;

    pthread_create(&mover, NULL, move, NULL);
    pthread_create(&viewer, NULL, look, NULL);
    pthread_join(mover, NULL);
    pthread_join(viewer, NULL);
    return 0;
}
