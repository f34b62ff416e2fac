/* throughput.c -- cases and integers a second: reversing twice changes nothing. */
#include "usage.h"

static void reverse(int *xs, size_t n)
{
    for (size_t i = 0; i < n / 2; i++) {
        int old = xs[i];

        xs[i] = xs[n - 1 - i];
        xs[n - 1 - i] = old;
    }
}

static size_t reverse_twice(struct rdl_case *t)
{
    size_t n;
    int *xs = rdl_ints(t, &n, .length = {0, 100});
    int *ys = rdl_copy(t, xs, n * sizeof *xs);

    reverse(ys, n);
    reverse(ys, n);
    rdl_check_mem(ys, xs, n * sizeof *xs);
    return n;
}

RDL_PROPERTY(twice)
{
    reverse_twice(t);
}

/* How long the lists are, asked apart from how fast they are. */
RDL_PROPERTY(length)
{
    rdl_measure(t, (double)reverse_twice(t), "length");
}
