/* loop.c -- who calls it a lot, and how long that takes. */
#include "../process.h"

#include "flash.h"

enum { ROUNDS = 7 };

const char flash_text[] = "abc";

double flash_ns(int (*code)(int block, const char *data, size_t length), long calls,
                void (*begin)(long calls), void (*end)(long calls))
{
    double best = 1e9;
    int sum = 0;

    for (int round = 0; round < ROUNDS; round++) {
        double before, ns;

        if (begin)
            begin(calls);
        before = bench_cpu();
        for (long i = 0; i < calls; i++)
            sum += code(3, flash_text, 4);
        ns = (bench_cpu() - before) * 1e9 / (double)calls;
        best = ns < best ? ns : best;
        if (end)
            end(calls);
    }
    return sum == 1 ? 0 : best;
}
