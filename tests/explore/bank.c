/* bank.c -- two transfers between two accounts; the locks are taken in the order in which the
 * accounts are named.  With an argument, in the order of their addresses. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

struct account {
    pthread_mutex_t lock;
    int balance;
};

static struct account accounts[2] = {{PTHREAD_MUTEX_INITIALIZER, 100},
                                     {PTHREAD_MUTEX_INITIALIZER, 100}};
static int ordered;

static void transfer(struct account *from, struct account *to, int amount)
{
    struct account *first = ordered && to < from ? to : from;
    struct account *second = first == from ? to : from;

    pthread_mutex_lock(&first->lock);
    pthread_mutex_lock(&second->lock);
    from->balance -= amount;
    to->balance += amount;
    pthread_mutex_unlock(&second->lock);
    pthread_mutex_unlock(&first->lock);
}

static void *there(void *unused)
{
    transfer(&accounts[0], &accounts[1], 10);
    return unused;
}

static void *back(void *unused)
{
    transfer(&accounts[1], &accounts[0], 20);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t one, two;

    (void)argv;
    ordered = argc > 1;
    pthread_create(&one, NULL, there, NULL);
    pthread_create(&two, NULL, back, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(accounts[0].balance + accounts[1].balance == 200);
    printf("%d %d\n", accounts[0].balance, accounts[1].balance);
    return 0;
}
