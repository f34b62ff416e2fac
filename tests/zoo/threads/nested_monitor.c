/* nested_monitor.c -- a consumer sleeps holding the outer lock that the producer needs to wake it.
   expect: deadlock
   needs: sync */
#include <pthread.h>
#include <stdbool.h>

static pthread_mutex_t device_lock = PTHREAD_MUTEX_INITIALIZER; /* the outer one */
static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
static bool has_item;

static void queue_take(void)
{
    pthread_mutex_lock(&queue_lock);
    while (!has_item)
        pthread_cond_wait(&not_empty, &queue_lock);
    has_item = false;
    pthread_mutex_unlock(&queue_lock);
}

static void queue_put(void)
{
    pthread_mutex_lock(&queue_lock);
    has_item = true;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&queue_lock);
}

static void *device_write(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&device_lock);
    queue_put();
    pthread_mutex_unlock(&device_lock);
    return NULL;
}

static void *device_read(void *unused)
{
    (void)unused;
#ifdef FIXED
    queue_take(); /* the queue has a lock of its own */
#else
    pthread_mutex_lock(&device_lock);
    queue_take();
    pthread_mutex_unlock(&device_lock);
#endif
    return NULL;
}

int main(void)
{
    pthread_t writer, reader;

    pthread_create(&writer, NULL, device_write, NULL);
    pthread_create(&reader, NULL, device_read, NULL);
    pthread_join(writer, NULL);
    pthread_join(reader, NULL);
    return 0;
}
