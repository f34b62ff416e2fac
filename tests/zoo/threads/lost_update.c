/* lost_update.c -- two deposits add to the balance they both read before either wrote; one is lost.
   expect: assertion|race
   needs: access */
#include <assert.h>
#include <pthread.h>

static int balance;
#ifdef FIXED
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#endif

static void *deposit(void *amount)
{
#ifdef FIXED
    pthread_mutex_lock(&lock);
#endif
    balance += *(const int *)amount;
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
    return NULL;
}

int main(void)
{
    int amounts[2] = {3, 4};
    pthread_t tellers[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&tellers[i], NULL, deposit, &amounts[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(tellers[i], NULL);
    assert(balance == 7);
    return 0;
}
