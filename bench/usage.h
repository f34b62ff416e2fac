/* usage.h -- main() of a benchmark: rdl_main, then one line on standard error
 * with what it used, workers included.
 *
 * Of several workers the one with the largest memory counts.  They are forked, so
 * that getrusage is right about it. */
#ifndef BENCH_USAGE_H
#define BENCH_USAGE_H

#include <raddle.h>
#include <string.h>

#include "process.h"

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
