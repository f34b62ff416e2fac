/* mpmc_ring.c -- two producers claim the same slot of the ring, and one item is written over.
   expect: assertion|race
   needs: access */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { SLOTS = 4 };

/* A slot is free for the put at `position` when its turn is `position`, and full
 * for the take there when its turn is one more.  It never gets full here. */
static struct {
    atomic_uint turn;
    int item;
} slots[SLOTS] = {{0, 0}, {1, 0}, {2, 0}, {3, 0}};
static atomic_uint head, tail; /* put at tail, take at head */
static atomic_int times_seen[3];

static void *put(void *item)
{
    unsigned position = atomic_load(&tail);

#ifdef FIXED
    while (!atomic_compare_exchange_strong(&tail, &position, position + 1))
        continue;
#else
    atomic_store(&tail, position + 1);
#endif
    slots[position % SLOTS].item = *(const int *)item;
    atomic_store(&slots[position % SLOTS].turn, position + 1);
    return NULL;
}

static void *take_if_any(void *unused)
{
    unsigned position = atomic_load(&head);

    (void)unused;
    while (atomic_load(&slots[position % SLOTS].turn) == position + 1) {
        if (atomic_compare_exchange_strong(&head, &position, position + 1)) {
            atomic_fetch_add(&times_seen[slots[position % SLOTS].item], 1);
            atomic_store(&slots[position % SLOTS].turn, position + SLOTS);
            break;
        }
    }
    return NULL;
}

int main(void)
{
    int items[2] = {1, 2};
    pthread_t threads[4];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, put, &items[i]);
    for (int i = 2; i < 4; i++)
        pthread_create(&threads[i], NULL, take_if_any, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 2; i++) /* what is left */
        take_if_any(NULL);
    assert(atomic_load(&times_seen[1]) == 1 && atomic_load(&times_seen[2]) == 1);
    return 0;
}
