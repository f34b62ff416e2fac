/* spsc_ring.c -- the producer moves the head before it fills the slot; the consumer reads it empty.
   expect: assertion|race
   needs: access */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { SLOTS = 2, ITEMS = 3 };

static int slots[SLOTS];
static atomic_uint head, tail; /* put at head, take at tail; both only ever grow */

static void *produce(void *unused)
{
    (void)unused;
    for (unsigned i = 0; i < ITEMS; i++) {
        while (i - atomic_load(&tail) == SLOTS)
            sched_yield();
#ifdef FIXED
        slots[i % SLOTS] = (int)i + 1;
        atomic_store(&head, i + 1);
#else
        atomic_store(&head, i + 1);
        slots[i % SLOTS] = (int)i + 1;
#endif
    }
    return NULL;
}

static void *consume(void *unused)
{
    (void)unused;
    for (unsigned i = 0; i < ITEMS; i++) {
        while (atomic_load(&head) == i)
            sched_yield();
        assert(slots[i % SLOTS] == (int)i + 1);
        atomic_store(&tail, i + 1);
    }
    return NULL;
}

int main(void)
{
    pthread_t producer, consumer;

    pthread_create(&producer, NULL, produce, NULL);
    pthread_create(&consumer, NULL, consume, NULL);
    pthread_join(producer, NULL);
    pthread_join(consumer, NULL);
    return 0;
}
