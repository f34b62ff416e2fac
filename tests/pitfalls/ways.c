/* ways.c -- pitfalls that end a process, or that only a whole program has; which one is the
 * first argument. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int plain_flag, ended;

/* ---- A loop that an optimiser has made endless ---- */

static void *raise_flag(void *unused)
{
    pthread_mutex_lock(&lock);
    plain_flag = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

static int hoisted(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, raise_flag, NULL);
    while (!plain_flag)
        ; /* WAITS */
    return pthread_join(thread, NULL);
}

/* ---- Out of stack ---- */

static int endless(int depth)
{
    volatile char frame[4096];

    frame[0] = (char)depth;
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return depth < 0 ? 0 : endless(depth + 1) + frame[0];
}

static void *overflow(void *unused)
{
    endless(0);
    return unused;
}

static int out_of_stack(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, overflow, NULL);
    return pthread_join(thread, NULL);
}

/* ---- Handlers at the end ---- */

static void say_end(void)
{
    pthread_mutex_lock(&lock);
    ended++;
    pthread_mutex_unlock(&lock);
    if (ended == 3)
        printf("three handlers\n");
}

static void *register_end(void *unused)
{
    atexit(say_end);
    sched_yield();
    return unused;
}

static int at_exit(void)
{
    pthread_t one, two;

    pthread_create(&one, NULL, register_end, NULL);
    pthread_create(&two, NULL, register_end, NULL);
    register_end(NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}

/* ---- An owner that dies ---- */

static pthread_mutex_t robust;

static void *die_with_lock(void *unused)
{
    pthread_mutex_lock(&robust);
    return unused;
}

static int orphaned(void)
{
    pthread_mutexattr_t attributes;
    pthread_t thread;
    int why;

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&robust, &attributes);
    pthread_create(&thread, NULL, die_with_lock, NULL);
    why = pthread_mutex_lock(&robust);
    if (why == EOWNERDEAD)
        pthread_mutex_consistent(&robust);
    pthread_mutex_unlock(&robust);
    pthread_join(thread, NULL);
    why = pthread_mutex_lock(&robust);
    return why != 0 && why != EOWNERDEAD;
}

/* ---- A process that is made while others hold locks ---- */

static void *print_often(void *unused)
{
    for (int i = 0; i < 3; i++) {
        char *memory = malloc(1000);

        fprintf(stderr, ".");
        free(memory);
        sched_yield();
    }
    return unused;
}

static int forked(void)
{
    pthread_t thread;
    int status;
    pid_t child;

    pthread_create(&thread, NULL, print_often, NULL);
    sched_yield();
    child = fork();
    if (child == 0) {
        pthread_t own;
        char *memory = malloc(100);

        free(memory);
        pthread_create(&own, NULL, print_often, NULL); /* not controlled, but a thread */
        pthread_join(own, NULL);
        exit(strlen("three"));
    }
    waitpid(child, &status, 0);
    pthread_join(thread, NULL);
    return !WIFEXITED(status) || WEXITSTATUS(status) != 5;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(void);
    } ways[] = {{"hoisted", hoisted},
                {"stack", out_of_stack},
                {"atexit", at_exit},
                {"robust", orphaned},
                {"fork", forked}};

    for (size_t i = 0; argc == 2 && i < sizeof ways / sizeof *ways; i++)
        if (strcmp(argv[1], ways[i].name) == 0)
            return ways[i].run();
    return 64;
}
