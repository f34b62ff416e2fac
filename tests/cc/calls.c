/* calls.c -- two threads and a text that one of them lets the C library change, in the way
 * that the argument names; with a second argument, under a lock. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char text[16] = "text";
static const char *way;
static char *volatile copy; /* so that it is made */
static int locked, pipe_ends[2];

static void change(void)
{
    if (strcmp(way, "print") == 0)
        snprintf(text, sizeof text, "%d", 7);
    else if (strcmp(way, "zero") == 0)
        bzero(text + 1, 2);
    else if (read(pipe_ends[0], text, 2) != 2)
        abort();
}

static void *look(void *unused)
{
    if (locked)
        pthread_mutex_lock(&lock);
    copy = strdup(text);
    if (locked)
        pthread_mutex_unlock(&lock);
    free(copy);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t thread;

    way = argv[1];
    locked = argc > 2;
    if (pipe(pipe_ends) != 0 || write(pipe_ends[1], "ab", 2) != 2)
        return 1;
    pthread_create(&thread, NULL, look, NULL);
    if (locked)
        pthread_mutex_lock(&lock);
    change();
    if (locked)
        pthread_mutex_unlock(&lock);
    return pthread_join(thread, NULL);
}
