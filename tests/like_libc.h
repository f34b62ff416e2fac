/* like_libc.h -- the same calls with control and without it: do they return the same?
 *
 * Programs are made up by chance, of calls that cannot block; each runs once in either world. */
#ifndef TESTS_LIKE_LIBC_H
#define TESTS_LIKE_LIBC_H

#include "explore.h"

enum { CALLS_MOST = 24, ROOM = 4096 };

static struct rdl__random chance;
static int program[CALLS_MOST][2]; /* operation, argument */
static int kind;
static char *codes; /* shared: what was returned */

__attribute__((format(printf, 1, 2))) static void tell(const char *format, ...)
{
    size_t used = strlen(codes);
    va_list args;

    va_start(args, format);
    vsnprintf(codes + used, ROOM - used, format, args);
    va_end(args);
}

static void draw_program(int operations)
{
    for (int i = 0; i < CALLS_MOST; i++) {
        program[i][0] = (int)rdl__random_upto(&chance, (uint64_t)operations - 1);
        program[i][1] = (int)rdl__random_upto(&chance, 1);
    }
}

/* What another thread returns for this. */
__attribute__((unused)) static int by_another(void *(*function)(void *), void *argument)
{
    pthread_t thread;
    void *result = NULL;

    if (pthread_create(&thread, NULL, function, argument) != 0)
        return -1;
    pthread_join(thread, &result);
    return (int)(intptr_t)result;
}

__attribute__((unused)) static const struct timespec *past(void)
{
    static const struct timespec second = {.tv_sec = 1};

    return &second;
}

/* Both worlds have to agree about this body, on so many programs. */
static void expect_alike(int programs, int operations, int kinds, void (*body)(void))
{
    char *libc;

    if (!codes)
        codes = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    libc = rdl__allocate(ROOM);
    rdl__random_seed(&chance, test_seed());
    for (int i = 0; i < programs; i++) {
        const char *how;
        pid_t child;

        kind = i % kinds;
        draw_program(operations);
        codes[0] = '\0';
        fflush(NULL);
        child = fork();
        if (child == 0) {
            alarm(120);
            body();
            _exit(0);
        }
        how = await_child(child);
        if (how)
            test_fail(__FILE__, __LINE__, "program %d of kind %d %s after %s", i, kind, how, codes);
        memcpy(libc, codes, ROOM);
        codes[0] = '\0';
        EXPECT_STR(outcomes_by_chance(body, 1, 0), "done");
        if (strcmp(codes, libc) != 0)
            test_fail(__FILE__, __LINE__, "program %d of kind %d\nlibc  %s\nhere  %s", i, kind,
                      libc, codes);
    }
    free(libc);
}

#endif
