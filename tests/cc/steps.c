/* steps.c -- two threads that take as many steps as the argument says, each with a variable of
 * its own.  To begin is the first step of the one that is created. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

static atomic_int mine, others;

static void *take_steps(void *count)
{
    for (int i = 1; i < (int)(intptr_t)count; i++)
        atomic_fetch_add(&others, 1);
    return NULL;
}

int main(int argc, char **argv)
{
    int count = argc > 1 ? atoi(argv[1]) : 1;
    pthread_t thread;

    pthread_create(&thread, NULL, take_steps, (void *)(intptr_t)count);
    for (int i = 0; i < count; i++)
        atomic_fetch_add(&mine, 1);
    pthread_join(thread, NULL);
    return mine + others != 2 * count - 1;
}
