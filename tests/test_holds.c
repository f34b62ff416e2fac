/* test_holds.c -- who holds a lock is known, however often it was taken and given back.
 *
 * A thread takes and gives back locks at random.  Another one wants one of them.  If the first
 * holds it still, by counting, both wait when it wants what the other holds; else the other gets
 * it, and both wait when the first wants it back.  The report has to name the two as a circle. */
#include <semaphore.h>

#include "base/random.h"
#include "explore.h"

enum { LOCKS = 3, STEPS = 12, PROGRAMS = 60 };

static pthread_mutex_t recursive, of_first, of_second;
static pthread_rwlock_t rwlock;
static FILE *file;
static sem_t ready, taken, got;

static int steps[STEPS]; /* which lock to take, or, negative, to give back, counted from 1 */
static int wanted;
static bool is_held;

static void take(int lock)
{
    if (lock == 0)
        pthread_mutex_lock(&recursive);
    if (lock == 1)
        pthread_rwlock_rdlock(&rwlock);
    if (lock == 2)
        flockfile(file);
}

static void give_back(int lock)
{
    if (lock == 0)
        pthread_mutex_unlock(&recursive);
    if (lock == 1)
        pthread_rwlock_unlock(&rwlock);
    if (lock == 2)
        funlockfile(file);
}

static void take_alone(int lock)
{
    if (lock == 1)
        pthread_rwlock_wrlock(&rwlock);
    else
        take(lock);
}

static void *take_many(void *it)
{
    for (int i = 0; i < STEPS; i++) {
        if (steps[i] > 0)
            take(steps[i] - 1);
        if (steps[i] < 0)
            give_back(-steps[i] - 1);
    }
    pthread_mutex_lock(&of_first);
    sem_wait(&ready);
    sem_post(&taken);
    if (is_held)
        pthread_mutex_lock(&of_second);
    sem_wait(&got);
    take_alone(wanted);
    return it;
}

static void *want_one(void *it)
{
    pthread_mutex_lock(&of_second);
    sem_post(&ready);
    sem_wait(&taken);
    take_alone(wanted);
    sem_post(&got);
    pthread_mutex_lock(&of_first);
    return it;
}

static void body(void)
{
    pthread_mutexattr_t attributes;

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&recursive, &attributes);
    pthread_mutex_init(&of_first, NULL);
    pthread_mutex_init(&of_second, NULL);
    pthread_rwlock_init(&rwlock, NULL);
    sem_init(&taken, 0, 0);
    sem_init(&ready, 0, 0);
    sem_init(&got, 0, 0);
    file = tmpfile();
    together(2, take_many, want_one);
}

/* How often each lock is held in the end. */
static void make_up(uint64_t seed, int *held)
{
    struct rdl__random random;

    rdl__random_seed(&random, seed);
    memset(held, 0, LOCKS * sizeof *held);
    for (int i = 0; i < STEPS; i++) {
        int lock = (int)rdl__random_upto(&random, LOCKS - 1);
        bool takes = held[lock] == 0 || rdl__random_upto(&random, 2) == 0;

        held[lock] += takes ? 1 : -1;
        steps[i] = takes ? lock + 1 : -(lock + 1);
    }
}

TEST(who_waits_for_whom_is_told_by_what_they_hold)
{
    int held[LOCKS];

    for (uint64_t seed = 0; seed < PROGRAMS; seed++) {
        make_up(test_seed() * PROGRAMS + seed, held);
        wanted = (int)(seed % LOCKS);
        is_held = held[wanted] > 0;
        EXPECT_CONTAINS(outcomes_by_chance(body, 1, 0), "deadlock");
        EXPECT_CONTAINS(exploration->failure, "deadlock: thread 1 -> thread 2 -> thread 1");
    }
}
