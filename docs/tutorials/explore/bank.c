/* bank.c -- two transfers, in opposite directions. */
#include <pthread.h>

struct account {
    pthread_mutex_t lock;
    long balance;
};

static struct account alice = {PTHREAD_MUTEX_INITIALIZER, 100};
static struct account bob = {PTHREAD_MUTEX_INITIALIZER, 100};

static void transfer(struct account *from, struct account *to, long amount)
{
    pthread_mutex_lock(&from->lock);
    pthread_mutex_lock(&to->lock);
    from->balance -= amount;
    to->balance += amount;
    pthread_mutex_unlock(&to->lock);
    pthread_mutex_unlock(&from->lock);
}

static void *pay_bob(void *unused)
{
    transfer(&alice, &bob, 30);
    return unused;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, pay_bob, NULL);
    transfer(&bob, &alice, 50);
    return pthread_join(thread, NULL);
}
