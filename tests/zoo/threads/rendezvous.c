/* rendezvous.c -- when nothing is cached, each side waits for the other before it shows itself.
   expect: deadlock
   needs: sync */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>

static sem_t client_is_here, server_is_here;
static atomic_bool is_cached;

static void *fill_cache(void *unused)
{
    (void)unused;
    atomic_store(&is_cached, true);
    return NULL;
}

static void *ask(void *unused)
{
    (void)unused;
    if (atomic_load(&is_cached))
        return NULL;
#ifdef FIXED
    sem_post(&client_is_here);
    sem_wait(&server_is_here);
#else
    sem_wait(&server_is_here);
    sem_post(&client_is_here);
#endif
    return NULL;
}

static void *serve(void *unused)
{
    (void)unused;
    sem_wait(&client_is_here);
    sem_post(&server_is_here);
    return NULL;
}

int main(void)
{
    pthread_t filler, client, server;

    sem_init(&client_is_here, 0, 0);
    sem_init(&server_is_here, 0, 0);
    pthread_create(&filler, NULL, fill_cache, NULL);
    pthread_create(&client, NULL, ask, NULL);
    pthread_create(&server, NULL, serve, NULL);
    pthread_join(filler, NULL);
    pthread_join(client, NULL);
    sem_post(&client_is_here); /* the server may go home, even if it was not needed */
    pthread_join(server, NULL);
    sem_destroy(&client_is_here);
    sem_destroy(&server_is_here);
    return 0;
}
