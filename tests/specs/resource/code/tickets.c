/* tickets.c -- tickets that are given and taken, in many ways. */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "things.h"

struct tickets {
    enum tickets_kind kind;
    pthread_mutex_t lock;
    pthread_cond_t more;
    int count, given;
    atomic_int free;
    sem_t semaphore;
};

struct tickets *tickets_new(enum tickets_kind kind)
{
    struct tickets *t = calloc(1, sizeof *t);

    t->kind = kind;
    sem_init(&t->semaphore, 0, 0);
    return t;
}

void tickets_free(struct tickets *t)
{
    free(t);
}

void tickets_give(struct tickets *t)
{
    if (t->kind == IS_A_SEMAPHORE)
        sem_post(&t->semaphore);
    if (t->kind == SPINS)
        atomic_fetch_add(&t->free, 1);
    pthread_mutex_lock(&t->lock);
    t->count++;
    t->given++;
    if (t->kind == ENDS_ABRUPTLY && t->given == 3)
        abort();
    if (t->kind != TELLS_NOBODY)
        pthread_cond_signal(&t->more);
    if (t->kind == KEEPS_THE_LOCK && t->given == 2)
        return;
    pthread_mutex_unlock(&t->lock);
}

static void let_others_go(struct tickets *t)
{
    pthread_mutex_unlock(&t->lock);
    if (t->kind == SLEEPS)
        usleep(1000);
    else
        sched_yield();
    pthread_mutex_lock(&t->lock);
}

static void wait_for_a_time(struct tickets *t)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 5000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    pthread_cond_timedwait(&t->more, &t->lock, &until);
}

static void wait_for_one(struct tickets *t)
{
    while (t->count <= 0 && t->kind != NEVER_WAITS) {
        if (t->kind == POLLS || t->kind == SLEEPS)
            let_others_go(t);
        else if (t->kind == WAITS_FOR_A_TIME)
            wait_for_a_time(t);
        else if (t->kind != SPINS_LOCKED)
            pthread_cond_wait(&t->more, &t->lock);
    }
}

/* None is waited for in vain. */
static int take_atomically(struct tickets *t)
{
    int seen = atomic_load(&t->free);

    for (;;)
        if (seen <= 0)
            seen = atomic_load(&t->free);
        else if (atomic_compare_exchange_weak(&t->free, &seen, seen - 1))
            return seen - 1;
}

int tickets_take(struct tickets *t)
{
    int left;

    if (t->kind == SPINS)
        return take_atomically(t);
    if (t->kind == IS_A_SEMAPHORE)
        return sem_wait(&t->semaphore);
    if (t->kind == LOOKS_UNLOCKED && t->count < 0)
        return 0;
    pthread_mutex_lock(&t->lock);
    wait_for_one(t);
    if (t->kind == TWO_STEPS) {
        pthread_mutex_unlock(&t->lock);
        pthread_mutex_lock(&t->lock);
    }
    left = --t->count;
    pthread_mutex_unlock(&t->lock);
    return t->kind == COUNTS_WRONG ? left + 1 : left;
}
