/* program.c -- a program with hooks in functions of its own, for run_hook.sh to compile in as
 * many ways as there are.  With an argument, each hook is a breakpoint. */
#include <execinfo.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "port/hook.h"

enum { THREADS = 3, CALLS = 1000 };

static long counted, deepest;

__attribute__((noinline)) static long add(const long *numbers, int count)
{
    long sum = 0;

    for (int i = 0; i < count; i++)
        sum += numbers[i] * (i + 1);
    return sum;
}

__attribute__((noinline)) long average(const double *numbers, int count);
long average(const double *numbers, int count)
{
    double sum = 0;

    for (int i = 0; i < count; i++)
        sum += numbers[i] / count;
    return (long)(sum * 1000);
}

static void count(struct rdl__registers *registers, void *it)
{
    void *frames[32];
    char text[64];
    int depth = backtrace(frames, 32);

    (void)registers, (void)it;
    snprintf(text, sizeof text, "%f", depth * 1.5);
    if (depth > __atomic_load_n(&deepest, __ATOMIC_RELAXED))
        __atomic_store_n(&deepest, depth, __ATOMIC_RELAXED);
    __atomic_add_fetch(&counted, strlen(text) > 0, __ATOMIC_RELAXED);
}

static void *work(void *it)
{
    static const long numbers[] = {3, 1, 4, 1, 5};
    static const double others[] = {3.5, 1.25, 4, 1, 5};

    for (int i = 0; i < CALLS; i++)
        *(long *)it += add(numbers, 5) + average(others, i % 6);
    return NULL;
}

static long run(void)
{
    long sums[THREADS] = {0}, all = 0;
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, &sums[i]);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        all += sums[i];
    }
    return all;
}

int main(int argc, char **argv)
{
    bool never_jump = argc > 1;
    struct rdl__hook first = {.address = (uintptr_t)add, .call = count, .never_jump = never_jump};
    struct rdl__hook second = first, *const both[] = {&first, &second};
    long before = run(), during, after;
    struct rdl__error error;

    (void)argv;
    second.address = (uintptr_t)average;
    if (!rdl__hooks_place(both, 2, &error)) {
        printf("%s\n", error.text);
        return 2;
    }
    during = run();
    rdl__hooks_remove(both, 2);
    after = run();
    printf("%ld %ld %ld, counted %ld, %s\n", before, during, after, counted,
           deepest >= 5 ? "unwound" : "not unwound");
    return before == during && during == after && counted == 2 * THREADS * CALLS && deepest >= 5
               ? 0
               : 1;
}
