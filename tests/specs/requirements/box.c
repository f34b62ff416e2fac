/* box.c -- the box itself; it speaks of a requirement of its own. */
#include "box.h"

#include <pthread.h>
#include <raddle/requirements.h>
#include <stdlib.h>

RDL_REQUIREMENT("BOX_0", "There is a box.");

struct box {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int count, items[2];
};

struct box *box_new(void)
{
    struct box *b = calloc(1, sizeof *b);

    if (!b)
        abort();
    rdl_requirement("BOX_0");
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->changed, NULL);
    return b;
}

bool box_put(struct box *b, int value)
{
    bool fits;

    pthread_mutex_lock(&b->lock);
    fits = b->count < 2;
    if (fits)
        b->items[b->count++] = value;
    pthread_cond_signal(&b->changed);
    pthread_mutex_unlock(&b->lock);
    return fits;
}

int box_take(struct box *b)
{
    int value;

    pthread_mutex_lock(&b->lock);
    while (b->count == 0)
        pthread_cond_wait(&b->changed, &b->lock);
    value = b->items[--b->count];
    pthread_mutex_unlock(&b->lock);
    return value;
}

void box_free(struct box *b)
{
    pthread_mutex_destroy(&b->lock);
    pthread_cond_destroy(&b->changed);
    free(b);
}
