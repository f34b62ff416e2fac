/* test_pitfalls.c -- what goes wrong easily when threads of the C library's are run by
 * another thread than their own: what belongs to each of them, what belongs to the real
 * thread, and locks inside the C library.  Other tests have the rest: test_threads.c,
 * test_signals.c, test_processes.c, test_futex.c, test_primitives*.c, run_pitfalls.sh. */
#include <dlfcn.h>
#include <errno.h>
#include <netdb.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "world.h"

/* ---- What belongs to each thread -------------------------------------------------------- */

static void *keep_errno(void *number)
{
    errno = (int)(intptr_t)number;
    for (int i = 0; i < 3; i++) {
        sched_yield();
        CHECK_EQ(errno, (intptr_t)number);
    }
    return NULL;
}

static void errnos(void)
{
    pthread_t one = start(keep_errno, (void *)7), two = start(keep_errno, (void *)8);

    errno = 9;
    sched_yield();
    CHECK_EQ(errno, 9);
    join(one);
    join(two);
    CHECK_EQ(errno, 9);
}

TEST(each_thread_has_an_errno_of_its_own)
{
    EXPECT_STR(outcomes_by_chance(errnos, 300, 0), "done");
}

static __thread int counted = 10;
static __thread char large[5000];

static void *count_up(void *unused)
{
    CHECK_EQ(counted, 10);
    CHECK_EQ(large[4999], 0);
    counted++;
    large[4999] = 1;
    sched_yield();
    CHECK_EQ(counted, 11);
    return unused;
}

static void thread_locals(void)
{
    for (int i = 0; i < 2; i++) {
        pthread_t one = start(count_up, NULL), two = start(count_up, NULL);

        join(one);
        join(two);
    }
}

TEST(thread_local_variables_begin_anew_in_each_execution)
{
    EXPECT_STR(outcomes_by_chance(thread_locals, 300, 0), "done");
}

static void *know_own_stack(void *unused)
{
    pthread_attr_t attributes;
    size_t size, guard;
    void *low;

    CHECK_EQ(pthread_getattr_np(pthread_self(), &attributes), 0);
    CHECK_EQ(pthread_attr_getstack(&attributes, &low, &size), 0);
    CHECK_EQ(pthread_attr_getguardsize(&attributes, &guard), 0);
    pthread_attr_destroy(&attributes);
    CHECK_EQ((uintptr_t)&size - (uintptr_t)low < size, true);
    CHECK_EQ(guard > 0, !unused);
    return unused;
}

static void own_stacks(void)
{
    pthread_t one = start(know_own_stack, NULL), two = start(know_own_stack, NULL);

    know_own_stack(&one);
    join(one);
    join(two);
}

TEST(each_thread_knows_the_stack_it_runs_on)
{
    EXPECT_STR(outcomes_by_chance(own_stacks, 300, 0), "done");
}

static void *name_by_number(void *name)
{
    char seen[16] = "";

    CHECK_EQ(prctl(PR_SET_NAME, name), 0);
    sched_yield();
    CHECK_EQ(prctl(PR_GET_NAME, seen), 0);
    CHECK_EQ(strcmp(seen, name), 0);
    CHECK_EQ(syscall(SYS_prctl, PR_GET_NAME, seen), 0);
    CHECK_EQ(strcmp(seen, name), 0);
    CHECK_EQ(pthread_getname_np(pthread_self(), seen, sizeof seen), 0);
    CHECK_EQ(strcmp(seen, name), 0);
    return NULL;
}

static void names_by_number(void)
{
    pthread_t one = start(name_by_number, "one"), two = start(name_by_number, "two");

    join(one);
    join(two);
}

TEST(a_name_that_the_kernel_is_told_is_the_threads)
{
    EXPECT_STR(outcomes_by_chance(names_by_number, 300, 0), "done");
}

/* ---- What belongs to the real thread ---------------------------------------------------- */

static uint64_t cpu_time_of(pthread_t thread)
{
    struct timespec used = {0};
    clockid_t clock;

    CHECK_EQ(pthread_getcpuclockid(thread, &clock), 0);
    CHECK_EQ(clock_gettime(clock, &used), 0);
    return (uint64_t)used.tv_sec * 1000000000 + (uint64_t)used.tv_nsec;
}

static void *use_cpu_time(void *unused)
{
    uint64_t before = cpu_time_of(pthread_self());
    struct timespec used;

    sched_yield();
    CHECK_EQ(cpu_time_of(pthread_self()) > before, true);
    CHECK_EQ(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used), 0);
    put(1, "%ld.%09ld ", (long)used.tv_sec, used.tv_nsec);
    return unused;
}

static void cpu_clocks(void)
{
    pthread_t thread = start(use_cpu_time, NULL);

    CHECK_EQ(clock() >= 0, true);
    join(thread);
}

