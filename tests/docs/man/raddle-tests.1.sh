cat >tests.c <<'END'
#include <pthread.h>
#include <raddle.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance;

static void deposit(void *unused)
{
    int seen;

    (void)unused;
    pthread_mutex_lock(&lock);
    seen = balance;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    balance = seen + 10;
    pthread_mutex_unlock(&lock);
}

RDL_EXPLORE(deposits_add_up)
{
    struct rdl_thread *one, *two;

    balance = 0;
    one = rdl_spawn(t, "one", deposit, NULL);
    two = rdl_spawn(t, "two", deposit, NULL);
    rdl_join(one);
    rdl_join(two);
    rdl_check_eq(balance, 20);
}

RDL_PROPERTY(pop_after_push, .tags = "slow")
{
    rdl_check_le(rdl_int(t, 0, 9), 9);
}

RDL_MAIN
END
cc -o tests tests.c $(pkg-config --cflags --libs raddle)
