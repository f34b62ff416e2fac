/* clones.c -- functions of which an optimising compiler makes variants, or splits something off. */
#include <stdio.h>
#include <stdlib.h>

int seen[64];

/* All callers pass the same. */
static __attribute__((noinline)) int scaled(int n, int by)
{
    for (int i = 0; i < n; i++)
        seen[i % 64] += by * i;
    return seen[n % 64] / by;
}

/* Mostly there is nothing to do, which is worth inlining; the rest is not. */
static int helper(const char *text)
{
    int sum = 0;

    if (!text)
        return 0;
    for (; *text; text++) {
        sum += *text * seen[*text % 64]; /* in the part */
        printf("%d\n", sum);
        if (sum > 1000)
            puts(text);
        seen[sum & 63] = getchar();
    }
    return sum;
}

__attribute__((noinline)) int checked(int n)
{
    if (__builtin_expect(n < 0, 0)) {
        fprintf(stderr, "%d is negative\n", n); /* cold */
        abort();
    }
    return scaled(n, 3) + 1;
}

int main(int argc, char **argv)
{
    return checked(argc) + scaled(argc + 1, 3) + helper(argv[1]) + helper(argv[2]) +
           helper(argc > 3 ? argv[3] : NULL);
}
