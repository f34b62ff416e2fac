/* tests.c -- a test whose code under test has functions by names of the C library's. */
#include <pthread.h>
#include <raddle.h>

#include "names.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *text)
{
    pthread_mutex_lock(&lock);
    qsort(text, strlen(text), 1, NULL);
    pthread_mutex_unlock(&lock);
    return NULL;
}

RDL_EXPLORE(calls_are_those_of_the_test)
{
    char text[8];
    pthread_t thread;

    memset(text, 0, sizeof text);
    pthread_create(&thread, NULL, work, text);
    work(text);
    pthread_join(thread, NULL);
    rdl_check_eq(calls[QSORT], 2);
    rdl_check_eq(calls[STRLEN], 2);
    rdl_check_eq(calls[MEMSET], 1);
    rdl_check_eq(strcmp(text, "a") < 0, 1);
    rdl_check_eq(calls[STRCMP], 1);
    rdl_check_eq(calls[GETENV], 0);
}

RDL_MAIN