/* The same in each run of a schedule: what it is in the simplest one is always the same. */
TEST(clocks_of_cpu_time_go_on_and_are_the_same_every_time)
{
    char *first = strdup(outcomes_of(cpu_clocks));

    EXPECT_LACKS(first, "line");
    for (int i = 0; i < 3; i++)
        EXPECT_STR(outcomes_of(cpu_clocks), first);
    free(first);
}

static void *ask_for_cpus(void *unused)
{
    struct sched_param parameters;
    cpu_set_t cpus;
    int policy;

    CHECK_EQ(pthread_getaffinity_np(pthread_self(), sizeof cpus, &cpus), 0);
    CHECK_EQ(CPU_COUNT(&cpus) > 0, true);
    CHECK_EQ(pthread_getschedparam(pthread_self(), &policy, &parameters), 0);
    CHECK_EQ(pthread_setschedparam(pthread_self(), policy, &parameters), 0);
    return unused;
}

static void cpus(void)
{
    join(start(ask_for_cpus, NULL));
}

TEST(threads_may_be_asked_where_and_how_they_run)
{
    EXPECT_STR(outcomes_by_chance(cpus, 300, 0), "done");
}

/* ---- Locks inside the C library --------------------------------------------------------- */

static void *use_heap(void *unused)
{
    char *blocks[20];

    for (size_t i = 0; i < 20; i++) {
        blocks[i] = malloc(i * i * 100 + 1);
        blocks[i][i * i * 100] = (char)i;
        if (i % 7 == 0)
            sched_yield();
    }
    for (size_t i = 0; i < 20; i++) {
        CHECK_EQ(blocks[i][i * i * 100], i);
        blocks[i] = realloc(blocks[i], i + 1);
        free(blocks[i]);
    }
    return unused;
}

static void heaps(void)
{
    together(2, use_heap, use_heap);
}

TEST(what_one_thread_allocates_another_can_free_in_between)
{
    EXPECT_STR(outcomes_by_chance(heaps, 300, 0), "done");
}

static void *print_and_look_up(void *stream)
{
    struct addrinfo *found = NULL, hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    char day[40];
    time_t when = 86400;

    /* Not by name: who knows it, and how soon, is a matter of the machine. */
    CHECK_EQ(getaddrinfo("127.0.0.1", "80", &hints, &found), 0);
    if (found)
        freeaddrinfo(found);
    CHECK_EQ(strftime(day, sizeof day, "%F", localtime_r(&when, &(struct tm){0})), 10);
    CHECK_EQ(fprintf(stream, "%s\n", day), 11);
    CHECK_EQ(getenv("PATH") != NULL, true);
    return NULL;
}

static void libraries_inside(void)
{
    FILE *stream = tmpfile();
    pthread_t one = start(print_and_look_up, stream), two = start(print_and_look_up, stream);

    join(one);
    join(two);
    CHECK_EQ(ftell(stream), 22);
    fclose(stream);
}

TEST(functions_with_locks_inside_can_be_used_by_several_threads)
{
    EXPECT_STR(outcomes_by_chance(libraries_inside, 200, 0), "done");
}

/* ---- Stacks and jumps ------------------------------------------------------------------- */

static int deep(int depth)
{
    volatile char frame[1000];

    frame[depth % 1000] = 1;
    if (depth % 500 == 0)
        sched_yield();
    return depth == 0 ? 0 : deep(depth - 1) + frame[depth % 1000];
}

static void *go_deep(void *unused)
{
    CHECK_EQ(deep(5000), 5000); /* five megabytes of eight */
    return unused;
}

static void deep_stacks(void)
{
    together(2, go_deep, go_deep);
}

TEST(threads_may_call_as_deep_as_they_could_elsewhere)
{
    EXPECT_STR(outcomes_by_chance(deep_stacks, 20, 0), "done");
}

static void *jump_back(void *unused)
{
    volatile int jumps = 0;
    jmp_buf place;

    setjmp(place);
    sched_yield();
    if (++jumps < 4)
        longjmp(place, 1);
    CHECK_EQ(jumps, 4);
    return unused;
}

static void jumps(void)
{
    together(2, jump_back, jump_back);
}

TEST(threads_may_jump_while_others_run)
{
    EXPECT_STR(outcomes_by_chance(jumps, 300, 0), "done");
}

/* ---- Functions that are looked up -------------------------------------------------------- */

static void *wait_by_name(void *unused)
{
    int (*wait)(pthread_cond_t *, pthread_mutex_t *) =
        (__typeof__(wait))dlsym(RTLD_DEFAULT, "pthread_cond_wait");
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

    pthread_mutex_lock(&mutex);
    wait(&condition, &mutex);
    return unused;
}

static void waiting_by_name(void)
{
    join(start(wait_by_name, NULL));
}

TEST(functions_that_are_looked_up_by_name_are_ours)
{
    EXPECT_STR(outcomes_of(waiting_by_name), "deadlock");
}
