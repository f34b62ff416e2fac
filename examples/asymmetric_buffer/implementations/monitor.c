/* correct: the paper's monitor, as it was in the end. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "asymmetric_buffer.h"

struct buffer {
    pthread_mutex_t lock;
    pthread_cond_t sender, receiver;
    char contents[LINE_LENGTH];
    int length;
};

buffer *buffer_create(void)
{
    buffer *b = calloc(1, sizeof *b);

    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->sender, NULL);
    pthread_cond_init(&b->receiver, NULL);
    return b;
}

void buffer_send(buffer *b, const char line[LINE_LENGTH])
{
    pthread_mutex_lock(&b->lock);
    while (b->length > 0)
        pthread_cond_wait(&b->sender, &b->lock);
    memcpy(b->contents, line, LINE_LENGTH);
    b->length = LINE_LENGTH;
    pthread_cond_broadcast(&b->receiver);
    pthread_mutex_unlock(&b->lock);
}

char buffer_receive(buffer *b)
{
    char c;

    pthread_mutex_lock(&b->lock);
    while (b->length == 0)
        pthread_cond_wait(&b->receiver, &b->lock);
    c = b->contents[LINE_LENGTH - b->length];
    b->length--;
    if (b->length == 0)
        pthread_cond_signal(&b->sender);
    pthread_mutex_unlock(&b->lock);
    return c;
}

void buffer_destroy(buffer *b)
{
    pthread_mutex_destroy(&b->lock);
    pthread_cond_destroy(&b->sender);
    pthread_cond_destroy(&b->receiver);
    free(b);
}
