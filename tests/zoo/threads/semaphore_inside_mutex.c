/* semaphore_inside_mutex.c -- a producer waits for a slot, holding the lock that freeing it takes.
   expect: deadlock
   needs: sync */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

enum { SLOTS = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t free_slots, used_slots;
static int used;

static void put(void)
{
#ifdef FIXED
    sem_wait(&free_slots);
    pthread_mutex_lock(&lock);
#else
    pthread_mutex_lock(&lock);
    sem_wait(&free_slots);
#endif
    used++;
    assert(used <= SLOTS);
    pthread_mutex_unlock(&lock);
    sem_post(&used_slots);
}

static void *put_items(void *count)
{
    for (int i = 0; i < *(const int *)count; i++)
        put();
    return NULL;
}

static void *take_items(void *count)
{
    for (int i = 0; i < *(const int *)count; i++) {
        sem_wait(&used_slots);
        pthread_mutex_lock(&lock);
        used--;
        pthread_mutex_unlock(&lock);
        sem_post(&free_slots);
    }
    return NULL;
}

int main(void)
{
    void *(*const jobs[3])(void *) = {put_items, take_items, put_items};
    int counts[3] = {2, 3, 1};
    pthread_t threads[3];

    sem_init(&free_slots, 0, SLOTS);
    sem_init(&used_slots, 0, 0);
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, jobs[i], &counts[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert(used == 0);
    sem_destroy(&used_slots);
    sem_destroy(&free_slots);
    return 0;
}
