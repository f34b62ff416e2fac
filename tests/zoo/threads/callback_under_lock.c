/* callback_under_lock.c -- a listener that came first is called under the lock it takes to leave.
   expect: deadlock
   needs: sync */
#include <pthread.h>
#include <stddef.h>

typedef void listener(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static listener *listening;

static void listen_with(listener *next)
{
    pthread_mutex_lock(&lock);
    listening = next;
    pthread_mutex_unlock(&lock);
}

static void hear_once(void)
{
    listen_with(NULL);
}

static void *publish(void *unused)
{
    listener *whom;

    (void)unused;
    pthread_mutex_lock(&lock);
    whom = listening;
#ifdef FIXED
    pthread_mutex_unlock(&lock);
    if (whom)
        whom();
#else
    if (whom)
        whom();
    pthread_mutex_unlock(&lock);
#endif
    return NULL;
}

static void *subscribe(void *unused)
{
    (void)unused;
    listen_with(hear_once);
    return NULL;
}

int main(void)
{
    pthread_t publisher, subscriber;

    pthread_create(&publisher, NULL, publish, NULL);
    pthread_create(&subscriber, NULL, subscribe, NULL);
    pthread_join(publisher, NULL);
    pthread_join(subscriber, NULL);
    return 0;
}
