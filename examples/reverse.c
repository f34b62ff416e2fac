/* reverse.c -- a first property: reversing twice changes nothing. */
#include <raddle.h>

static void reverse(int *xs, size_t n)
{
    for (size_t i = 0; i < n / 2; i++) {
        int old = xs[i];

        xs[i] = xs[n - 1 - i];
        xs[n - 1 - i] = old;
    }
}

RDL_PROPERTY(reversing_twice_changes_nothing)
{
    size_t n;
    int *xs = rdl_ints(t, &n, .length = {0, 100}, .range = {-1000, 1000});
    int *ys = rdl_copy(t, xs, n * sizeof *xs);

    reverse(ys, n);
    reverse(ys, n);
    rdl_check_mem(ys, xs, n * sizeof *xs);
}

RDL_PROPERTY(reversing_once_changes_nothing, .expect_failure = true)
{
    size_t n;
    int *xs = rdl_ints(t, &n, .length = {0, 100}, .range = {-1000, 1000});
    int *ys = rdl_copy(t, xs, n * sizeof *xs);

    reverse(ys, n);
    rdl_check_mem(ys, xs, n * sizeof *xs);
}

RDL_MAIN
