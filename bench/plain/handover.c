/* handover.c -- what it costs to go from one thread to another and back, without Raddle.
 *
 * Usage: handover context|futex|condition TIMES
 *
 * context    two contexts of one thread, by swapcontext
 * futex      two threads, each of which wakes the other and sleeps
 * condition  the same by pthread_cond_signal and pthread_cond_wait
 *
 * Prints the CPU time of TIMES switches. */
#include <linux/futex.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

static long times;

static void report(void)
{
    struct rusage used;

    getrusage(RUSAGE_SELF, &used);
    printf("cpu=%.6f\n", (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                             (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6);
}

/* ---- Contexts ------------------------------------------------------------------------ */

static ucontext_t here, there;
static char stack[64 * 1024];

static void go_back(void)
{
    for (;;)
        swapcontext(&there, &here);
}

static void by_context(void)
{
    getcontext(&there);
    there.uc_stack.ss_sp = stack;
    there.uc_stack.ss_size = sizeof stack;
    makecontext(&there, go_back, 0);
    for (long i = 0; i < times / 2; i++)
        swapcontext(&here, &there);
}

/* ---- Threads --------------------------------------------------------------------------- */

static int turn; /* whose: 0 or 1 */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t conditions[2] = {PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER};

static void *hand_over_by_futex(void *argument)
{
    int me = argument != NULL;

    for (long i = 0; i < times / 2; i++) {
        while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != me)
            syscall(SYS_futex, &turn, FUTEX_WAIT_PRIVATE, !me, NULL, NULL, 0);
        __atomic_store_n(&turn, !me, __ATOMIC_RELEASE);
        syscall(SYS_futex, &turn, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    }
    return NULL;
}

static void *hand_over_by_condition(void *argument)
{
    int me = argument != NULL;

    pthread_mutex_lock(&mutex);
    for (long i = 0; i < times / 2; i++) {
        while (turn != me)
            pthread_cond_wait(&conditions[me], &mutex);
        turn = !me;
        pthread_cond_signal(&conditions[turn]);
    }
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void by_threads(void *(*run)(void *argument))
{
    pthread_t other;

    pthread_create(&other, NULL, run, &turn);
    run(NULL);
    pthread_join(other, NULL);
}

int main(int argc, char **argv)
{
    times = argc == 3 ? atol(argv[2]) : 0;
    if (times > 0 && strcmp(argv[1], "context") == 0)
        by_context();
    else if (times > 0 && strcmp(argv[1], "futex") == 0)
        by_threads(hand_over_by_futex);
    else if (times > 0 && strcmp(argv[1], "condition") == 0)
        by_threads(hand_over_by_condition);
    else
        return 2;
    report();
    return 0;
}
