/* test_like_libc.c -- under control, primitives and signals return what the C library's own do. */
#include "like_libc.h"

#include <errno.h>
#include <semaphore.h>
#include <signal.h>

static const clockid_t clocks[] = {CLOCK_REALTIME, CLOCK_MONOTONIC, 99}; /* there is no 99 */

/* ---- Mutexes ------------------------------------------------------------------------------ */

static void *try_mutex(void *mutex)
{
    int code = pthread_mutex_trylock(mutex);

    if (code == 0 || code == EOWNERDEAD)
        pthread_mutex_unlock(mutex); /* not recoverable, if its owner had died */
    return (void *)(intptr_t)code;
}

static void *unlock_mutex(void *mutex)
{
    return (void *)(intptr_t)pthread_mutex_unlock(mutex);
}

static void *die_with_mutex(void *mutex)
{
    return (void *)(intptr_t)pthread_mutex_trylock(mutex);
}

/* kind: of the mutex, and whether it is robust. */
static void mutexes(void)
{
    static const int types[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE,
                                PTHREAD_MUTEX_ERRORCHECK};
    bool robust = kind >= 3, is_normal = kind % 3 == 0;
    pthread_mutexattr_t attributes;
    pthread_mutex_t mutex;
    int held = 0, code = 0;

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, types[kind % 3]);
    pthread_mutexattr_setrobust(&attributes, robust ? PTHREAD_MUTEX_ROBUST : PTHREAD_MUTEX_STALLED);
    pthread_mutex_init(&mutex, &attributes);
    /* The C library leaves a mutex locked when somebody tries to lock it in vain for ever. */
    for (int i = 0; i < CALLS_MOST && code != ENOTRECOVERABLE; i++) {
        switch (program[i][0]) {
        case 0:
            code = pthread_mutex_trylock(&mutex);
            held += code == 0 || code == EOWNERDEAD;
            tell("try %d ", code);
            break;
        case 1:
            if (is_normal && held)
                break;
            code = pthread_mutex_lock(&mutex);
            held += code == 0 || code == EOWNERDEAD;
            tell("lock %d ", code);
            break;
        case 2:
            code = pthread_mutex_timedlock(&mutex, past());
            held += code == 0 || code == EOWNERDEAD;
            tell("timed %d ", code);
            break;
        case 9:
            code = pthread_mutex_clocklock(&mutex, clocks[i % 3], past());
            held += code == 0 || code == EOWNERDEAD;
            tell("clock %d ", code);
            break;
        case 3:
        case 4:
            if (is_normal && !robust && !held)
                break;
            code = pthread_mutex_unlock(&mutex);
            held -= code == 0;
            tell("unlock %d ", code);
            break;
        case 5:
            tell("other's try %d ", code = by_another(try_mutex, &mutex));
            break;
        case 6:
            if (is_normal && !robust)
                break;
            tell("other's unlock %d ", by_another(unlock_mutex, &mutex));
            break;
        case 7:
            if (!robust)
                break;
            tell("other's end %d ", code = by_another(die_with_mutex, &mutex));
            break;
        case 8:
            if (held == 0) /* the C library does not look whose it is */
                break;
            tell("consistent %d ", pthread_mutex_consistent(&mutex));
            break;
        }
    }
    for (; held > 0; held--)
        tell("unlock %d ", pthread_mutex_unlock(&mutex));
}

TEST(mutexes_return_what_those_of_the_c_library_do)
{
    expect_alike(soak() ? 6000 : 120, 10, 6, mutexes);
}

/* ---- Locks for readers and writers --------------------------------------------------------- */

static void *try_read(void *lock)
{
    int code = pthread_rwlock_tryrdlock(lock);

    if (code == 0)
        pthread_rwlock_unlock(lock);
    return (void *)(intptr_t)code;
}

static void *try_write(void *lock)
{
    int code = pthread_rwlock_trywrlock(lock);

    if (code == 0)
        pthread_rwlock_unlock(lock);
    return (void *)(intptr_t)code;
}

