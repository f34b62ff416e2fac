/* loader.c -- counts with code that is loaded when its threads are there already; with an
 * argument, under a lock.  Only that code tells of its accesses. */
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t loaded;
static bool locked;
static void (*count)(void);

static void *run(void *unused)
{
    sem_wait(&loaded);
    if (locked)
        pthread_mutex_lock(&mutex);
    count();
    if (locked)
        pthread_mutex_unlock(&mutex);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t threads[2];
    void *library;

    (void)argv;
    locked = argc > 1;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, run, NULL);
    library = dlopen("./libcount.so", RTLD_NOW);
    count = (void (*)(void))dlsym(library, "count");
    if (!count)
        return EXIT_FAILURE;
    for (int i = 0; i < 2; i++)
        sem_post(&loaded);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
