/* usage.h -- main() of a benchmark: rdl_main, then one line on standard error
 * with what it used, workers included.
 *
 * The peak of this process is VmHWM, not getrusage's: that one still remembers
 * the program that called exec.  Workers are forked, so for them it is right;
 * of several workers the largest counts. */
#ifndef BENCH_USAGE_H
#define BENCH_USAGE_H

#include <raddle.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static double seconds_of(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

static double cpu_of(const struct rusage *usage)
{
    return seconds_of(usage->ru_utime) + seconds_of(usage->ru_stime);
}

static double bench_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static long peak_kib(void)
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

int main(int argc, char **argv)
{
    struct rusage before, after, workers;
    double started = bench_now();
    int result;

    getrusage(RUSAGE_SELF, &before);
    result = rdl_main(argc, argv);
    getrusage(RUSAGE_SELF, &after);
    getrusage(RUSAGE_CHILDREN, &workers);
    fprintf(stderr, "wall=%.6f cpu=%.6f parent_kib=%ld worker_kib=%ld\n", bench_now() - started,
            cpu_of(&after) - cpu_of(&before) + cpu_of(&workers), peak_kib(), workers.ru_maxrss);
    return result;
}

#endif