static void rwlocks(void)
{
    pthread_rwlockattr_t attributes;
    pthread_rwlock_t lock;
    int held = 0, code = 0;

    pthread_rwlockattr_init(&attributes);
    pthread_rwlockattr_setkind_np(&attributes, kind ? PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP
                                                    : PTHREAD_RWLOCK_PREFER_READER_NP);
    pthread_rwlock_init(&lock, &attributes);
    for (int i = 0; i < CALLS_MOST; i++) {
        switch (program[i][0]) {
        case 0:
            held += (code = pthread_rwlock_tryrdlock(&lock)) == 0;
            break;
        case 1:
            held += (code = pthread_rwlock_trywrlock(&lock)) == 0;
            break;
        case 2:
            held += (code = pthread_rwlock_timedrdlock(&lock, past())) == 0;
            break;
        case 3:
            held += (code = pthread_rwlock_timedwrlock(&lock, past())) == 0;
            break;
        case 4:
        case 5:
            if (held == 0)
                continue;
            held -= (code = pthread_rwlock_unlock(&lock)) == 0;
            break;
        case 8:
            held += (code = pthread_rwlock_clockrdlock(&lock, clocks[i % 3], past())) == 0;
            break;
        case 9:
            held += (code = pthread_rwlock_clockwrlock(&lock, clocks[i % 3], past())) == 0;
            break;
        case 6:
            code = by_another(try_read, &lock);
            break;
        case 7:
            code = by_another(try_write, &lock);
            break;
        }
        tell("%d: %d ", program[i][0], code);
    }
    while (held-- > 0)
        pthread_rwlock_unlock(&lock);
}

TEST(rwlocks_return_what_those_of_the_c_library_do)
{
    expect_alike(soak() ? 4000 : 80, 10, 2, rwlocks);
}

/* ---- Semaphores ---------------------------------------------------------------------------- */

static void semaphores(void)
{
    sem_t sem;
    int value = -1;

    tell("init %d ", sem_init(&sem, 0, (unsigned)kind));
    for (int i = 0; i < CALLS_MOST; i++) {
        int code = 0;

        errno = 0;
        switch (program[i][0]) {
        case 0:
            code = sem_trywait(&sem);
            break;
        case 1:
            code = sem_post(&sem);
            break;
        case 2:
            code = sem_timedwait(&sem, past());
            break;
        case 3:
            code = sem_clockwait(&sem, CLOCK_MONOTONIC, &(struct timespec){.tv_nsec = -1});
            break;
        case 5:
            code = sem_clockwait(&sem, clocks[i % 3], past());
            break;
        case 4:
            code = sem_getvalue(&sem, &value);
            break;
        }
        tell("%d: %d %d %d ", program[i][0], code, code ? errno : 0, value);
    }
    tell("destroy %d", sem_destroy(&sem));
}

TEST(semaphores_return_what_those_of_the_c_library_do)
{
    expect_alike(soak() ? 3000 : 45, 6, 3, semaphores);
}

/* ---- Conditions ----------------------------------------------------------------------------- */

static void conditions(void)
{
    pthread_condattr_t attributes;
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t cond;
    clockid_t clock = 77;

    pthread_condattr_init(&attributes);
    tell("clock %d ", pthread_condattr_setclock(&attributes, clocks[kind]));
    pthread_condattr_getclock(&attributes, &clock);
    tell("is %d ", (int)clock);
    pthread_cond_init(&cond, &attributes);
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < CALLS_MOST; i++) {
        int code = 0;

        switch (program[i][0]) {
        case 0:
            code = pthread_cond_timedwait(&cond, &mutex, past());
            break;
        case 1:
            code = pthread_cond_clockwait(&cond, &mutex, clocks[i % 3], past());
            break;
        case 2:
            code = pthread_cond_signal(&cond);
            break;
        case 3:
            code = pthread_cond_broadcast(&cond);
            break;
        case 4:
            code = pthread_cond_timedwait(&cond, &mutex, &(struct timespec){.tv_nsec = -1});
            break;
        }
        tell("%d: %d ", program[i][0], code);
        tell("other's try %d ", by_another(try_mutex, &mutex));
    }
    pthread_mutex_unlock(&mutex);
    tell("destroy %d", pthread_cond_destroy(&cond));
}

