/* stacks.c -- a variable on one thread's stack that another finds by a detour; with the
 * argument "locked", properly. */
#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *shared;
static int locked;

static void add(int *number)
{
    if (locked)
        pthread_mutex_lock(&lock);
    ++*number;
    if (locked)
        pthread_mutex_unlock(&lock);
}

static void *run(void *unused)
{
    add(shared);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    int number = 0;

    locked = argc > 1 && strcmp(argv[1], "locked") == 0;
    shared = &number;
    pthread_create(&thread, NULL, run, NULL);
    add(&number);
    pthread_join(thread, NULL);
    return number != 2;
}
