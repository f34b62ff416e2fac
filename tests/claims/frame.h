/* frame.h -- around a random program: its state, and what becomes of it.
 *
 * The program is a process of its own, or one of many tests (generate.c).
 *
 * The outcome is a number of 15 bits, made of all that the threads have seen and left.  A file
 * that is mapped before main (outcomes.h) has a byte for each. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
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
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int file = -1, home = -1, ways[2] = {-1, -1}, event = -1;
static FILE *input, *output;
static struct {
    unsigned one : 4, two : 4;
} bits;
static struct pair {
    int x, y;
} pairs[2];
static volatile int *mapped[2]; /* the same memory at two addresses */
static _Thread_local int local;

static _Atomic int seen[4]; /* by each thread that has ended */
static struct outcomes *all_outcomes, *outcomes;
static struct outcomes others; /* of an execution that does not count */

#define SEE(value)        (v = v * 7 + (int)(value))
#define GET(variable)     atomic_load_explicit(&(variable), memory_order_relaxed)
#define SET(variable, to) atomic_store_explicit(&(variable), (to), memory_order_relaxed)
#define INC(variable)     SET(variable, GET(variable) + 1)

__attribute__((unused)) static void init(void)
{
    INC(p[0]);
}

__attribute__((unused)) static void count_signal(int unused)
{
    (void)unused;
    INC(p[0]);
}

__attribute__((unused)) static void block(int how)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(how, &set, NULL);
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

    for (int i = 0; i < 2; i++) {
        hash = mix(mix(mix(hash, GET(p[i])), q[i]), a[i]);
        hash = mix(mix(mix(hash, pairs[i].x), pairs[i].y), mapped[0][i]);
    }
    hash = mix(mix(hash, bits.one), bits.two);
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

__attribute__((unused)) static void *run_child(void *argument)
{
    int v = 0;

    INC(p[0]);
    SEE(GET(p[1]));
    return told(argument, v);
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
    home = open(".", O_RDONLY);
}

__attribute__((unused)) static void make_streams(void)
{
    output = fopen("text", "w");
    fputs("12345", output);
    fclose(output);
    input = fopen("text", "r");
    output = fopen("output", "w");
}

__attribute__((unused)) static void make_pipes(void)
{
    if (pipe2(ways, O_NONBLOCK) != 0 || (event = eventfd(0, EFD_NONBLOCK)) < 0)
        abort();
}

/* Before main, as executions of a test must leave no mapping behind. */
/* Before each test: those of earlier ones in the same process. */
__attribute__((unused)) static void close_leftovers(void)
{
    close_range(STDERR_FILENO + 1, 499, 0);
}

/* To write to a pipe that main has closed is an outcome, not a crash. */
__attribute__((constructor)) static void ignore_closed_pipes(void)
{
    signal(SIGPIPE, SIG_IGN);
}

__attribute__((constructor)) static void map_twice(void)
{
    int fd = memfd_create("twice", MFD_CLOEXEC);

    if (fd < 0 || ftruncate(fd, 4096) != 0)
        abort();
    for (int i = 0; i < 2; i++)
        mapped[i] = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
}

__attribute__((unused)) static void set_up(int program)
{
    outcomes = all_outcomes + program;
    if (outcomes->others > 0) {
        outcomes->others--;
        outcomes = &others;
    }
    sem_init(&s, 0, 0);
    pthread_spin_init(&spin, 0);
    mapped[0][0] = mapped[0][1] = 0;
    pthread_key_create(&key, NULL);
    allow_races(p, sizeof p);
    allow_races(q, sizeof q);
    allow_races(text, sizeof text);
    allow_races(&lazy, sizeof lazy);
    allow_races(&bits, sizeof bits);
    allow_races(pairs, sizeof pairs);
    allow_races(mapped[0], 2 * sizeof *mapped[0]);
    allow_races(mapped[1], 2 * sizeof *mapped[1]);
    outcomes->began++;
}

__attribute__((unused)) static void tear_down(void)
{
    int all[] = {file, home, ways[0], ways[1], event};

    mapped[0][0] = mapped[0][1] = 0;
    for (int i = 0; i < 5; i++)
        if (all[i] >= 0)
            close(all[i]);
    if (input)
        fclose(input);
    if (output)
        fclose(output);
    pthread_key_delete(key);
}

__attribute__((unused)) static int run(int argc, char **argv, int (*const programs[])(void))
{
    if (argc != 2)
        return 2;
    set_up(0);
    return programs[atoi(argv[1])]();
}

/* By no function that Raddle knows of: what is in there is not the program's. */
static void *map_unnoticed(size_t size, int fd)
{
    register long flags __asm__("r10") = MAP_SHARED;
    register long file __asm__("r8") = fd;
    register long offset __asm__("r9") = 0;
    void *memory;

    __asm__ volatile("syscall"
                     : "=a"(memory)
                     : "a"(SYS_mmap), "D"(0), "S"(size), "d"(PROT_READ | PROT_WRITE), "r"(flags),
                       "r"(file), "r"(offset)
                     : "rcx", "r11", "memory");
    return memory;
}

/* The file has room for as many programs as are explored by one process. */
__attribute__((constructor)) static void map_outcomes(void)
{
    int fd = open("outcomes", O_RDWR);
    struct stat status;

    if (fd < 0 || fstat(fd, &status) != 0)
        return; /* it is not run in order to be compared */
    all_outcomes = map_unnoticed((size_t)status.st_size, fd);
    if ((uintptr_t)all_outcomes > (uintptr_t)-4096)
        abort();
    close(fd);
}
