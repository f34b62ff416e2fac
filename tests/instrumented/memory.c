/* memory.c -- blocks of the heap, used rightly and wrongly: see test_memory.c. */
#include "memory.h"

#include <malloc.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* `raddle cc` makes calls lead to these. */
void *__wrap_memcpy(void *to, const void *from, size_t size);
void *__wrap_memmove(void *to, const void *from, size_t size);
void *__wrap_memset(void *to, int byte, size_t size);
int __wrap_memcmp(const void *left, const void *right, size_t size);
char *__wrap_strcpy(char *to, const char *from);
size_t __wrap_strlen(const char *text);
char *__wrap_strdup(const char *text);
int __wrap_asprintf(char **to, const char *format, ...);
int __wrap_snprintf(char *to, size_t room, const char *format, ...);
ssize_t __wrap_read(int fd, void *to, size_t size);
ssize_t __wrap_pread(int fd, void *to, size_t size, off_t offset);
size_t __wrap_strftime(char *to, size_t room, const char *format, const struct tm *time);
long __wrap_strtol(const char *text, char **end, int base);

FILE *memory_stream;
int memory_pipe;

typedef short two __attribute__((aligned(1), may_alias));
typedef int four __attribute__((aligned(1), may_alias));
typedef long eight __attribute__((aligned(1), may_alias));
typedef int sixteen __attribute__((vector_size(16), aligned(1), may_alias));

static char sum; /* so that what is read is used */

static void read_bytes(const char *at, size_t size)
{
    if (size == 1) {
        sum ^= *(const volatile char *)at;
    } else if (size == 2) {
        sum ^= (char)*(const two *)at;
    } else if (size == 4) {
        sum ^= (char)*(const four *)at;
    } else if (size == 8) {
        sum ^= (char)*(const eight *)at;
    } else {
        sixteen all = *(const volatile sixteen *)at;

        sum ^= (char)all[3];
    }
}

static void write_bytes(char *at, size_t size)
{
    if (size == 1)
        *at = 1;
    else if (size == 2)
        *(two *)at = 1;
    else if (size == 4)
        *(four *)at = 1;
    else if (size == 8)
        *(eight *)at = 1;
    else
        *(sixteen *)at = (sixteen){1};
}

char *memory_do(const struct step *step)
{
    static const char text[] = "a text that is as long as any that is printed here";

    switch (step->doing) {
    case ALLOCATE:
        return malloc(step->size);
    case ALLOCATE_ZEROED:
        return calloc(1, step->size);
    case ALLOCATE_ALIGNED:
        return aligned_alloc(256, step->size);
    case RESIZE:
        return realloc(step->at, step->size);
    case FREE:
        free(step->at);
        break;
    case READ:
        read_bytes(step->at, step->size);
        break;
    case WRITE:
        write_bytes(step->at, step->size);
        break;
    case COPY:
        __wrap_memcpy(step->at, step->other, step->size);
        break;
    case MOVE:
        __wrap_memmove(step->at, step->other, step->size);
        break;
    case SET:
        __wrap_memset(step->at, 0, step->size);
        break;
    case COMPARE:
        sum ^= (char)__wrap_memcmp(step->at, step->other, step->size);
        break;
    case COPY_TEXT:
        __wrap_strcpy(step->at, step->other);
        break;
    case MEASURE:
        sum ^= (char)__wrap_strlen(step->at);
        break;
    case PRINT:
        __wrap_snprintf(step->at, 1000, "%.*s", (int)step->size, text);
        break;
    case RECEIVE:
        sum ^= (char)__wrap_read(memory_pipe, step->at, step->size);
        break;
    case READ_BLOCK:
        sum ^= (char)fread(step->at, 1, step->size, memory_stream);
        break;
    case EXCHANGE:
        sum ^= (char)__atomic_exchange_n((int *)(void *)step->at, 1, __ATOMIC_SEQ_CST);
        break;
    case DOINGS:
        break;
    }
    return NULL;
}

