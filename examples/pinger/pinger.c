/* pinger.c -- the failure detector: one thread that pings, whoever receives calls in. */
#include "pinger.h"

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

struct pinger {
    const struct pinger_hooks *hooks;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int interval_ms;
    int id;       /* of the last ping */
    int answered; /* the last one that was */
    int misses;
    bool suspected, stopped;
};

static struct timespec after(int ms)
{
    struct timespec time;

    clock_gettime(CLOCK_REALTIME, &time);
    time.tv_sec += ms / 1000;
    time.tv_nsec += ms % 1000 * 1000000L;
    if (time.tv_nsec >= 1000000000L) {
        time.tv_sec++;
        time.tv_nsec -= 1000000000L;
    }
    return time;
}

/* The whole interval, answered or not. */
static void wait_for_interval(struct pinger *p)
{
    struct timespec until = after(p->interval_ms);

    while (!p->stopped && pthread_cond_timedwait(&p->changed, &p->lock, &until) == 0)
        continue;
}

static void count_miss(struct pinger *p)
{
    if (++p->misses == PINGER_MISSES && !p->suspected) {
        p->suspected = true;
        p->hooks->suspect();
    }
}

static void *run(void *it)
{
    struct pinger *p = it;

    pthread_mutex_lock(&p->lock);
    while (!p->stopped) {
        p->hooks->ping(++p->id);
        wait_for_interval(p);
        if (!p->stopped && p->answered < p->id)
            count_miss(p);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

struct pinger *pinger_new(const struct pinger_hooks *hooks, int interval_ms)
{
    struct pinger *p = calloc(1, sizeof *p);

    p->hooks = hooks;
    p->interval_ms = interval_ms;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->changed, NULL);
    return p;
}

void pinger_start(struct pinger *p)
{
    pthread_create(&p->thread, NULL, run, p);
}

void pinger_on_pong(struct pinger *p, int id)
{
    assert(id > 0);
    pthread_mutex_lock(&p->lock);
    if (id > p->answered)
        p->answered = id;
    p->misses = 0;
    if (p->suspected) {
        p->suspected = false;
        p->interval_ms *= 2;
        p->hooks->restore();
    }
    pthread_mutex_unlock(&p->lock);
}

void pinger_stop(struct pinger *p)
{
    pthread_mutex_lock(&p->lock);
    p->stopped = true;
    pthread_cond_signal(&p->changed);
    pthread_mutex_unlock(&p->lock);
    pthread_join(p->thread, NULL);
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

int pinger_interval_ms(const struct pinger *p)
{
    return p->interval_ms;
}
