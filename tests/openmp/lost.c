/* lost.c -- reading and writing are critical sections, but what lies between is in none. */
#include <assert.h>

int main(void)
{
    int total = 0;

#pragma omp parallel num_threads(2)
    {
        int mine;

#pragma omp critical
        mine = total;
#pragma omp critical
        total = mine + 1;
    }
    assert(total == 2);
    return 0;
}
