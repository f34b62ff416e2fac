/* slot_reused.c -- a slot is found, then charged; in between it is given to another customer.
   expect: assertion
   needs: sync */
#include <assert.h>
#include <pthread.h>

enum { SLOTS = 2, ANN = 1, BOB = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    int customer, bill;
} slots[SLOTS] = {{0, 0}, {ANN, 0}};

static int find(int customer)
{
    int found = -1;

    pthread_mutex_lock(&lock);
    for (int i = 0; i < SLOTS; i++)
        if (slots[i].customer == customer)
            found = i;
    pthread_mutex_unlock(&lock);
    return found;
}

static void *charge_ann(void *unused)
{
    int slot = find(ANN);

    (void)unused;
    if (slot < 0)
        return NULL;
    pthread_mutex_lock(&lock);
#ifdef FIXED
    if (slots[slot].customer == ANN) /* she may have left since */
#endif
        slots[slot].bill += 10;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *replace_ann(void *unused)
{
    int slot = find(ANN);

    (void)unused;
    pthread_mutex_lock(&lock);
    slots[slot].customer = BOB;
    slots[slot].bill = 0;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t till, door;

    pthread_create(&till, NULL, charge_ann, NULL);
    pthread_create(&door, NULL, replace_ann, NULL);
    pthread_join(till, NULL);
    pthread_join(door, NULL);
    assert(slots[find(BOB)].bill == 0);
    return 0;
}
