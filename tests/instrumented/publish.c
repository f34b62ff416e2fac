/* publish.c -- ways to tell another thread that a message is there: see test_publish.c. */
#include "publish_bodies.h"

#include <linux/futex.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <threads.h>
#include <unistd.h>

/* ---- Locks ---------------------------------------------------------------------------------- */

static pthread_mutex_t mutexes[2];

static void begin_mutexes(void)
{
    for (int i = 0; i < 2; i++)
        pthread_mutex_init(&mutexes[i], NULL);
}

static void publish_under_mutex(int of)
{
    pthread_mutex_lock(&mutexes[of]);
    ready[of] = true;
    pthread_mutex_unlock(&mutexes[of]);
}

static bool unlock_mutex(int of)
{
    bool heard = ready[of];

    pthread_mutex_unlock(&mutexes[of]);
    return heard;
}

static bool hear_under_mutex(int of)
{
    pthread_mutex_lock(&mutexes[of]);
    return unlock_mutex(of);
}

static bool hear_if_free(int of)
{
    return pthread_mutex_trylock(&mutexes[of]) == 0 && unlock_mutex(of);
}

static bool hear_in_time(int of)
{
    return pthread_mutex_timedlock(&mutexes[of], soon()) == 0 && unlock_mutex(of);
}

static pthread_spinlock_t spins[2];

static void begin_spins(void)
{
    for (int i = 0; i < 2; i++)
        pthread_spin_init(&spins[i], PTHREAD_PROCESS_PRIVATE);
}

static void publish_under_spin(int of)
{
    pthread_spin_lock(&spins[of]);
    ready[of] = true;
    pthread_spin_unlock(&spins[of]);
}

static bool hear_if_spin_is_free(int of)
{
    bool heard;

    if (pthread_spin_trylock(&spins[of]) != 0)
        return false;
    heard = ready[of];
    pthread_spin_unlock(&spins[of]);
    return heard;
}

static mtx_t mtxs[2];

static void begin_mtxs(void)
{
    for (int i = 0; i < 2; i++)
        mtx_init(&mtxs[i], mtx_plain);
}

static void publish_under_mtx(int of)
{
    mtx_lock(&mtxs[of]);
    ready[of] = true;
    mtx_unlock(&mtxs[of]);
}

static bool hear_under_mtx(int of)
{
    bool heard;

    mtx_lock(&mtxs[of]);
    heard = ready[of];
    mtx_unlock(&mtxs[of]);
    return heard;
}

static pthread_rwlock_t rwlocks[2];

static void begin_rwlocks(void)
{
    for (int i = 0; i < 2; i++)
        pthread_rwlock_init(&rwlocks[i], NULL);
}

static void publish_as_writer(int of)
{
    pthread_rwlock_wrlock(&rwlocks[of]);
    ready[of] = true;
    pthread_rwlock_unlock(&rwlocks[of]);
}

static bool hear_as_reader(int of)
{
    bool heard;

    pthread_rwlock_rdlock(&rwlocks[of]);
    heard = ready[of];
    pthread_rwlock_unlock(&rwlocks[of]);
    return heard;
}

static bool hear_as_reader_if_free(int of)
{
    bool heard;

    if (pthread_rwlock_tryrdlock(&rwlocks[of]) != 0)
        return false;
    heard = ready[of];
    pthread_rwlock_unlock(&rwlocks[of]);
    return heard;
}

static void publish_as_reader(int of)
{
    pthread_rwlock_rdlock(&rwlocks[of]);
    atomic_store_explicit(&seen[of], true, memory_order_relaxed);
    pthread_rwlock_unlock(&rwlocks[of]);
}

static bool hear_as_writer(int of)
{
    bool heard;

    pthread_rwlock_wrlock(&rwlocks[of]);
    heard = atomic_load_explicit(&seen[of], memory_order_relaxed);
    pthread_rwlock_unlock(&rwlocks[of]);
    return heard;
}

/* Two readers do not wait for each other, so that neither learns of the other. */
static bool hear_as_one_of_the_readers(int of)
{
    bool heard;

    pthread_rwlock_rdlock(&rwlocks[of]);
    heard = atomic_load_explicit(&seen[of], memory_order_relaxed);
    pthread_rwlock_unlock(&rwlocks[of]);
    return heard;
}

/* ---- Waiting -------------------------------------------------------------------------------- */

static sem_t sems[2];

static void begin_sems(void)
{
    for (int i = 0; i < 2; i++)
        sem_init(&sems[i], 0, 0);
}

static void post(int of)
{
    sem_post(&sems[of]);
}

static bool await_sem(int of)
{
    return sem_wait(&sems[of]) == 0;
}

static bool try_sem(int of)
{
    return sem_trywait(&sems[of]) == 0;
}

