/* write_under_rdlock.c -- two readers move what they found to the front; one entry is lost.
   expect: assertion|race
   needs: access */
#include <assert.h>
#include <pthread.h>

enum { ENTRIES = 3 };

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int entries[ENTRIES] = {10, 20, 30}; /* what was looked up last comes first */

static void *look_up(void *argument)
{
    int key = *(const int *)argument;

#ifdef FIXED
    pthread_rwlock_wrlock(&lock);
#else
    pthread_rwlock_rdlock(&lock);
#endif
    for (int i = 0; i < ENTRIES; i++) {
        if (entries[i] == key) {
            entries[i] = entries[0];
            entries[0] = key;
            break;
        }
    }
    pthread_rwlock_unlock(&lock);
    return NULL;
}

int main(void)
{
    int keys[2] = {20, 30};
    pthread_t threads[2];
    int sum = 0;

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, look_up, &keys[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < ENTRIES; i++)
        sum += entries[i];
    assert(sum == 60);
    return 0;
}
