/* process.h -- what a process has used: time, CPU time, memory.
 *
 * Its peak is VmHWM, not getrusage's: that one still remembers the program that called
 * exec. */
#ifndef BENCH_PROCESS_H
#define BENCH_PROCESS_H

#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

static inline double seconds_of(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

static inline double cpu_of(const struct rusage *usage)
{
    return seconds_of(usage->ru_utime) + seconds_of(usage->ru_stime);
}

/* Of this process, so far. */
static inline double bench_cpu(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return cpu_of(&usage);
}

static inline double bench_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static inline long peak_kib(void)
{
    FILE *status = fopen("/proc/self/status", "r");
    char line[256];
    long kib = -1;

    while (status && fgets(line, sizeof line, status))
        if (sscanf(line, "VmHWM: %ld", &kib) == 1)
            break;
    if (status)
        fclose(status);
    return kib;
}

#endif
