/* tickets.c -- two clerks look how many tickets are left, and note that there is one less: in two
 * steps.  Its argument says how it fails then: assert, exit or print; or does not: locked. */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, counter = PTHREAD_MUTEX_INITIALIZER;
static int left = 2;
static bool takes_turns;

static int look(void)
{
    int now;

    pthread_mutex_lock(&lock);
    now = left;
    pthread_mutex_unlock(&lock);
    return now;
}

static void note(int now)
{
    pthread_mutex_lock(&lock);
    left = now;
    pthread_mutex_unlock(&lock);
}

static void *sell(void *unused)
{
    if (takes_turns)
        pthread_mutex_lock(&counter);
    note(look() - 1);
    if (takes_turns)
        pthread_mutex_unlock(&counter);
    return unused;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    pthread_t clerks[2];

    takes_turns = strcmp(how, "locked") == 0;
    for (int i = 0; i < 2; i++)
        pthread_create(&clerks[i], NULL, sell, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(clerks[i], NULL);
    if (strcmp(how, "assert") == 0)
        assert(left == 0);
    if (strcmp(how, "print") == 0)
        printf("%d left\n", left);
    return strcmp(how, "exit") == 0 && left != 0 ? 3 : 0;
}
