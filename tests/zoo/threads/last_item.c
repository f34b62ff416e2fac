/* last_item.c -- the last item and the end come after the last drain, before the look for the end.
   expect: assertion
   needs: sync */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int queued, consumed;
static atomic_bool is_closed; /* once it is, nothing is queued any more */

static void *produce(void *unused)
{
    (void)unused;
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        queued++;
        pthread_mutex_unlock(&lock);
    }
    atomic_store(&is_closed, true);
    return NULL;
}

static void drain(void)
{
    pthread_mutex_lock(&lock);
    consumed += queued;
    queued = 0;
    pthread_mutex_unlock(&lock);
}

static void *consume(void *unused)
{
    bool was_closed;

    (void)unused;
    do {
        sched_yield();
#ifdef FIXED
        was_closed = atomic_load(&is_closed);
        drain();
#else
        drain();
        was_closed = atomic_load(&is_closed);
#endif
    } while (!was_closed);
    return NULL;
}

int main(void)
{
    pthread_t producer, consumer;

    pthread_create(&producer, NULL, produce, NULL);
    pthread_create(&consumer, NULL, consume, NULL);
    pthread_join(producer, NULL);
    pthread_join(consumer, NULL);
    assert(consumed == 2);
    return 0;
}
