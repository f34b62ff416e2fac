/* ways.c -- a program that ends as its argument says, when its two threads meet in a certain
 * order: the second sets a flag before the first has looked at it. */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int flag;
static const char *way;

static void go_wrong(void)
{
    if (strcmp(way, "assert") == 0)
        assert(!flag);
    if (strcmp(way, "crash") == 0)
        *(volatile int *)8 = 1;
    if (strcmp(way, "abort") == 0)
        abort();
    if (strcmp(way, "exit") == 0)
        exit(7);
    if (strcmp(way, "print") == 0)
        puts("the other way round");
    if (strcmp(way, "spin") == 0)
        for (;;)
            continue;
    if (strcmp(way, "try") == 0 && pthread_mutex_trylock(&lock) == 0)
        while (pthread_mutex_trylock(&lock))
            continue;
}

static int seen_flag(void)
{
    int seen;

    pthread_mutex_lock(&lock);
    seen = flag;
    pthread_mutex_unlock(&lock);
    return seen;
}

static void *look(void *unused)
{
    if (seen_flag())
        go_wrong();
    while (strcmp(way, "poll") == 0 && !seen_flag())
        continue;
    return unused;
}

static void *set(void *unused)
{
    pthread_mutex_lock(&lock);
    flag = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

/* What standard input holds, and whether the environment shows traces of anybody. */
static void tell(void)
{
    char line[100];

    while (fgets(line, sizeof line, stdin))
        printf("read %s", line);
    printf("preload %s\n", getenv("LD_PRELOAD") ? getenv("LD_PRELOAD") : "none");
    for (char **variable = environ; *variable; variable++)
        if (strncmp(*variable, "RADDLE_TAKE", 11) == 0)
            puts(*variable);
}

/* Say where we are, and go on for ever. */
static void be_deaf(void)
{
    FILE *out;

    signal(SIGTERM, SIG_IGN);
    signal(SIGINT, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    setsid();
    out = fopen("deaf.fifo", "w");
    fprintf(out, "deaf\n");
    fflush(out); /* it stays open as long as we are there */
    for (;;)
        continue;
}

int main(int argc, char **argv)
{
    pthread_t one, two;

    way = argc > 1 ? argv[1] : "";
    if (strcmp(way, "tell") == 0)
        tell();
    if (strcmp(way, "deaf") == 0)
        be_deaf();
    if (strcmp(way, "forever") == 0)
        for (;;)
            continue;
    pthread_create(&one, NULL, look, NULL);
    pthread_create(&two, NULL, set, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return strcmp(way, "three") == 0 ? 3 : 0;
}
