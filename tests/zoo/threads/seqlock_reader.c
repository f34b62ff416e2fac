/* seqlock_reader.c -- a reader comes and goes in mid-write: the number is odd, but the same.
   expect: assertion
   needs: access */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

static atomic_uint sequence; /* odd while the writer is at work */
static atomic_int x, y;      /* always equal, to those who read between two writes */

static void *write_both(void *unused)
{
    (void)unused;
    for (int value = 1; value <= 2; value++) {
        atomic_fetch_add(&sequence, 1);
        atomic_store(&x, value);
        atomic_store(&y, value);
        atomic_fetch_add(&sequence, 1);
    }
    return NULL;
}

static bool try_read(int *out_x, int *out_y)
{
    unsigned before = atomic_load(&sequence);

#ifdef FIXED
    if (before % 2 != 0)
        return false;
#endif
    *out_x = atomic_load(&x);
    *out_y = atomic_load(&y);
    return atomic_load(&sequence) == before;
}

static void *read_both(void *unused)
{
    int seen_x = 0, seen_y = 0;

    (void)unused;
    while (!try_read(&seen_x, &seen_y))
        sched_yield();
    assert(seen_x == seen_y);
    return NULL;
}

int main(void)
{
    pthread_t writer, reader;

    pthread_create(&writer, NULL, write_both, NULL);
    pthread_create(&reader, NULL, read_both, NULL);
    pthread_join(writer, NULL);
    pthread_join(reader, NULL);
    return 0;
}
