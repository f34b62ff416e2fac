/* long.c -- two threads that compute for long, each with an array of its own.
 *
 * long          that is all
 * long wrong    the last step of each is to a number that they share
 * long endless  and then each waits until the other has nothing left to do, which it never has
 * long passing  they pass numbers to each other, and so take turns, as often as this */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

enum { NUMBERS = 1000, ROUNDS = 400, PASSED = 30000 };

static const char *way = "";
static int total, passed;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct worker {
    int numbers[NUMBERS];
    bool is_odd;
    pthread_mutex_t has_work;
} workers[2] = {{.has_work = PTHREAD_MUTEX_INITIALIZER},
                {.is_odd = true, .has_work = PTHREAD_MUTEX_INITIALIZER}};

static void pass(const struct worker *self)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < PASSED; i++) {
        while (passed % 2 != self->is_odd)
            pthread_cond_wait(&changed, &lock);
        passed++;
        pthread_cond_signal(&changed);
    }
    pthread_mutex_unlock(&lock);
}

static void never_end(struct worker *self)
{
    struct worker *other = &workers[!self->is_odd];

    pthread_mutex_lock(&self->has_work);
    while (pthread_mutex_trylock(&other->has_work) != 0) {
        pthread_mutex_unlock(&self->has_work);
        pthread_mutex_lock(&self->has_work);
        sched_yield();
    }
    pthread_mutex_unlock(&other->has_work);
    pthread_mutex_unlock(&self->has_work);
}

static void *work(void *argument)
{
    struct worker *self = argument;

    for (int round = 0; round < ROUNDS && strcmp(way, "passing") != 0; round++)
        for (int i = 0; i < NUMBERS; i++)
            self->numbers[i] += i ^ round;
    if (strcmp(way, "passing") == 0)
        pass(self);
    if (strcmp(way, "wrong") == 0)
        total += self->numbers[1];
    while (strcmp(way, "endless") == 0)
        never_end(self);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[2];

    way = argc > 1 ? argv[1] : "";
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, &workers[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(memcmp(workers[0].numbers, workers[1].numbers, sizeof workers[0].numbers) == 0);
    return 0;
}
