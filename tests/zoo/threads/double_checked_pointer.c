/* double_checked_pointer.c -- the unlocked look finds a pointer to a table that is not filled yet.
   expect: assertion|race
   needs: access */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct table {
    int size;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct table storage;
#ifdef FIXED
static struct table *_Atomic table;
#else
static struct table *table;
#endif

static struct table *the_table(void)
{
    if (!table) {
        pthread_mutex_lock(&lock);
        if (!table) {
#ifdef FIXED
            storage.size = 16;
            table = &storage;
#else
            table = &storage;
            table->size = 16;
#endif
        }
        pthread_mutex_unlock(&lock);
    }
    return table;
}

static void *use(void *unused)
{
    (void)unused;
    assert(the_table()->size == 16);
    return NULL;
}

int main(void)
{
    pthread_t users[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&users[i], NULL, use, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(users[i], NULL);
    return 0;
}
