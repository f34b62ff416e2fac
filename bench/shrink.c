/* shrink.c -- what failing cases shrink to, and how many runs it takes.
 *
 * The same problems as in peers/.  Runs are counted in memory that the workers
 * share, from the first failure on: those that shrink, and those that make sure
 * the failure is steady and explain it. */
#include <sys/mman.h>

#include "usage.h"

struct seen {
    unsigned long runs, first; /* the number of the first failing run */
    size_t length;             /* of what failed there */
    double failed_at;
};

static struct seen *seen;

__attribute__((constructor)) static void share(void)
{
    seen = mmap(NULL, sizeof *seen, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

/* Workers leave by _exit, so that only the parent gets here. */
__attribute__((destructor)) static void report(void)
{
    fprintf(stderr, "shrink_runs=%lu shrink_wall=%.6f first_length=%zu\n", seen->runs - seen->first,
            bench_now() - seen->failed_at, seen->length);
}

/* Every property ends here, with what must hold and how long its list was. */
static void judge(bool holds, size_t length)
{
    seen->runs++;
    if (!holds && !seen->first) {
        seen->first = seen->runs;
        seen->length = length;
        seen->failed_at = bench_now();
    }
    rdl_check(holds);
}

RDL_PROPERTY(reverse)
{
    size_t n;
    int *xs = rdl_ints(t, &n, .length = {0, 100});
    bool same = true;

    for (size_t i = 0; i < n; i++)
        same = same && xs[i] == xs[n - 1 - i];
    judge(same, n);
}

RDL_PROPERTY(large)
{
    size_t n;
    int *xs = rdl_ints(t, &n, .length = {0, 100}, .range = {0, 1000000});
    bool small = true;

    for (size_t i = 0; i < n; i++)
        small = small && xs[i] < 900;
    judge(small, n);
}

RDL_PROPERTY(length)
{
    size_t n;

    rdl_ints(t, &n, .length = {0, 100});
    judge(n < 10, n);
}

RDL_PROPERTY(pair)
{
    size_t n;
    int *xs = rdl_ints(t, &n, .length = {0, 100}, .range = {0, 200});
    bool none = true;

    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++)
            none = none && !(xs[i] == xs[k] && xs[i] > 7);
    judge(none, n);
}

RDL_PROPERTY(sum)
{
    size_t n;
    int *xs = rdl_ints(t, &n, .length = {0, 100}, .range = {0, 400});
    int sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += xs[i];
    judge(sum < 1000, n);
}

RDL_PROPERTY(nested)
{
    struct rdl_list outer = rdl_list(t, .length = {0, 20});
    size_t total = 0;

    while (rdl_more(&outer)) {
        size_t n;

        rdl_ints(t, &n, .length = {0, 20});
        total += n;
    }
    judge(total <= 10, total);
}
