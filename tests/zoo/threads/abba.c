/* abba.c -- two transfers in opposite directions each hold one account and wait for the other.
   expect: deadlock
   needs: sync */
#include <assert.h>
#include <pthread.h>

static struct account {
    pthread_mutex_t lock;
    int balance;
} accounts[2] = {{PTHREAD_MUTEX_INITIALIZER, 50}, {PTHREAD_MUTEX_INITIALIZER, 50}};

static void transfer(struct account *from, struct account *to, int amount)
{
    struct account *first = from, *second = to;

#ifdef FIXED
    if (to < from) { /* one order for all, whatever the direction */
        first = to;
        second = from;
    }
#endif
    pthread_mutex_lock(&first->lock);
    pthread_mutex_lock(&second->lock);
    from->balance -= amount;
    to->balance += amount;
    pthread_mutex_unlock(&second->lock);
    pthread_mutex_unlock(&first->lock);
}

static void *there(void *unused)
{
    (void)unused;
    transfer(&accounts[0], &accounts[1], 10);
    return NULL;
}

static void *back(void *unused)
{
    (void)unused;
    transfer(&accounts[1], &accounts[0], 25);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, there, NULL);
    pthread_create(&threads[1], NULL, back, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(accounts[0].balance == 65 && accounts[1].balance == 35);
    return 0;
}