static bool await_sem_in_time(int of)
{
    return sem_timedwait(&sems[of], soon()) == 0;
}

static pthread_cond_t conds[2];

static void begin_conds(void)
{
    begin_mutexes();
    for (int i = 0; i < 2; i++)
        pthread_cond_init(&conds[i], NULL);
}

static void signal_cond(int of)
{
    publish_under_mutex(of);
    pthread_cond_signal(&conds[of]);
}

static bool await_cond(int of)
{
    pthread_mutex_lock(&mutexes[of]);
    while (!ready[of])
        pthread_cond_wait(&conds[of], &mutexes[of]);
    return unlock_mutex(of);
}

static bool await_cond_in_time(int of)
{
    pthread_mutex_lock(&mutexes[of]);
    while (!ready[of] && pthread_cond_timedwait(&conds[of], &mutexes[of], soon()) == 0)
        continue;
    return unlock_mutex(of);
}

static pthread_barrier_t barriers[2];

static void begin_barriers(void)
{
    pthread_barrier_init(&barriers[0], NULL, 2);
    pthread_barrier_init(&barriers[1], NULL, 1);
}

static void meet(int of)
{
    pthread_barrier_wait(&barriers[of]);
}

static bool be_met(int of)
{
    pthread_barrier_wait(&barriers[of]);
    return true;
}

static void wake_word(int of)
{
    __atomic_store_n(&words[of], 1, __ATOMIC_RELAXED);
    syscall(SYS_futex, &words[of], FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* It hears only if it was woken. */
static bool await_word(int of)
{
    return syscall(SYS_futex, &words[of], FUTEX_WAIT, 0, NULL, NULL, 0) == 0;
}

static void release_word(int of)
{
    __atomic_store_n(&words[of], 1, __ATOMIC_RELEASE);
}

static bool acquire_word(int of)
{
    return __atomic_load_n(&words[of], __ATOMIC_ACQUIRE) == 1;
}

static bool see_word(int of)
{
    return __atomic_load_n(&words[of], __ATOMIC_RELAXED) == 1;
}

static bool exchange_word(int of)
{
    return __atomic_exchange_n(&words[of], 2, __ATOMIC_ACQ_REL) == 1;
}

/* ---- Once ----------------------------------------------------------------------------------- */

static pthread_once_t onces[2];
static _Thread_local bool did_it;

static void do_it(void)
{
    did_it = true;
}

static void begin_onces(void)
{
    onces[0] = onces[1] = PTHREAD_ONCE_INIT;
}

static void publish_once(int of)
{
    pthread_once(&onces[of], do_it);
}

static bool hear_of_another_first(int of)
{
    did_it = false;
    pthread_once(&onces[of], do_it);
    return !did_it;
}

/* ---- All of them ---------------------------------------------------------------------------- */

const struct channel channels[] = {
    BY("mutex", publish_under_mutex, hear_under_mutex, .begin = begin_mutexes),
    BY("mutex, tried", publish_under_mutex, hear_if_free, .begin = begin_mutexes),
    BY("mutex, for some time", publish_under_mutex, hear_in_time, .begin = begin_mutexes),
    BY("spin lock", publish_under_spin, hear_if_spin_is_free, .begin = begin_spins),
    BY("mtx", publish_under_mtx, hear_under_mtx, .begin = begin_mtxs),
    BY("writer to reader", publish_as_writer, hear_as_reader, .begin = begin_rwlocks),
    BY("writer to reader, tried", publish_as_writer, hear_as_reader_if_free,
       .begin = begin_rwlocks),
    BY("reader to writer", publish_as_reader, hear_as_writer, .begin = begin_rwlocks),
    BY("semaphore", post, await_sem, .begin = begin_sems),
    BY("semaphore, tried", post, try_sem, .begin = begin_sems),
    BY("semaphore, for some time", post, await_sem_in_time, .begin = begin_sems),
    BY("condition", signal_cond, await_cond, .begin = begin_conds),
    BY("condition, for some time", signal_cond, await_cond_in_time, .begin = begin_conds),
    BY("barrier", meet, be_met, .begin = begin_barriers),
    BY("futex", wake_word, await_word, .is_one = true),
    BY("atomic", release_word, acquire_word),
    BY("atomic, exchanged", release_word, exchange_word),
    BY("once", publish_once, hear_of_another_first, .begin = begin_onces),
};

const int channel_count = sizeof channels / sizeof *channels;

const struct channel no_channels[] = {
    BY("two readers", publish_as_reader, hear_as_one_of_the_readers, .begin = begin_rwlocks),
    BY("relaxed", release_word, see_word),
    BY("relaxed", wake_word, acquire_word),
};

const int no_channel_count = sizeof no_channels / sizeof *no_channels;
