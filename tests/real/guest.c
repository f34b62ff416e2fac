/* guest.c -- a library that is loaded and unloaded in the middle of a test, with a thread,
 * locks and thread-local variables of its own.
 *
 * guest_start starts the thread, guest_ask has it double a number, guest_stop ends it. */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static pthread_t servant;
static int question, answer;
static bool asked, answered, stopping;
static int ends;

static __thread int calls = 100; /* of this thread */
static __thread char room[3000]; /* more than fits where the program's own lie */

int guest_start(void);
int guest_ask(int number);
int guest_stop(void);

static void count_end(void *unused)
{
    (void)unused;
    ends++;
}

static void make_key(void)
{
    pthread_key_create(&key, count_end);
}

/* How often this thread has come here; -1: something is left of another one. */
static int count_call(void)
{
    int before = 0;

    for (size_t i = 0; i < sizeof room; i++)
        before += room[i];
    if (before != calls - 100)
        return -1;
    room[calls] = 1;
    return ++calls - 100;
}

static void *serve(void *unused)
{
    pthread_setspecific(key, &calls);
    pthread_mutex_lock(&lock);
    while (!stopping) {
        if (asked) {
            answer = count_call() < 0 ? -1 : 2 * question;
            asked = false;
            answered = true;
            pthread_cond_broadcast(&changed);
        } else {
            pthread_cond_wait(&changed, &lock);
        }
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

int guest_start(void)
{
    pthread_once(&once, make_key);
    count_call();
    return pthread_create(&servant, NULL, serve, NULL);
}

/* For one thread at a time. */
int guest_ask(int number)
{
    int result;

    if (count_call() < 0)
        return -1;
    pthread_mutex_lock(&lock);
    while (asked || answered)
        pthread_cond_wait(&changed, &lock);
    question = number;
    asked = true;
    pthread_cond_broadcast(&changed);
    while (!answered)
        pthread_cond_wait(&changed, &lock);
    answered = false;
    result = answer;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return result;
}

/* How many threads have ended. */
int guest_stop(void)
{
    pthread_mutex_lock(&lock);
    stopping = true;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    pthread_join(servant, NULL);
    pthread_key_delete(key);
    return ends;
}
