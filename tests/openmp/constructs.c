/* constructs.c -- what OpenMP has, each with a result that is the same whatever the schedule. */
#include <omp.h>
#include <stdio.h>

enum { N = 12, THREADS = 3 };

static int failed;

static void is(const char *what, long got, long wanted)
{
    if (got == wanted)
        return;
    printf("%s: %ld, not %ld\n", what, got, wanted);
    failed = 1;
}

static void loops(void)
{
    int data[N], order[N], sum = 0, last = 0, next = 0;
    unsigned long long large = 0;
    long product = 1;

#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < N; i++)
        data[i] = i;
#pragma omp parallel for schedule(guided) reduction(+ : sum) lastprivate(last)
    for (int i = 0; i < N; i++) {
        sum += data[i];
        last = i;
    }
    is("sum", sum, 66);
    is("lastprivate", last, N - 1);
#pragma omp parallel for schedule(runtime) reduction(* : product)
    for (int i = 1; i < 6; i++)
        product *= i;
    is("product", product, 120);
#pragma omp parallel for schedule(dynamic) reduction(+ : large)
    for (unsigned long long i = 0; i < 5; i++)
        large += i;
    is("large numbers", (long)large, 10);
#pragma omp parallel for ordered schedule(dynamic)
    for (int i = 0; i < N; i++) {
        int square = i * i;
#pragma omp ordered
        order[next++] = square;
    }
    for (int i = 0; i < N; i++)
        is("ordered", order[i], i * i);
}

static void two_loops(void)
{
    int data[N], reversed[N];

#pragma omp parallel
    {
#pragma omp for nowait
        for (int i = 0; i < N; i++)
            data[i] = 2 * i;
#pragma omp barrier
#pragma omp for collapse(2) schedule(dynamic, 2)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 4; j++)
                reversed[i * 4 + j] = data[N - 1 - (i * 4 + j)];
    }
    for (int i = 0; i < N; i++)
        is("two loops", reversed[i], 2 * (N - 1 - i));
}

static void sections_and_single(void)
{
    int a = 0, b = 0, good = 0, count = 0, masters = 0;
    long double half = 0;

#pragma omp parallel sections
    {
#pragma omp section
        a = 1;
#pragma omp section
        b = 2;
    }
    is("sections", a + b, 3);
#pragma omp parallel
    {
        int got;
#pragma omp single copyprivate(got)
        got = 42;
#pragma omp critical(name)
        good += got == 42;
#pragma omp atomic
        count++;
#pragma omp atomic
        half += 0.5L;
#pragma omp master
        masters++;
    }
    is("copyprivate", good, THREADS);
    is("atomic", count, THREADS);
    is("atomic by a lock", (long)(half * 2), THREADS);
    is("master", masters, 1);
}

static void locks(void)
{
    int set = 0, nested = 0, tried = 0;
    omp_nest_lock_t nest;
    omp_lock_t lock;

    omp_init_lock(&lock);
    omp_init_nest_lock(&nest);
#pragma omp parallel
    {
        omp_set_lock(&lock);
        set++;
        omp_unset_lock(&lock);
        omp_set_nest_lock(&nest);
        omp_set_nest_lock(&nest);
        nested++;
        omp_unset_nest_lock(&nest);
        omp_unset_nest_lock(&nest);
        while (!omp_test_lock(&lock))
            continue;
        tried++;
        omp_unset_lock(&lock);
    }
    omp_destroy_lock(&lock);
    omp_destroy_nest_lock(&nest);
    is("lock", set, THREADS);
    is("nested lock", nested, THREADS);
    is("lock that is tried", tried, THREADS);
}

static long fibonacci(int n)
{
    long a, b;

    if (n < 2)
        return n;
#pragma omp task shared(a)
    a = fibonacci(n - 1);
#pragma omp task shared(b)
    b = fibonacci(n - 2);
#pragma omp taskwait
    return a + b;
}

static void tasks(void)
{
    int x = 0, y = 0, z = 0, many[N] = {0}, group = 0, reduced = 0, sum = 0;
    long fifth = 0;

#pragma omp parallel
#pragma omp single
    fifth = fibonacci(5);
    is("tasks", fifth, 5);
#pragma omp parallel
#pragma omp single
    {
#pragma omp task depend(out : x)
        x = 1;
#pragma omp task depend(in : x) depend(out : y)
        y = x + 1;
#pragma omp task depend(in : x, y)
        z = x + y;
#pragma omp taskloop grainsize(3)
        for (int i = 0; i < N; i++)
            many[i] = i + 1;
#pragma omp taskgroup
        {
#pragma omp task
            {
#pragma omp task
#pragma omp atomic
                group++;
            }
        }
        is("group of tasks", group, 1);
#pragma omp taskgroup task_reduction(+ : reduced)
        for (int i = 0; i < 4; i++)
#pragma omp task in_reduction(+ : reduced)
            reduced += i;
    }
    for (int i = 0; i < N; i++)
        sum += many[i];
    is("tasks that depend", z, 3);
    is("loop of tasks", sum, N * (N + 1) / 2);
    is("reduction by tasks", reduced, 6);
}

static void teams_in_teams(void)
{
    int inner = 0;

    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
#pragma omp atomic
    inner++;
    is("teams in teams", inner, 4);
}

int main(void)
{
    omp_set_dynamic(0);
    omp_set_num_threads(THREADS);
    loops();
    two_loops();
    sections_and_single();
    locks();
    tasks();
    teams_in_teams();
    puts(failed ? "wrong" : "all is well");
    return failed;
}
