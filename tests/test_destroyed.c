/* test_destroyed.c -- what is destroyed while somebody waits for it is found, in whatever order the
 * two come to it. */
#include "explore.h"

static pthread_mutex_t mutex;
static pthread_rwlock_t lock;
static int how;

/* 0: mutex; 1, 2: lock, for reading and for writing. */
static void take(int it)
{
    if (it == 0)
        pthread_mutex_lock(&mutex);
    else if (it == 1)
        pthread_rwlock_rdlock(&lock);
    else
        pthread_rwlock_wrlock(&lock);
}

static void give(int it)
{
    if (it == 0)
        pthread_mutex_unlock(&mutex);
    else
        pthread_rwlock_unlock(&lock);
}

static void *taker(void *unused)
{
    take(how);
    put(0, "taken ");
    give(how);
    return unused;
}

static void destroy_under_one(void)
{
    pthread_t thread;

    pthread_mutex_init(&mutex, NULL);
    pthread_rwlock_init(&lock, NULL);
    take(how ? 2 : 0);
    pthread_create(&thread, NULL, taker, NULL);
    give(how);
    if (how)
        pthread_rwlock_destroy(&lock);
    else
        pthread_mutex_destroy(&mutex);
    put(0, "destroyed ");
    pthread_join(thread, NULL);
}

/* Only if all is over before is it right. */
TEST(who_waits_for_what_is_destroyed_never_gets_it)
{
    for (how = 0; how < 3; how++)
        EXPECT_STR(outcomes_of(destroy_under_one),
                   "misuse destroyed  | misuse taken  | taken destroyed ");
}
