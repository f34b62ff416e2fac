/* audit_in_flight.c -- the auditor adds up both accounts while money is in neither of them.
   expect: assertion
   needs: sync */
#include <assert.h>
#include <pthread.h>

static struct account {
    pthread_mutex_t lock;
    int balance;
} savings = {PTHREAD_MUTEX_INITIALIZER, 70}, current = {PTHREAD_MUTEX_INITIALIZER, 30};

static void *transfer(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&savings.lock);
    savings.balance -= 10;
#ifndef FIXED
    pthread_mutex_unlock(&savings.lock);
#endif
    pthread_mutex_lock(&current.lock);
    current.balance += 10;
    pthread_mutex_unlock(&current.lock);
#ifdef FIXED
    pthread_mutex_unlock(&savings.lock);
#endif
    return NULL;
}

static void *audit(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&savings.lock);
    pthread_mutex_lock(&current.lock);
    assert(savings.balance + current.balance == 100);
    pthread_mutex_unlock(&current.lock);
    pthread_mutex_unlock(&savings.lock);
    return NULL;
}

int main(void)
{
    pthread_t clerk, auditor;

    pthread_create(&clerk, NULL, transfer, NULL);
    pthread_create(&auditor, NULL, audit, NULL);
    pthread_join(clerk, NULL);
    pthread_join(auditor, NULL);
    return 0;
}
