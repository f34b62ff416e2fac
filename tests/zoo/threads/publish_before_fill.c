/* publish_before_fill.c -- a letter is in the box before it is written, and the reader comes.
   expect: assertion|race
   needs: sync */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

struct letter {
    int pages;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrived = PTHREAD_COND_INITIALIZER;
static struct letter *box;

static void *send(void *unused)
{
    static struct letter letter;

    (void)unused;
#ifdef FIXED
    letter.pages = 4;
#endif
    pthread_mutex_lock(&lock);
    box = &letter;
    pthread_mutex_unlock(&lock);
#ifndef FIXED
    letter.pages = 4;
#endif
    pthread_cond_signal(&arrived);
    return NULL;
}

static void *receive(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    while (!box)
        pthread_cond_wait(&arrived, &lock);
    assert(box->pages == 4);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t sender, receiver;

    pthread_create(&sender, NULL, send, NULL);
    pthread_create(&receiver, NULL, receive, NULL);
    pthread_join(sender, NULL);
    pthread_join(receiver, NULL);
    return 0;
}
