/* philosophers.c -- each of four philosophers has taken the left fork, and waits for the right.
   expect: deadlock
   needs: sync */
#include <assert.h>
#include <pthread.h>

enum { SEATS = 4 };

static pthread_mutex_t forks[SEATS];
static int meals[SEATS];

static void *dine(void *argument)
{
    int *meal = argument;
    int left = (int)(meal - meals), right = (left + 1) % SEATS;

#ifdef FIXED
    if (right < left) { /* one of them is left-handed */
        right = left;
        left = 0;
    }
#endif
    pthread_mutex_lock(&forks[left]);
    pthread_mutex_lock(&forks[right]);
    *meal += 1;
    pthread_mutex_unlock(&forks[right]);
    pthread_mutex_unlock(&forks[left]);
    return NULL;
}

int main(void)
{
    pthread_t philosophers[SEATS];

    for (int i = 0; i < SEATS; i++)
        pthread_mutex_init(&forks[i], NULL);
    for (int i = 0; i < SEATS; i++)
        pthread_create(&philosophers[i], NULL, dine, &meals[i]);
    for (int i = 0; i < SEATS; i++)
        pthread_join(philosophers[i], NULL);
    for (int i = 0; i < SEATS; i++) {
        assert(meals[i] == 1);
        pthread_mutex_destroy(&forks[i]);
    }
    return 0;
}
