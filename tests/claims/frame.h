/* frame.h -- around a random program: its state, and what becomes of it.
 *
 * The program is a process of its own, or one of many tests (generate.c).
 *
 * The outcome is a number of 15 bits, made of all that the threads have seen and left.  A file
 * that is mapped before main (outcomes.h) has a byte for each. */
#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include <raddle/annotate.h>

#include "objects.h"
#include "outcomes.h"
#include "unseen.h"

static _Atomic int p[2]; /* by single loads and stores, which no rule orders */
static volatile int q[2];
static _Atomic int a[2];
static char text[16] = "12,3", note[16] = "2,1"; /* whatever becomes of them, the last byte is 0 */
static int numbers[2];
static unsigned random_seed;
static time_t moment;
static struct tm calendar = {.tm_mday = 9, .tm_mon = 6, .tm_year = 126, .tm_yday = 200};
static int *_Atomic lazy, *_Atomic block;
static pthread_mutex_t m[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static sem_t s;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t checked = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_barrier_t barrier; /* for two */
static mtx_t plain;
static cnd_t changed;
static tss_t own;
static once_flag begun = ONCE_FLAG_INIT;
static int file = -1, home = -1, page = -1, ways[2] = {-1, -1}, event = -1;
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

#define HELPER            __attribute__((unused)) static

HELPER void init(void)
{
    INC(p[0]);
}

HELPER void count_signal(int unused)
{
    (void)unused;
    INC(p[0]);
}

HELPER void block_signal(int how)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(how, &set, NULL);
}

HELPER int try_signals(void)
{
    sigset_t set;

    sigfillset(&set);
    sigdelset(&set, SIGUSR1);
    return sigismember(&set, SIGUSR1) + 2 * sigismember(&set, SIGUSR2);
}

HELPER void count_up(void *it)
{
    INC(*(_Atomic int *)it);
}

HELPER void increment(int *it)
{
    ++*it;
}

HELPER int number(const char *text_of_number)
{
    return text_of_number ? atoi(text_of_number) : 0;
}

HELPER int compare_bytes(const void *left, const void *right)
{
    return *(const char *)left - *(const char *)right;
}

HELPER int format(char *to, size_t room, const char *how, ...)
{
    va_list list;
    int length;

    va_start(list, how);
    length = vsnprintf(to, room, how, list);
    va_end(list);
    return length;
}

HELPER int format_all(char *to, const char *how, ...)
{
    va_list list;
    int length;

    va_start(list, how);
    length = vsprintf(to, how, list);
    va_end(list);
    return length;
}

HELPER int print(FILE *to, const char *how, ...)
{
    va_list list;
    int length;

    va_start(list, how);
    length = vfprintf(to, how, list);
    va_end(list);
    return length;
}

HELPER int print_all(const char *how, ...)
{
    va_list list;
    int length;

    va_start(list, how);
    length = vprintf(how, list);
    va_end(list);
    return length;
}

HELPER int read_line(FILE *from)
{
    char *line = NULL;
    size_t room = 0;
    int length = (int)getline(&line, &room, from);

    free(line);
    return length;
}

HELPER int count_entries(const char *folder)
{
    DIR *it = opendir(folder);
    int count = 0;

    if (!it)
        return -1;
    while (readdir(it))
        count++;
    closedir(it);
    return count;
}

/* The name of a file in the folder of which `home` is the number. */
HELPER const char *in_home(char room[static 40], const char *name)
{
    snprintf(room, 40, "/proc/self/fd/%d/%s", home, name);
    return room;
}

HELPER void make_mutex(pthread_mutex_t *out)
{
    pthread_mutexattr_t attributes;

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(out, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

/* Objects that nobody else knows. */
HELPER int use_locks(void)
{
    struct {
        pthread_rwlock_t rwlock;
        pthread_cond_t condition;
        pthread_spinlock_t spinlock;
        pthread_barrier_t barrier;
        sem_t semaphore;
        mtx_t mutex;
        cnd_t change;
    } it;
    int result;

    pthread_rwlock_init(&it.rwlock, NULL);
    pthread_cond_init(&it.condition, NULL);
    pthread_spin_init(&it.spinlock, 0);
    pthread_barrier_init(&it.barrier, NULL, 1);
    sem_init(&it.semaphore, 0, 1);
    mtx_init(&it.mutex, mtx_plain);
    cnd_init(&it.change);
    result = pthread_rwlock_tryrdlock(&it.rwlock) + sem_trywait(&it.semaphore);
    pthread_rwlock_unlock(&it.rwlock);
    cnd_destroy(&it.change);
    mtx_destroy(&it.mutex);
    sem_destroy(&it.semaphore);
    pthread_barrier_destroy(&it.barrier);
    pthread_spin_destroy(&it.spinlock);
    pthread_cond_destroy(&it.condition);
    pthread_rwlock_destroy(&it.rwlock);
    return result;
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
        hash = mix(mix(mix(hash, pairs[i].x), pairs[i].y), mapped[0] ? mapped[0][i] : 0);
    }
    for (int i = 0; i < 8; i++)
        hash = mix(mix(hash, text[i]), note[i]);
    hash = mix(mix(mix(mix(hash, bits.one), bits.two), numbers[0]), numbers[1]);
    for (int i = 0; i < 4; i++)
        hash = mix(hash, seen[i]);
    outcomes->reached[hash >> 5 & (OUTCOMES - 1)] = 1;
    outcomes->ended++;
    return 0;
}

/* What others have done since exit() was called is an outcome, too. */
HELPER void look_back(void)
{
    unsigned hash = mix(mix(2, a[0]), GET(p[0]));

    outcomes->reached[hash >> 5 & (OUTCOMES - 1)] = 1;
}

HELPER void *told(void *argument, int v)
{
    seen[(int)(intptr_t)argument] = v + 1;
    return NULL;
}

HELPER void start(pthread_t *out, void *(*body)(void *), int thread)
{
    pthread_create(out, NULL, body, (void *)(intptr_t)thread);
}

HELPER void *run_child(void *argument)
{
    int v = 0;

    INC(p[0]);
    SEE(GET(p[1]));
    return told(argument, v);
}

HELPER int run_thrd(void *unused)
{
    (void)unused;
    INC(p[0]);
    return 0;
}

HELPER void start_detached(pthread_t *out)
{
    pthread_attr_t attributes;

    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, 1 << 18);
    pthread_create(out, &attributes, run_child, (void *)3);
    pthread_attr_destroy(&attributes);
}

