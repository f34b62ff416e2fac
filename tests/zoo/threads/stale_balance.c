/* stale_balance.c -- interest is added to a balance read earlier; a deposit in between is lost.
   expect: assertion
   needs: sync */
#include <assert.h>
#include <stddef.h>
#include <threads.h>

static mtx_t lock;
static int balance = 100;

static int read_balance(void)
{
    int now;

    mtx_lock(&lock);
    now = balance;
    mtx_unlock(&lock);
    return now;
}

static int pay_interest(void *unused)
{
    int seen = read_balance();
    int interest = seen >= 100 ? 5 : 0;

    (void)unused;
    mtx_lock(&lock);
#ifdef FIXED
    balance += interest;
#else
    balance = seen + interest;
#endif
    mtx_unlock(&lock);
    return 0;
}

static int deposit(void *unused)
{
    (void)unused;
    mtx_lock(&lock);
    balance += 50;
    mtx_unlock(&lock);
    return 0;
}

int main(void)
{
    thrd_t bank, customer;

    mtx_init(&lock, mtx_plain);
    thrd_create(&bank, pay_interest, NULL);
    thrd_create(&customer, deposit, NULL);
    thrd_join(bank, NULL);
    thrd_join(customer, NULL);
    assert(balance == 155);
    mtx_destroy(&lock);
    return 0;
}
