/* streams.c -- events through the ports of a test: how many a second, how soon it is over. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <x86intrin.h>

#include "../usage.h"

#include "pings.h"

enum { SAMPLES = 1 << 16, BATCH = 100, FEW = 100, MANY = 2500, VERY_MANY = 50000 };

/* ---- What is measured ------------------------------------------------------------------ */

/* In memory that the workers share.  Time is counted by the processor: controlled threads see
 * no other that is real. */
static struct {
    unsigned long events;
    uint64_t last_event; /* when it came, in ticks; 0: that was not asked for */
    unsigned count;
    double ticks[SAMPLES]; /* from then until rdl_stream returned */
} * seen;
static uint64_t began_ticks;
static double began;

__attribute__((constructor)) static void share(void)
{
    seen = mmap(NULL, sizeof *seen, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    began_ticks = __rdtsc();
    began = bench_now();
}

static void stream_is_over(void)
{
    if (seen->count < SAMPLES)
        seen->ticks[seen->count++] = (double)(__rdtsc() - seen->last_event);
}

static int compare(const void *a, const void *b)
{
    const double *one = a, *two = b;

    return (*one > *two) - (*one < *two);
}

/* Workers leave by _exit, so that only the parent gets here. */
__attribute__((destructor)) static void report(void)
{
    uint64_t now = __rdtsc();
    double us = (bench_now() - began) * 1e6 / (double)(now - began_ticks);

    fprintf(stderr, "events=%lu\n", seen->events);
    if (!seen->last_event)
        return;
    qsort(seen->ticks, seen->count, sizeof *seen->ticks, compare);
    fprintf(stderr, "samples=%u median_us=%.3f p99_us=%.3f most_us=%.3f reported_us=%.3f\n",
            seen->count, us * seen->ticks[seen->count / 2],
            us * seen->ticks[seen->count * 99 / 100], us * seen->ticks[seen->count - 1],
            us * (double)(now - seen->last_event));
}

/* ---- How many a second ------------------------------------------------------------------ */

static void ignore(void *it, const struct rdl_event *event)
{
    (void)it, (void)event;
}

static void emit_batch(void)
{
    for (int i = 0; i < BATCH; i++) {
        rdl_emit(&net, ping, .id = i);
        rdl_send(&net, noise, .id = 1);
        rdl_send(&net, pong, .id = 1 + i % 2);
        rdl_emit(&net, noise, .id = 2);
    }
}

static void emit_batches(void *count)
{
    for (int i = 0; i < *(int *)count; i++)
        emit_batch();
}

/* A batch at a time, when the one before has been taken. */
static void take_own(struct rdl_case *t, int batches)
{
    rdl_connect(t, &net, .in = ignore);
    rdl_stream(t, rdl_sequence(RULES, rdl_repeat((uint32_t)batches, rdl_do(emit_batch),
                                                 rdl_repeat(BATCH, PING_PONG))));
    seen->events += (unsigned long)batches * BATCH * ROUND;
}

static void take_from_thread(struct rdl_case *t, int batches)
{
    struct rdl_thread *thread;

    rdl_connect(t, &net, .in = ignore);
    thread = rdl_spawn(t, "component", emit_batches, &batches);
    rdl_stream(t, rdl_sequence(RULES, rdl_repeat((uint32_t)batches * BATCH, PING_PONG)));
    rdl_join(thread);
    seen->events += (unsigned long)batches * BATCH * ROUND;
}

RDL_PROPERTY(own)
{
    take_own(t, MANY);
}

RDL_PROPERTY(own_long)
{
    take_own(t, VERY_MANY);
}

RDL_PROPERTY(thread)
{
    take_from_thread(t, MANY);
}

RDL_EXPLORE(controlled)
{
    take_from_thread(t, FEW);
}

/* ---- How soon it is over ---------------------------------------------------------------- */

struct pinger {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int pongs;
};

enum { PINGS = 4, STOP = 1000 };

static void give_pongs(struct pinger *pinger, int count)
{
    pthread_mutex_lock(&pinger->lock);
    pinger->pongs += count;
    pthread_cond_signal(&pinger->changed);
    pthread_mutex_unlock(&pinger->lock);
}

static void give_pong(void *it, const struct rdl_event *event)
{
    (void)event;
    give_pongs(it, 1);
}

static void send_ping(int i)
{
    if (i == PINGS)
        seen->last_event = __rdtsc();
    rdl_emit(&net, ping, .id = i);
}

/* After the last ping it waits for a pong that does not come. */
static void run_pinger(void *it)
{
    struct pinger *pinger = it;

    for (int i = 1; i <= PINGS; i++) {
        send_ping(i);
        pthread_mutex_lock(&pinger->lock);
        while (pinger->pongs < i)
            pthread_cond_wait(&pinger->changed, &pinger->lock);
        pthread_mutex_unlock(&pinger->lock);
    }
}

static void play_with_thread(struct rdl_case *t)
{
    struct pinger pinger = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};
    struct rdl_thread *thread;

    rdl_connect(t, &net, .in = give_pong, .it = &pinger);
    thread = rdl_spawn(t, "pinger", run_pinger, &pinger);
    rdl_stream(t, rdl_sequence(rdl_repeat(PINGS - 1, rdl_expect(rdl_out(&net, rdl_any(ping))),
                                          rdl_trigger(&net, pong, .id = 1)),
                               rdl_expect(rdl_out(&net, rdl_any(ping)))));
    stream_is_over();
    give_pongs(&pinger, STOP);
    rdl_join(thread);
}

static void send_first(void)
{
    for (int i = 1; i < PINGS; i++)
        send_ping(i);
}

static void send_last(void)
{
    send_ping(PINGS);
}

static void play_alone(struct rdl_case *t)
{
    rdl_connect(t, &net);
    rdl_stream(t, rdl_sequence(rdl_do(send_first),
                               rdl_repeat(PINGS - 1, rdl_expect(rdl_out(&net, rdl_any(ping)))),
                               rdl_do(send_last), rdl_expect(rdl_out(&net, rdl_any(ping)))));
    stream_is_over();
}

RDL_EXPLORE(over_controlled)
{
    play_with_thread(t);
}

RDL_EXPLORE(over_controlled_alone)
{
    play_alone(t);
}

RDL_PROPERTY(over_free)
{
    play_with_thread(t);
}

RDL_PROPERTY(over_free_alone)
{
    play_alone(t);
}
