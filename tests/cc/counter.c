/* counter.c -- counts in several threads: without a lock if there is no argument, and
 * in a loop that waits for a plain variable if it is "wait". */
#include "counter.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int locked, flag;

static void *count_one(void *unused)
{
    if (locked)
        pthread_mutex_lock(&mutex);
    count();
    if (locked)
        pthread_mutex_unlock(&mutex);
    return unused;
}

static void *raise(void *unused)
{
    flag = 1;
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t threads[2];

    if (argc > 1 && strcmp(argv[1], "wait") == 0) {
        pthread_create(&threads[0], NULL, raise, NULL);
        while (!flag)
            ;
        return 0;
    }
    locked = argc > 1;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, count_one, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return counted() != 2;
}
