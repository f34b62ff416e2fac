/* publish_bodies.h -- two threads and a channel between them; and what a channel may need. */
#ifndef TESTS_INSTRUMENTED_PUBLISH_BODIES_H
#define TESTS_INSTRUMENTED_PUBLISH_BODIES_H

#include "publish.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

const struct channel *channel;

/* Of the two objects: flags that a lock protects, flags that order nothing, and futexes. */
static bool ready[2];
static atomic_bool seen[2];
static int words[2];

/* Two functions, and what else there is to it. */
#define BY(what, first, second, ...)                                                               \
    {                                                                                              \
        .name = what, .publish = first, .hear = second, ##__VA_ARGS__                              \
    }

static const struct timespec *soon(void)
{
    static _Thread_local struct timespec at;

    clock_gettime(CLOCK_REALTIME, &at);
    at.tv_sec++;
    return &at;
}

static int message;

static void *write_and_publish(void *it)
{
    message = 1;
    channel->publish(0);
    return it;
}

static void *publish_and_write(void *it)
{
    channel->publish(0);
    message = 1;
    return it;
}

static void *hear_and_read(void *of)
{
    if (channel->hear(of ? 1 : 0))
        message += 2;
    return NULL;
}

static void run(void *(*writer)(void *it), void *of)
{
    pthread_t threads[2];

    message = 0;
    memset(words, 0, sizeof words);
    memset(ready, 0, sizeof ready);
    atomic_init(&seen[0], false);
    atomic_init(&seen[1], false);
    if (channel->begin)
        channel->begin();
    if (of)
        channel->publish(1);
    pthread_create(&threads[0], NULL, writer, NULL);
    pthread_create(&threads[1], NULL, hear_and_read, of);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    if (channel->end)
        channel->end();
}

enum { MANY = 10 }; /* so that clocks are long */

static pthread_barrier_t leaving;

static void *stay(void *it)
{
    pthread_barrier_wait(&leaving);
    return it;
}

static void among_many(void (*body)(void))
{
    pthread_t threads[MANY];

    pthread_barrier_init(&leaving, NULL, MANY + 1);
    for (int i = 0; i < MANY; i++)
        pthread_create(&threads[i], NULL, stay, NULL);
    body();
    pthread_barrier_wait(&leaving);
    for (int i = 0; i < MANY; i++)
        pthread_join(threads[i], NULL);
}

void written_before(void)
{
    run(write_and_publish, NULL);
}

void written_after(void)
{
    run(publish_and_write, NULL);
}

void heard_of_another(void)
{
    run(write_and_publish, &message);
}

void written_before_among_many(void)
{
    among_many(written_before);
}

void written_after_among_many(void)
{
    among_many(written_after);
}

#endif
