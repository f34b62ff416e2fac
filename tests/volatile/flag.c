/* flag.c -- a volatile flag says that the payload is there. */
#include <pthread.h>

static int payload;
static volatile int flag;

static void *send(void *unused)
{
#ifndef FLAG_ONLY
    payload = 42;
#endif
    flag = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    int bad = 0;

    pthread_create(&thread, NULL, send, NULL);
#ifdef JOINED
    pthread_join(thread, NULL);
#endif
    if (flag) {
#ifndef FLAG_ONLY
        bad = payload != 42;
#endif
    }
#ifndef JOINED
    pthread_join(thread, NULL);
#endif
    return bad;
}
