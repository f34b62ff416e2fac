/* hot.h -- two functions that gates are placed at, and how long their calls take.
 *
 * A hook is a jump where the first instruction is long enough for one, and a breakpoint
 * elsewhere: they do nearly the same, but one begins with a store (6 bytes) and the other
 * with an addition (3 bytes).  The program `hooks` tells what they got. */
#ifndef BENCH_HOT_H
#define BENCH_HOT_H

#include "../process.h"

#define NEVER_INLINED __attribute__((noipa, used)) static

static volatile int last;

NEVER_INLINED void begin_long(int x)
{
    last = x;
}

NEVER_INLINED void begin_short(int x)
{
    last = x + 1;
}

/* Nobody calls it. */
NEVER_INLINED void begin_never(int x)
{
    last = x;
}

static inline double ns_of_calls(void (*hot)(int x), long calls, double (*now)(void))
{
    double before = now();

    for (long i = 0; i < calls; i++)
        hot((int)(i & 0xff));
    return (now() - before) * 1e9 / (double)calls;
}

enum { ROUNDS = 7 };

/* The best of several rounds. */
static inline double ns_at_best(void (*hot)(int x), long calls, double (*now)(void))
{
    double best = ns_of_calls(hot, calls, now);

    for (int i = 1; i < ROUNDS; i++) {
        double ns = ns_of_calls(hot, calls, now);

        best = ns < best ? ns : best;
    }
    return best;
}

#endif