TEST(conditions_return_what_those_of_the_c_library_do)
{
    expect_alike(soak() ? 1000 : 30, 5, 3, conditions);
}

/* ---- Signals ------------------------------------------------------------------------------- */

static volatile int handled, last_signal;

static void count_signal(int signal)
{
    handled++;
    last_signal = signal;
}

static void count_information(int signal, siginfo_t *information, void *context)
{
    (void)context;
    handled += 100;
    last_signal = information->si_signo == signal ? signal : -1;
}

/* How a handler stands in a sigaction. */
static const char *name_of(const struct sigaction *action)
{
    return action->sa_flags & SA_SIGINFO
               ? (action->sa_sigaction == count_information ? "information" : "?")
           : action->sa_handler == SIG_DFL      ? "default"
           : action->sa_handler == SIG_IGN      ? "ignored"
           : action->sa_handler == count_signal ? "count"
                                                : "??";
}

static void set_handler(int signal, int how)
{
    struct sigaction action = {.sa_handler = count_signal}, old = {0};
    int code;

    sigemptyset(&action.sa_mask);
    if (how == 1)
        action = (struct sigaction){.sa_sigaction = count_information, .sa_flags = SA_SIGINFO};
    if (how == 2)
        action.sa_handler = SIG_IGN;
    if (how == 3)
        action.sa_flags = SA_RESETHAND | SA_NODEFER;
    errno = 0;
    code = sigaction(signal, &action, &old);
    tell("set %d %d %s %d ", code, code ? errno : 0, name_of(&old),
         (int)(old.sa_flags & (int)(SA_SIGINFO | SA_RESETHAND | SA_NODEFER)));
}

static bool is_default(int signal)
{
    struct sigaction old = {0};

    sigaction(signal, NULL, &old);
    tell("is %s ", name_of(&old));
    return !(old.sa_flags & SA_SIGINFO) && old.sa_handler == SIG_DFL;
}

static void signals(void)
{
    static const int numbers[] = {SIGUSR1, SIGUSR2, SIGHUP};
    static const int odd[] = {0, -1, SIGKILL, 65, 1000};

    handled = last_signal = 0;
    for (int i = 0; i < CALLS_MOST; i++) {
        int number = numbers[(kind + program[i][1]) % 3], code = 0;
        sigset_t set, old;

        sigemptyset(&set);
        sigaddset(&set, number);
        switch (program[i][0]) {
        case 0:
        case 1:
        case 2:
        case 3:
            set_handler(number, program[i][0]);
            break;
        case 4:
        case 5:
            if (!is_default(number))
                tell("raise %d ", raise(number));
            break;
        case 6:
            if (!is_default(number))
                tell("kill %d ", pthread_kill(pthread_self(), number));
            break;
        case 7:
            code = pthread_sigmask(program[i][1] ? SIG_BLOCK : SIG_UNBLOCK, &set, &old);
            tell("mask %d %d ", code, sigismember(&old, number));
            break;
        case 8:
            sigpending(&set);
            tell("pending %d ", sigismember(&set, number));
            break;
        case 9:
            set_handler(odd[i % 5], 0);
            break;
        case 10:
            tell("probe %d ", pthread_kill(pthread_self(), 0));
            break;
        }
        tell("h%d l%d; ", handled, last_signal);
    }
}

TEST(signals_do_what_they_do_without_control)
{
    expect_alike(soak() ? 4000 : 60, 11, 3, signals);
}
