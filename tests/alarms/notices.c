/* notices.c -- timers and queues that start a thread, or send a signal to one: notices WAY [wrong].
 *
 * Wrong: what the thread does races, or waits for its creator, or tells of a message too late. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

static bool wrong;
static sem_t told;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other_lock = PTHREAD_MUTEX_INITIALIZER;
static int total;
static mqd_t letters;

static void await(sem_t *semaphore)
{
    while (sem_wait(semaphore) != 0)
        assert(errno == EINTR);
}

static timer_t timer(void (*function)(union sigval value), int value, long ms, long interval_ms)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD,
                             .sigev_notify_function = function,
                             .sigev_value.sival_int = value};
    struct itimerspec setting = {.it_value.tv_nsec = ms * 1000000,
                                 .it_interval.tv_nsec = interval_ms * 1000000};
    timer_t id;

    assert(timer_create(CLOCK_MONOTONIC, &event, &id) == 0);
    assert(timer_settime(id, 0, &setting, NULL) == 0);
    return id;
}

/* ---- Timers that start threads --------------------------------------------------------------- */

static void add(union sigval value)
{
    if (!wrong)
        pthread_mutex_lock(&lock);
    total += value.sival_int;
    if (!wrong)
        pthread_mutex_unlock(&lock);
    sem_post(&told);
}

static void *add_too(void *unused)
{
    pthread_mutex_lock(&lock);
    total += 100;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void once(void)
{
    pthread_t thread;
    timer_t id = timer(add, 1, 5, 0);

    pthread_create(&thread, NULL, add_too, NULL);
    await(&told);
    pthread_join(thread, NULL);
    assert(timer_delete(id) == 0);
    pthread_mutex_lock(&lock);
    assert(total == 101);
    pthread_mutex_unlock(&lock);
}

/* What its creator did before comes before the thread; and the thread before who was told. */
static void in_order(void)
{
    timer_t id;

    total = 1;
    id = timer(add, 1, 5, 0);
    if (wrong)
        total++;
    await(&told);
    total++;
    timer_delete(id);
}

static void often(void)
{
    struct itimerspec left;
    timer_t id = timer(add, 1, 5, 1);

    for (int i = 0; i < 3; i++)
        await(&told);
    assert(timer_gettime(id, &left) == 0 && left.it_interval.tv_nsec == 1000000);
    assert(timer_getoverrun(id) >= 0);
    assert(timer_delete(id) == 0);
    assert(timer_delete(id) == -1 && errno == EINVAL);
}

/* Who locks the second one first waits for who has locked the first. */
static void lock_both(union sigval value)
{
    pthread_mutex_lock(wrong ? &other_lock : &lock);
    pthread_mutex_lock(wrong ? &lock : &other_lock);
    total += value.sival_int;
    pthread_mutex_unlock(&lock);
    pthread_mutex_unlock(&other_lock);
    sem_post(&told);
}

static void two_locks(void)
{
    timer_t id = timer(lock_both, 1, 5, 0);

    pthread_mutex_lock(&lock);
    usleep(1000);
    pthread_mutex_lock(&other_lock);
    total++;
    pthread_mutex_unlock(&other_lock);
    pthread_mutex_unlock(&lock);
    await(&told);
    timer_delete(id);
}

/* It may have come before it was stopped. */
static void stopped(void)
{
    struct timespec end;
    timer_t id = timer(add, 1, 500, 0);

    assert(timer_settime(id, 0, &(struct itimerspec){0}, NULL) == 0);
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += 1;
    if ((wrong ? sem_wait(&told) : sem_timedwait(&told, &end)) != 0)
        assert(errno == ETIMEDOUT);
}

/* ---- Timers that send a signal to one thread ------------------------------------------------- */

static bool by_number;

static void *await_own(void *argument)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID,
                             .sigev_signo = SIGRTMIN,
                             .sigev_value.sival_ptr = argument};
    struct itimerspec setting = {.it_value.tv_nsec = 1000000};
    siginfo_t info;
    sigset_t set;
    timer_t id;
    int number;

    event.sigev_notify_thread_id = wrong ? getpid() : gettid();
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    if (by_number) {
        assert(syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &number) == 0);
        assert(syscall(SYS_timer_settime, number, 0, &setting, NULL) == 0);
    } else {
        assert(timer_create(CLOCK_MONOTONIC, &event, &id) == 0);
        assert(timer_settime(id, 0, &setting, NULL) == 0);
    }
    assert(sigwaitinfo(&set, &info) == SIGRTMIN);
    assert(info.si_code == SI_TIMER && info.si_value.sival_ptr == argument);
    assert((by_number ? (int)syscall(SYS_timer_delete, number) : timer_delete(id)) == 0);
    return NULL;
}

