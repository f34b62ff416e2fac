/* semaphore_of_two.c -- a semaphore used as a lock starts at 2: two threads print at the same time.
   expect: assertion|race
   needs: sync */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>

static sem_t printer;
static bool is_printing;
static pthread_mutex_t pages_lock = PTHREAD_MUTEX_INITIALIZER;
static int pages;

static void *print_page(void *unused)
{
    (void)unused;
    sem_wait(&printer);
    assert(!is_printing);
    is_printing = true;
    pthread_mutex_lock(&pages_lock);
    pages++;
    pthread_mutex_unlock(&pages_lock);
    is_printing = false;
    sem_post(&printer);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];

#ifdef FIXED
    sem_init(&printer, 0, 1);
#else
    sem_init(&printer, 0, 2);
#endif
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, print_page, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    sem_destroy(&printer);
    assert(pages == 2);
    return 0;
}
