/* files.c -- a program that leaves a file, or looks at one that was left. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *take(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    pthread_t one, two;
    FILE *file;

    pthread_create(&one, NULL, take, NULL);
    pthread_create(&two, NULL, take, NULL);
    if (strcmp(how, "looks") == 0 && access("left", F_OK) == 0)
        how = "removes";
    file = fopen("left", strcmp(how, "appends") == 0 ? "a" : "w");
    if (file)
        fclose(file);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    if (strcmp(how, "removes") == 0)
        unlink("left");
    return 0;
}
