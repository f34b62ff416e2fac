/* schedules.c -- tests whose threads fail together, in every way they can. */
#include <assert.h>
#include <pthread.h>
#include <raddle.h>
#include <stdlib.h>

static pthread_mutex_t lock, other_lock;
static pthread_cond_t filled;
static int balance;
static bool is_full;

static void reset(void)
{
    lock = other_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    filled = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    balance = 0;
    is_full = false;
}

static void run_two(struct rdl_case *t, void (*run_one)(void *), void (*run_other)(void *))
{
    struct rdl_thread *one, *two;

    reset();
    one = rdl_spawn(t, "one", run_one, t);
    two = rdl_spawn(t, "two", run_other, t);
    rdl_join(one);
    rdl_join(two);
}

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
    run_two(t, deposit, deposit);
    rdl_check_eq(balance, 20);
}

static void deposit_at_once(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    balance += 10;
    pthread_mutex_unlock(&lock);
}

RDL_EXPLORE(deposits_at_once_add_up, .cases = 100)
{
    run_two(t, deposit_at_once, deposit_at_once);
    rdl_check_eq(balance, 20);
}

static void lock_in_order(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    pthread_mutex_lock(&other_lock);
    pthread_mutex_unlock(&other_lock);
    pthread_mutex_unlock(&lock);
}

static void lock_in_another_order(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&other_lock);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    pthread_mutex_unlock(&other_lock);
}

RDL_EXPLORE(locks_are_taken_in_one_order)
{
    run_two(t, lock_in_order, lock_in_another_order);
}

static void await_filling(void *unused)
{
    (void)unused;
    if (is_full)
        return;
    pthread_mutex_lock(&lock);
    pthread_cond_wait(&filled, &lock);
    pthread_mutex_unlock(&lock);
}

static void fill(void *unused)
{
    (void)unused;
    is_full = true;
    pthread_mutex_lock(&lock);
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&lock);
}

RDL_EXPLORE(waiters_are_woken)
{
    run_two(t, await_filling, fill);
}

/* ---- Wrong uses ---- */

static void unlock(void *unused)
{
    (void)unused;
    pthread_mutex_unlock(&lock);
}

static void hold_for_a_while(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    rdl_yield();
    pthread_mutex_unlock(&lock);
}

RDL_EXPLORE(strangers_unlock_nothing)
{
    struct rdl_thread *one, *two;

    reset();
    one = rdl_spawn(t, "owner", hold_for_a_while, NULL);
    rdl_yield();
    two = rdl_spawn(t, "stranger", unlock, NULL);
    rdl_join(one);
    rdl_join(two);
}

RDL_EXPLORE(what_is_destroyed_is_not_used)
{
    pthread_mutex_t *mutex = rdl_alloc(t, sizeof *mutex);

    pthread_mutex_init(mutex, NULL);
    pthread_mutex_destroy(mutex);
    rdl_check_eq(pthread_mutex_lock(mutex), 0);
}

/* ---- Threads that fail alone ---- */

static void assert_that_it_is_empty(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    rdl_assert_always(!is_full);
    pthread_mutex_unlock(&lock);
}

RDL_EXPLORE(one_finds_it_empty)
{
    run_two(t, assert_that_it_is_empty, fill);
}

static void use_what_is_there(void *unused)
{
    volatile int *volatile at = NULL;

    (void)unused;
    pthread_mutex_lock(&lock);
    if (is_full)
        *at = 1;
    pthread_mutex_unlock(&lock);
}

RDL_EXPLORE(nobody_crashes)
{
    run_two(t, use_what_is_there, fill);
}

static void assert_empty(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    assert(!is_full);
    pthread_mutex_unlock(&lock);
}

RDL_EXPLORE(asserts_hold)
{
    run_two(t, assert_empty, fill);
}

static void spin(void *unused)
{
    bool is_done = false;

    (void)unused;
    while (!is_done) {
        pthread_mutex_lock(&lock);
        is_done = is_full;
        pthread_mutex_unlock(&lock);
        rdl_yield();
    }
}

RDL_EXPLORE(spinning_ends, .points_max = 2000)
{
    run_two(t, spin, spin);
}

