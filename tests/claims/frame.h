/* frame.h -- around a random program: its state, and what becomes of it.
 *
 * The program is a process of its own, or one of many tests (generate.c).
 *
 * The outcome is a number of 15 bits, made of all that the threads have seen and left.  A file
 * that is mapped before main (outcomes.h) has a byte for each. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "outcomes.h"
#include "unseen.h"

static _Atomic int p[2]; /* by single loads and stores, which no rule orders */
static volatile int q[2];
static _Atomic int a[2];
static char text[16];
static int *_Atomic lazy;
static pthread_mutex_t m[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static sem_t s;
static int file = -1;

static _Atomic int seen[4]; /* by each thread that has ended */
static struct outcomes *all_outcomes, *outcomes;

#define SEE(value)        (v = v * 7 + (int)(value))
#define GET(variable)     atomic_load_explicit(&(variable), memory_order_relaxed)
#define SET(variable, to) atomic_store_explicit(&(variable), (to), memory_order_relaxed)
#define INC(variable)     SET(variable, GET(variable) + 1)

__attribute__((unused)) static void init(void)
{
    INC(p[0]);
}

__attribute__((unused)) static void increment(int *it)
{
    ++*it;
}

__attribute__((unused)) static int number(const char *text_of_number)
{
    return text_of_number ? atoi(text_of_number) : 0;
}

static unsigned mix(unsigned hash, int value)
{
    return (hash ^ (unsigned)value) * 2654435761u + (hash >> 15);
}

/* To be returned from main, or given to exit. */
static int finish(int v)
{
    unsigned hash = mix(1, v);

    for (int i = 0; i < 2; i++)
        hash = mix(mix(mix(hash, GET(p[i])), q[i]), a[i]);
    for (int i = 0; i < 4; i++)
        hash = mix(hash, seen[i]);
    outcomes->reached[hash >> 5 & (OUTCOMES - 1)] = 1;
    outcomes->ended++;
    return 0;
}

static void *told(void *argument, int v)
{
    seen[(int)(intptr_t)argument] = v + 1;
    return NULL;
}

static void start(pthread_t *out, void *(*body)(void *), int thread)
{
    pthread_create(out, NULL, body, (void *)(intptr_t)thread);
}

void AnnotateBenignRaceSized(const char *file, int line, const volatile void *memory, long size,
                             const char *why) __attribute__((weak));

/* Races are what these programs are made of; that they fail would keep others from being met. */
static void allow_races(volatile void *memory, long size)
{
    if (AnnotateBenignRaceSized)
        AnnotateBenignRaceSized(__FILE__, __LINE__, memory, size, "it is meant to be there");
}

/* For programs that have to do with files; they are dear. */
__attribute__((unused)) static void make_files(void)
{
    unlink("other");
    unlink("another");
    rmdir("folder");
    file = open("contents", O_CREAT | O_RDWR | O_TRUNC, 0600);
    pwrite(file, "1234", 4, 0);
}

__attribute__((unused)) static void set_up(int program)
{
    outcomes = all_outcomes + program;
    sem_init(&s, 0, 0);
    pthread_key_create(&key, NULL);
    allow_races(p, sizeof p);
    allow_races(q, sizeof q);
    allow_races(text, sizeof text);
    allow_races(&lazy, sizeof lazy);
    outcomes->began++;
}

__attribute__((unused)) static void tear_down(void)
{
    if (file >= 0)
        close(file);
    pthread_key_delete(key);
}

__attribute__((unused)) static int run(int argc, char **argv, int (*const programs[])(void))
{
    if (argc != 2)
        return 2;
    set_up(0);
    return programs[atoi(argv[1])]();
}

/* The file has room for as many programs as are explored by one process. */
__attribute__((constructor)) static void map_outcomes(void)
{
    int fd = open("outcomes", O_RDWR);
    struct stat status;

    if (fd < 0 || fstat(fd, &status) != 0)
        return; /* it is not run in order to be compared */
    all_outcomes = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (all_outcomes == MAP_FAILED)
        abort();
    close(fd);
}
