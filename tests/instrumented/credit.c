/* credit.c -- code with many accesses to memory and a few other operations: see test_credit.c. */
#include "credit.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

enum { WORKERS = 3, ROUNDS = 3, TABLE = 64 };

long notes[NOTES];
int note_count;

static int table[TABLE]; /* all read it */
static int sums[WORKERS][8];
static atomic_int tickets, gone;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void compute(int *sum, int count)
{
    for (int i = 0; i < count; i++)
        sum[i % 8] += table[i * 7 % TABLE];
}

static long nanoseconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_nsec;
}

static void note(long what)
{
    pthread_mutex_lock(&mutex);
    if (note_count < NOTES)
        notes[note_count++] = what;
    pthread_mutex_unlock(&mutex);
}

/* Time passes faster for a loop that looks idle: one with few operations between
 * readings of the clock, and no writes. */
static void read_clock_often(int *sum, int reads, bool writes)
{
    long last = 0;

    for (int i = 0; i < 40; i++) {
        last = nanoseconds();
        for (int k = 0; k < reads && table[k % TABLE] >= 0; k++)
            continue;
        if (writes)
            sum[0]++;
    }
    note(last);
}

static void *work(void *argument)
{
    int *sum = argument;
    int me = (int)((sum - sums[0]) / 8);

    for (int round = 0; round < ROUNDS; round++) {
        compute(sum, 20 + 30 * me);
        note(me);
        atomic_fetch_add(&tickets, 1);
        if (me == 1)
            read_clock_often(sum, round * round * 2, round == 1);
        if (me == 2 && round == 1)
            nanosleep(&(struct timespec){.tv_nsec = 30000}, NULL);
        if (me == 0)
            sched_yield();
    }
    note(nanoseconds());
    atomic_fetch_add(&gone, 1);
    while (atomic_load(&gone) < 2) /* the last ones wait for nobody */
        continue;
    return NULL;
}

void busy_threads(void *unused)
{
    pthread_t threads[WORKERS];

    (void)unused;
    note_count = 0;
    tickets = 0;
    gone = 0;
    memset(sums, 0, sizeof sums);
    for (int i = 0; i < TABLE; i++)
        table[i] = i;
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&threads[i], NULL, work, sums[i]);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(threads[i], NULL);
}

static void *compute_long(void *argument)
{
    compute(argument, 1500);
    return NULL;
}

void two_compute(void *unused)
{
    pthread_t threads[2];

    (void)unused;
    note_count = 0;
    memset(sums, 0, sizeof sums);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, compute_long, sums[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}

static void *wait_and_compute(void *argument)
{
    note(1);
    compute(argument, 60);
    note(2);
    return NULL;
}

void one_lets_go(void *unused)
{
    pthread_t thread;

    (void)unused;
    note_count = 0;
    memset(sums, 0, sizeof sums);
    for (int round = 0; round < 3; round++) {
        pthread_mutex_lock(&mutex);
        pthread_create(&thread, NULL, wait_and_compute, sums[1]);
        compute(sums[0], 40);
        pthread_mutex_unlock(&mutex);
        compute(sums[0], 60);
        note(3);
        pthread_join(thread, NULL);
    }
}