void AnnotateBenignRaceSized(const char *file, int line, const volatile void *memory, long size,
                             const char *why) __attribute__((weak));

/* Races on volatile and atomic variables are what these programs are made of; that they fail would
 * keep others from being met.  On all other variables races do fail: the compiler may look at those
 * as often as it likes, and a length that others change is no length. */
static void allow_races(volatile void *memory, long size)
{
    if (AnnotateBenignRaceSized)
        AnnotateBenignRaceSized(__FILE__, __LINE__, memory, size, "it is meant to be there");
}

HELPER void map_twice(void)
{
    int fd = memfd_create("twice", MFD_CLOEXEC);

    if (fd < 0 || ftruncate(fd, 4096) != 0)
        abort();
    for (int i = 0; i < 2; i++)
        mapped[i] = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
}

/* Races are meant here as well. */
HELPER void make_mappings(void)
{
    map_twice();
    for (int i = 0; i < 2; i++)
        allow_races(mapped[i], 2 * sizeof *mapped[i]);
}

/* For programs that have to do with files; they are dear. */
HELPER void make_files(void)
{
    unlink("way");
    unlink("door");
    unlink("other");
    unlink("contents"); /* it may be a link to nothing */
    unlink("folder/inner");
    unlink("another/inner");
    unlink("another");
    rmdir("another");
    rmdir("folder");
    file = open("contents", O_CREAT | O_RDWR | O_TRUNC, 0600);
    pwrite(file, "1234", 4, 0);
    home = open(".", O_RDONLY);
}

HELPER void make_page(void)
{
    page = open("page", O_CREAT | O_RDWR | O_TRUNC, 0600);
    pwrite(page, "1234", 4, 0);
}

HELPER void make_streams(void)
{
    output = fopen("text", "w");
    fputs("12345", output);
    fclose(output);
    input = fopen("text", "r");
    output = fopen("output", "w");
}

/* One file behind two descriptors and two streams.  What other preparations opened is closed. */
HELPER void make_one_file(void)
{
    if (file >= 0)
        close(file);
    if (page >= 0)
        close(page);
    if (input)
        fclose(input);
    if (output)
        fclose(output);
    unlink("other");
    unlink("contents");
    file = open("contents", O_CREAT | O_RDWR | O_TRUNC, 0600);
    pwrite(file, "1234", 4, 0);
    page = open("contents", O_RDWR);
    input = fopen("contents", "r");
    output = fopen("contents", "r+");
}

HELPER void remove_files(void)
{
    unlink("third");
    unlink("other");
}

HELPER void make_pipes(void)
{
    if (pipe2(ways, O_NONBLOCK) != 0 || (event = eventfd(0, EFD_NONBLOCK)) < 0)
        abort();
}

/* Before each test: those of earlier ones in the same process. */
HELPER void close_leftovers(void)
{
    close_range(STDERR_FILENO + 1, 499, 0);
}

/* To write to a pipe that main has closed is an outcome, not a crash. */
__attribute__((constructor)) static void ignore_closed_pipes(void)
{
    signal(SIGPIPE, SIG_IGN);
}

HELPER void set_up(int program)
{
    outcomes = all_outcomes + program;
    if (outcomes->others > 0) {
        outcomes->others--;
        outcomes = &others;
    }
    sem_init(&s, 0, 0);
    pthread_spin_init(&spin, 0);
    pthread_barrier_init(&barrier, NULL, 2);
    mtx_init(&plain, mtx_plain);
    cnd_init(&changed);
    tss_create(&own, NULL);
    pthread_key_create(&key, NULL);
    allow_races(p, sizeof p);
    allow_races(q, sizeof q);
    allow_races(&lazy, sizeof lazy);
    outcomes->began++;
}

HELPER void tear_down(void)
{
    int all[] = {file, home, page, ways[0], ways[1], event};

    if (mapped[0])
        for (int i = 0; i < 2; i++)
            munmap((void *)mapped[i], 4096);
    for (int i = 0; i < 6; i++)
        if (all[i] >= 0)
            close(all[i]);
    if (input)
        fclose(input);
    if (output)
        fclose(output);
    free(atomic_exchange(&block, NULL));
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
    RDL_KEEP_MEMORY(all_outcomes, (size_t)status.st_size);
    close(fd);
}
