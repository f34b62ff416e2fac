/* policy.c -- a thread changes how the main thread is scheduled by the kernel, by its pthread_t.
 * Every execution begins with the policy that the program was started with. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>

static pthread_t first;

static void *change(void *unused)
{
    pthread_setschedparam(first, SCHED_BATCH, &(struct sched_param){0});
    return unused;
}

int main(void)
{
    pthread_t thread;

    assert(sched_getscheduler(0) == SCHED_OTHER);
    first = pthread_self();
    pthread_create(&thread, NULL, change, NULL);
    pthread_join(thread, NULL);
    return 0;
}