/* ---- Two threads ------------------------------------------------------------------------- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char *shared;

static void with(void *(*other)(void *argument), void (*main)(void))
{
    pthread_t thread;

    pthread_create(&thread, NULL, other, NULL);
    main();
    pthread_join(thread, NULL);
}

static void *use_in_order(void *unused)
{
    char *seen;

    pthread_mutex_lock(&mutex);
    seen = shared;
    pthread_mutex_unlock(&mutex);
    pthread_mutex_lock(&mutex);
    if (seen)
        seen[3]++;
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void free_in_order(void)
{
    pthread_mutex_lock(&mutex);
    free(shared);
    shared = NULL;
    pthread_mutex_unlock(&mutex);
}

void memory_ordered(void)
{
    pthread_mutex_init(&mutex, NULL);
    shared = calloc(1, 24);
    with(use_in_order, free_in_order);
}

static void *use(void *unused)
{
    shared[3]++;
    return unused;
}

static void just_free(void)
{
    free(shared);
}

void memory_racing(void)
{
    shared = calloc(1, 24);
    with(use, just_free);
}

static void *free_it(void *unused)
{
    free(shared);
    return unused;
}

static void *free_it_in_order(void *unused)
{
    pthread_mutex_lock(&mutex);
    free(shared);
    pthread_mutex_unlock(&mutex);
    return unused;
}

void memory_freed_by_both(void)
{
    pthread_t threads[2];

    pthread_mutex_init(&mutex, NULL);
    shared = malloc(24);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, free_it_in_order, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}

/* ---- Freed though it is no block ----------------------------------------------------------- */

/* The compiler is not to know. */
static void *hidden(void *at)
{
    __asm__ volatile("" : "+r"(at));
    return at;
}

void memory_in_the_middle(void)
{
    shared = malloc(24);
    free_it(NULL);
    shared = malloc(40);
    free(hidden(shared + 16));
}

void memory_on_a_stack(void)
{
    int variable = 0;

    free(hidden(&variable));
}

void memory_static(void)
{
    free(hidden(&mutex));
}

/* ---- One thread ---------------------------------------------------------------------------- */

void memory_resized(void)
{
    char *old = malloc(100), *new = realloc(old, 99);

    new[98] = 1;
    *(char *)hidden(old) = 1;
    free(new);
}

void memory_reused(void)
{
    char *first = malloc(64), *blocks[100];

    free(first);
    for (int i = 0; i < 100; i++)
        blocks[i] = malloc(64);
    for (int i = 0; i < 100; i++)
        free(blocks[i]);
    read_bytes(hidden(first), 8);
}

/* More than is kept back: the last block waits, whatever its size. */
void memory_usable(void)
{
    char *block = malloc(33), *large = malloc(8 << 20);
    size_t usable = malloc_usable_size(block);

    for (size_t i = 0; i < usable; i++)
        block[i] = 1;
    if (usable != 33)
        abort();
    free(block);
    free(large);
    read_bytes(hidden(large + 4096), 4);
}

void memory_of_strdup(void)
{
    char *copy = __wrap_strdup("hello");

    for (int i = 0; i < 7; i++)
        read_bytes((char *)hidden(copy) + i, 1);
    free(copy);
}

void memory_of_calls(void)
{
    char *line = NULL, *text, *copy = __wrap_strdup("a word");
    size_t room = 0, size;
    FILE *stream = fopen("/proc/self/status", "r"), *memory = open_memstream(&text, &size);

    for (int i = 0; i < 3 && getline(&line, &room, stream) > 0; i++)
        fputs(line, memory);
    fclose(stream);
    fclose(memory);
    free(line);
    for (size_t i = 0; i <= size; i++)
        sum ^= text[i];
    free(text);
    line = malloc(4);
    room = 4;
    stream = fopen("/proc/self/status", "r");
    for (int i = 0; i < 3 && getline(&line, &room, stream) > 0; i++)
        sum ^= line[room - 1];
    fclose(stream);
    free(line);
    if (__wrap_asprintf(&line, "%s and %d", copy, 12) > 0)
        sum ^= line[13];
    free(line);
    free(copy);
    free(NULL);
    free(malloc(0));
}

void memory_in_a_child(void)
{
    char *block = calloc(1, 8), *other = malloc(100);
    pid_t child = fork();

    if (child == 0) {
        block[7] = 1;
        free(block);
        block = malloc(64);
        block[63] = 1;
        free(block);
        free(other);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    block[3] = 1;
    free(block);
    free(other);
}

/* ---- Functions that may fill less than they are allowed to ---------------------------------- */

void memory_bounds(void)
{
    char *small = malloc(16), *number = malloc(3);
    struct tm time = {.tm_year = 100};
    char *end;

    rewind(memory_stream);
    sum ^= (char)fread(small, 1, 4096, memory_stream); /* there are 16 bytes */
    if (__wrap_strftime(small, 4096, "%Y", &time) != 4)
        abort();
    sum ^= (char)__wrap_pread(fileno(memory_stream), small, 4096, 8);
    number[0] = '1';
    number[1] = '2';
    number[2] = 'x'; /* a number ends there, if its base is 10 */
    sum ^= (char)__wrap_strtol(number, &end, 10);
    free(small);
    free(number);
}
