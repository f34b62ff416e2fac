/* double_checked_flag.c -- the flag is up while the limits are still being read; others go ahead.
   expect: assertion|race
   needs: sync */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

static pthread_mutex_t once_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t config_lock = PTHREAD_MUTEX_INITIALIZER;
static int config_limit = 12;
static atomic_bool is_loaded;
static int limit;

static int read_config(void)
{
    int value;

    pthread_mutex_lock(&config_lock);
    value = config_limit;
    pthread_mutex_unlock(&config_lock);
    return value;
}

static int get_limit(void)
{
    if (!atomic_load(&is_loaded)) {
        pthread_mutex_lock(&once_lock);
        if (!atomic_load(&is_loaded)) {
#ifdef FIXED
            limit = read_config();
            atomic_store(&is_loaded, true);
#else
            atomic_store(&is_loaded, true);
            limit = read_config();
#endif
        }
        pthread_mutex_unlock(&once_lock);
    }
    return limit;
}

static void *use(void *unused)
{
    (void)unused;
    assert(get_limit() == 12);
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
