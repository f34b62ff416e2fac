/* upgrade.c -- two readers want to become the writer, and each waits for the other to stop reading.
   expect: deadlock
   needs: sync */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t reader_left = PTHREAD_COND_INITIALIZER;
static int readers;
static bool upgrading; /* a reader waits to be the only one; it writes under `lock` itself */
static int value = 1;

static void begin_reading(void)
{
    pthread_mutex_lock(&lock);
    while (upgrading)
        pthread_cond_wait(&reader_left, &lock);
    readers++;
    pthread_mutex_unlock(&lock);
}

/* Ends the reading. False: nothing is written, as another reader is about to write. */
static bool upgrade_and_write(int next)
{
    bool alone = true;

    pthread_mutex_lock(&lock);
#ifdef FIXED
    alone = !upgrading; /* only one can win; the other has to give way */
#endif
    if (alone) {
        upgrading = true;
        while (readers > 1)
            pthread_cond_wait(&reader_left, &lock);
        value = next;
        upgrading = false;
    }
    readers--;
    pthread_cond_broadcast(&reader_left);
    pthread_mutex_unlock(&lock);
    return alone;
}

static void *twice(void *unused)
{
    int seen;

    (void)unused;
    do {
        begin_reading();
        seen = value;
    } while (!upgrade_and_write(2 * seen));
    return NULL;
}

int main(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, twice, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(value == 4);
    return 0;
}
