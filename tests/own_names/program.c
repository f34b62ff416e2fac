/* program.c -- two threads call the functions of names.h, one after the other, and main counts.
 *
 * ./program correct      the status is 0 if nobody else has called them
 * ./program deadlock     two locks taken in two orders, with calls between them
 * ./program race         an access that the lock does not protect */
#include <pthread.h>

#include "names.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
static int shared;
static char what;

static int call_each(void)
{
    char text[8], copy[8];
    int wrong = 0;

    memset(text, 'a', 7);
    text[7] = '\0';
    memcpy(copy, text, 8);
    memmove(copy + 1, copy, 2);
    wrong += memcmp(copy, text, 8) != 0 || strcmp(copy, text) != 0 || strncmp(copy, text, 3) != 0;
    wrong += strlen(text) != 7 || strchr(text, 'b') != NULL || strrchr(text, 'a') != text + 6;
    qsort(text, 7, 1, NULL);
    wrong += bsearch(text, copy, 7, 1, NULL) != NULL || getenv("HOME") != NULL;
    wrong +=
        snprintf(copy, 8, "b") != 0 || mmap(NULL, 1, 0, 0, 0, 0) != NULL || munmap(text, 1) != 0;
    wrong += sysconf(0) != 0 || puts(text) != 0 || dup(77) != 77 || mprotect(text, 1, 0) != 0;
    return wrong;
}

static void *work(void *unused)
{
    if (what == 'd')
        pthread_mutex_lock(&other);
    pthread_mutex_lock(&lock);
    shared += call_each();
    pthread_mutex_unlock(&lock);
    if (what == 'd')
        pthread_mutex_unlock(&other);
    if (what == 'r')
        shared++; /* RACE */
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t thread;

    what = argc > 1 ? argv[1][0] : 'c';
    pthread_create(&thread, NULL, work, NULL);
    pthread_mutex_lock(&lock);
    if (what == 'd')
        pthread_mutex_lock(&other);
    shared += call_each();
    if (what == 'd')
        pthread_mutex_unlock(&other);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    if (what == 'r')
        return 0;
    for (int i = 0; i < NAMES; i++)
        if (calls[i] != 2)
            return 10 + i;
    return shared;
}
