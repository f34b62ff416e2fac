/* late.c -- the last thread that is left, while others have ended and are not joined.
 *
 * Main and a writer each add one to a number in the environment; a reader looks twice.  Only if
 * main reads after the writer's write, and writes when the writer has ended, does the writer see
 * 1 and the reader 2.  In the schedules that show this order is possible, main writes as the last
 * thread of all. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int seen_by_writer, seen_by_reader;

static int number(void)
{
    const char *text = getenv("NUMBER");

    return text ? atoi(text) : 0;
}

static void add_one(void)
{
    char text[16];

    snprintf(text, sizeof text, "%d", number() + 1);
    setenv("NUMBER", text, 1);
}

static void *write_and_look(void *unused)
{
    add_one();
    seen_by_writer = number();
    return unused;
}

static void *look(void *unused)
{
    seen_by_reader = number() ? number() : 0;
    return unused;
}

int main(void)
{
    pthread_t writer, reader;

    pthread_create(&writer, NULL, write_and_look, NULL);
    pthread_create(&reader, NULL, look, NULL);
    add_one();
    pthread_join(writer, NULL);
    pthread_join(reader, NULL);
    assert(!(seen_by_writer == 1 && seen_by_reader == 2));
    return 0;
}
