/* wait_with_if.c -- a consumer wakes for an item that another has taken, and does not look again.
   expect: assertion
   needs: sync */
#include <assert.h>
#include <stddef.h>
#include <threads.h>

static mtx_t lock;
static cnd_t not_empty;
static int items;

static int consume(void *unused)
{
    (void)unused;
    mtx_lock(&lock);
#ifdef FIXED
    while (items == 0)
#else
    if (items == 0)
#endif
        cnd_wait(&not_empty, &lock);
    assert(items > 0);
    items--;
    mtx_unlock(&lock);
    return 0;
}

static int produce(void *unused)
{
    (void)unused;
    for (int i = 0; i < 2; i++) {
        mtx_lock(&lock);
        items++;
        cnd_signal(&not_empty);
        mtx_unlock(&lock);
    }
    return 0;
}

int main(void)
{
    thrd_t consumers[2], producer;

    mtx_init(&lock, mtx_plain);
    cnd_init(&not_empty);
    for (int i = 0; i < 2; i++)
        thrd_create(&consumers[i], consume, NULL);
    thrd_create(&producer, produce, NULL);
    for (int i = 0; i < 2; i++)
        thrd_join(consumers[i], NULL);
    thrd_join(producer, NULL);
    cnd_destroy(&not_empty);
    mtx_destroy(&lock);
    return 0;
}
