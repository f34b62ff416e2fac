/* total.c -- a total that is read in one critical section and written in another. */
#include <assert.h>

int main(void)
{
    int total = 0;

#pragma omp parallel num_threads(2)
    {
        int seen;

#pragma omp critical
        seen = total;
#pragma omp critical
        total = seen + 1;
    }
    assert(total == 2);
    return 0;
}
