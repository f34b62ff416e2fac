/* stacks.c -- a variable on one thread's stack that another finds by a detour; with the
 * argument "locked", properly; with "ended", maybe when the thread has ended. */
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

static void *publish(void *unused)
{
    int number = 0;

    __atomic_store_n(&shared, &number, __ATOMIC_RELAXED);
    number++;
    return unused;
}

static void *find(void *unused)
{
    int *found = __atomic_load_n(&shared, __ATOMIC_RELAXED);

    if (found)
        *found = 5;
    return unused;
}

static int find_ended(void)
{
    pthread_t finder, publisher;

    pthread_create(&finder, NULL, find, NULL);
    pthread_create(&publisher, NULL, publish, NULL);
    pthread_join(finder, NULL);
    pthread_join(publisher, NULL);
    return 0;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    int number = 0;

    if (argc > 1 && strcmp(argv[1], "ended") == 0)
        return find_ended();
    locked = argc > 1 && strcmp(argv[1], "locked") == 0;
    shared = &number;
    pthread_create(&thread, NULL, run, NULL);
    add(&number);
    pthread_join(thread, NULL);
    return number != 2;
}
