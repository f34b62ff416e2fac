/* tests.c -- OpenMP in tests: many executions in one process. */
#include <omp.h>
#include <raddle.h>

RDL_EXPLORE(what_is_critical_twice_may_get_lost, .expect_failure = true)
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
    omp_pause_resource_all(omp_pause_hard); /* the threads end; else they would be left over */
    rdl_check_eq(total, 2);
}

RDL_EXPLORE(what_is_critical_once_does_not, .cases = 200)
{
    int total = 0;

#pragma omp parallel num_threads(3)
    {
#pragma omp critical
        total++;
#pragma omp barrier
#pragma omp single
#pragma omp task
        total *= 2;
    }
    omp_pause_resource_all(omp_pause_hard);
    rdl_check_eq(total, 6);
}

RDL_MAIN