RDL_EXPLORE(no_thread_is_left_over)
{
    reset();
    pthread_mutex_lock(&lock);
    (void)rdl_spawn(t, "forgotten", lock_in_order, NULL);
}

/* ---- Many of them ---- */

struct account {
    pthread_mutex_t lock;
    int sum;
};

static void add_one(void *it)
{
    struct account *account = it;
    int seen;

    pthread_mutex_lock(&account->lock);
    seen = account->sum;
    pthread_mutex_unlock(&account->lock);
    pthread_mutex_lock(&account->lock);
    account->sum = seen + 1;
    pthread_mutex_unlock(&account->lock);
}

RDL_EXPLORE(many_add_up)
{
    struct account *account = rdl_alloc(t, sizeof *account);
    struct rdl_thread *workers[6];

    pthread_mutex_init(&account->lock, NULL);
    for (int i = 0; i < 6; i++)
        workers[i] = rdl_spawn(t, "worker", add_one, account);
    for (int i = 0; i < 6; i++)
        rdl_join(workers[i]);
    rdl_check_eq(account->sum, 6);
}

/* Much happens between reading and writing. */
static void add_one_slowly(void *it)
{
    struct account *account = it, own = {.lock = PTHREAD_MUTEX_INITIALIZER};
    int seen;

    pthread_mutex_lock(&account->lock);
    seen = account->sum;
    pthread_mutex_unlock(&account->lock);
    for (int i = 0; i < 5000; i++) {
        pthread_mutex_lock(&own.lock);
        own.sum++;
        pthread_mutex_unlock(&own.lock);
    }
    pthread_mutex_lock(&account->lock);
    account->sum = seen + 1;
    pthread_mutex_unlock(&account->lock);
}

RDL_EXPLORE(long_ones_add_up)
{
    struct account *account = rdl_alloc(t, sizeof *account);
    struct rdl_thread *one, *two;

    pthread_mutex_init(&account->lock, NULL);
    one = rdl_spawn(t, "one", add_one_slowly, account);
    two = rdl_spawn(t, "two", add_one, account);
    rdl_join(one);
    rdl_join(two);
    rdl_check_eq(account->sum, 2);
}

RDL_EXPLORE(somebody_gets_there, .cases = 50)
{
    run_two(t, deposit_at_once, deposit_at_once);
    rdl_reachable(balance > 20);
}

static void leave_a_note(void *it)
{
    pthread_mutex_lock(&lock);
    rdl_note("%s was here", (const char *)it);
    pthread_mutex_unlock(&lock);
}

RDL_EXPLORE(notes_are_left)
{
    struct rdl_thread *one, *two;

    reset();
    rdl_note("begins");
    one = rdl_spawn(t, "one", leave_a_note, (void *)"one");
    two = rdl_spawn(t, "two", leave_a_note, (void *)"two");
    rdl_join(one);
    rdl_join(two);
    rdl_check_eq(balance, 1);
}

/* Data and schedules: two threads pay amounts into an account, large ones in two steps. */
enum { PAYMENTS_MAX = 20, LARGE = 18 };

struct payer {
    int count;
    int amounts[PAYMENTS_MAX];
};

static void pay(void *it)
{
    const struct payer *payer = it;

    for (int i = 0; i < payer->count; i++) {
        int seen;

        pthread_mutex_lock(&lock);
        seen = balance;
        if (payer->amounts[i] >= LARGE) {
            pthread_mutex_unlock(&lock);
            pthread_mutex_lock(&lock);
        }
        balance = seen + payer->amounts[i];
        pthread_mutex_unlock(&lock);
    }
}

RDL_EXPLORE(payments_add_up)
{
    struct payer *payers = rdl_alloc(t, 2 * sizeof *payers);
    struct rdl_thread *one, *two;
    int sum = 0;

    reset();
    for (int i = 0; i < 2; i++) {
        payers[i].count = (int)rdl_int(t, 0, PAYMENTS_MAX);
        for (int k = 0; k < payers[i].count; k++)
            sum += payers[i].amounts[k] = (int)rdl_int(t, 0, 100);
    }
    one = rdl_spawn(t, "one", pay, &payers[0]);
    two = rdl_spawn(t, "two", pay, &payers[1]);
    rdl_join(one);
    rdl_join(two);
    rdl_check_eq(balance, sum);
}

RDL_MAIN