static void own(void)
{
    struct sigevent nobody = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN};
    static int marks[2];
    pthread_t threads[2];
    sigset_t set;
    timer_t id;

    assert(gettid() == getpid() && syscall(SYS_gettid) == getpid());
    nobody.sigev_notify_thread_id = 1;
    assert(timer_create(CLOCK_MONOTONIC, &nobody, &id) == -1 && errno == EINVAL);
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, await_own, &marks[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}

/* ---- Queues ---------------------------------------------------------------------------------- */

static void *send_two(void *unused)
{
    assert(mq_send(letters, "a", 1, 0) == 0);
    assert(mq_send(letters, "b", 1, 0) == 0);
    return unused;
}

static void ask_for_news(void (*function)(union sigval value))
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = function};

    assert(mq_notify(letters, &event) == 0);
}

/* The queue may have been filled again before it is asked for news once more. */
static void empty_queue(union sigval unused)
{
    char letter;

    (void)unused;
    if (!wrong)
        ask_for_news(empty_queue);
    while (mq_receive(letters, &letter, 1, NULL) == 1)
        sem_post(&told);
    assert(errno == EAGAIN);
    if (wrong)
        ask_for_news(empty_queue);
}

static void open_queue(int flags)
{
    struct mq_attr size = {.mq_maxmsg = 4, .mq_msgsize = 1};
    char name[32];

    snprintf(name, sizeof name, "/notices_%d", (int)getpid());
    letters = mq_open(name, O_RDWR | O_CREAT | flags, 0600, &size);
    assert(letters != (mqd_t)-1);
    mq_unlink(name);
}

static void news(void)
{
    pthread_t thread;

    open_queue(O_NONBLOCK);
    ask_for_news(empty_queue);
    assert(mq_notify(letters, &(struct sigevent){.sigev_notify = SIGEV_NONE}) == -1);
    assert(errno == EBUSY);
    pthread_create(&thread, NULL, send_two, NULL);
    await(&told);
    await(&told);
    pthread_join(thread, NULL);
}

/* A message that a thread waits for is no news; the next one is. */
static void *receive(void *unused)
{
    char letter;

    assert(mq_receive(letters, &letter, 1, NULL) == 1);
    return unused;
}

static void tell(union sigval unused)
{
    (void)unused;
    sem_post(&told);
}

static void no_news(void)
{
    pthread_t thread;

    open_queue(0);
    ask_for_news(tell);
    pthread_create(&thread, NULL, receive, NULL);
    sleep(100);
    send_two(NULL);
    await(&told);
    if (wrong)
        await(&told);
    pthread_join(thread, NULL);
}

int main(int count, char **arguments)
{
    const char *way = arguments[1];
    static const struct {
        const char *name;
        void (*run)(void);
    } ways[] = {{"once", once},       {"in-order", in_order}, {"often", often},
                {"locks", two_locks}, {"stopped", stopped},   {"own", own},
                {"number", own},      {"news", news},         {"no-news", no_news}};

    wrong = count > 2;
    by_number = strcmp(way, "number") == 0;
    sem_init(&told, 0, 0);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (strcmp(ways[i].name, way) == 0)
            ways[i].run();
    return 0;
}
