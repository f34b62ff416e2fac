/* orders.c -- failing schedules that are exported as orders, for run_orders.sh. */
#include "orders.h"

#include <pthread.h>
#include <raddle.h>
#include <stdlib.h>

/* ---- A check that comes too early, in a loop ------------------------------------------------- */

static pthread_mutex_t lock;
static int seats;
static bool oversold;

static int seats_left(void)
{
    int left;

    pthread_mutex_lock(&lock);
    left = seats;
    pthread_mutex_unlock(&lock);
    return left;
}

static void take_seat(void)
{
    pthread_mutex_lock(&lock);
    seats--;
    oversold = oversold || seats < 0;
    pthread_mutex_unlock(&lock);
}

static void *sell(void *unused)
{
    (void)unused;
    for (int i = 0; i < 3; i++)
        if (seats_left() > 0)
            take_seat();
    return NULL;
}

/* Threads that have no names. */
static void sell_all(int all)
{
    pthread_t sellers[2];

    pthread_mutex_init(&lock, NULL);
    seats = all;
    oversold = false;
    for (int i = 0; i < 2; i++)
        pthread_create(&sellers[i], NULL, sell, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(sellers[i], NULL);
}

RDL_EXPLORE(seats_are_sold_once)
{
    sell_all(4);
    rdl_check(!oversold);
}

/* How many there are is data. */
RDL_EXPLORE(any_seats_are_sold_once)
{
    int all = rdl_int(t, 0, 9);

    sell_all(all);
    rdl_check(!oversold);
}

/* ---- A signal that nobody waits for yet ------------------------------------------------------ */

static pthread_cond_t told;
static bool is_told;

static void await_word(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    if (!is_told) {
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&lock);
        pthread_cond_wait(&told, &lock);
    }
    pthread_mutex_unlock(&lock);
}

static void tell(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    is_told = true;
    pthread_cond_signal(&told);
    pthread_mutex_unlock(&lock);
}

static void run_both(struct rdl_case *t, void (*run_one)(void *), void (*run_other)(void *))
{
    struct rdl_thread *one = rdl_spawn(t, "one", run_one, NULL);
    struct rdl_thread *two = rdl_spawn(t, "two", run_other, NULL);

    rdl_join(one);
    rdl_join(two);
}

RDL_EXPLORE(word_is_heard)
{
    pthread_mutex_init(&lock, NULL);
    pthread_cond_init(&told, NULL);
    is_told = false;
    run_both(t, await_word, tell);
}

/* ---- Who is told goes on at once, unless another takes its place ----------------------------- */

static int items;
static bool found_none;

static void consume(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    if (items == 0)
        pthread_cond_wait(&told, &lock);
    found_none = found_none || items == 0;
    items--;
    pthread_mutex_unlock(&lock);
}

static void produce(void *unused)
{
    (void)unused;
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        items++;
        pthread_cond_signal(&told);
        pthread_mutex_unlock(&lock);
    }
}

RDL_EXPLORE(waiters_are_told_in_turn)
{
    struct rdl_thread *producer;

    pthread_mutex_init(&lock, NULL);
    pthread_cond_init(&told, NULL);
    items = 0;
    found_none = false;
    producer = rdl_spawn(t, "producer", produce, NULL);
    run_both(t, consume, consume);
    rdl_join(producer);
    rdl_check(!found_none);
}

/* ---- Who is woken --------------------------------------------------------------------------- */

static bool is_for[2];

static void await_own(void *it)
{
    const bool *mine = it;

    pthread_mutex_lock(&lock);
    while (!*mine)
        pthread_cond_wait(&told, &lock);
    pthread_mutex_unlock(&lock);
}

static void give(void *it)
{
    bool *theirs = it;

    pthread_mutex_lock(&lock);
    *theirs = true;
    pthread_cond_signal(&told); /* who knows whom it wakes? */
    pthread_mutex_unlock(&lock);
}

RDL_EXPLORE(wake_ups_reach_whom_they_are_for)
{
    struct rdl_thread *waiters[2], *givers[2];

    pthread_mutex_init(&lock, NULL);
    pthread_cond_init(&told, NULL);
    is_for[0] = is_for[1] = false;
    waiters[0] = rdl_spawn(t, "one", await_own, &is_for[0]);
    waiters[1] = rdl_spawn(t, "two", await_own, &is_for[1]);
    rdl_until_quiet(t);
    for (int i = 1; i >= 0; i--) {
        givers[i] = rdl_spawn(t, "giver", give, &is_for[i]);
        rdl_join(givers[i]);
    }
    rdl_join(waiters[0]);
    rdl_join(waiters[1]);
}

/* ---- Who is woken, and overtaken ------------------------------------------------------------- */

static int served;

static void be_served(void *it)
{
    pthread_mutex_lock(&lock);
    while (items == 0)
        pthread_cond_wait(&told, &lock);
    items--;
    if (served == 0)
        served = *(const int *)it;
    pthread_mutex_unlock(&lock);
}

static void serve(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    items++;
    pthread_cond_signal(&told);
    pthread_mutex_unlock(&lock);
}

RDL_EXPLORE(first_come_first_served)
{
    static const int numbers[] = {1, 2};
    struct rdl_thread *first, *second, *server;

    pthread_mutex_init(&lock, NULL);
    pthread_cond_init(&told, NULL);
    items = served = 0;
    first = rdl_spawn(t, "first", be_served, (void *)&numbers[0]);
    rdl_until_quiet(t);
    server = rdl_spawn(t, "server", serve, NULL);
    second = rdl_spawn(t, "second", be_served, (void *)&numbers[1]);
    rdl_join(server);
    rdl_until_quiet(t);
    rdl_check_eq(served, 1);
    serve(NULL);
    rdl_join(first);
    rdl_join(second);
}

/* ---- A thread that never gets to run --------------------------------------------------------- */

static void set_up(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    items = 1;
    pthread_mutex_unlock(&lock);
}

static void use(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    rdl_check(items == 1);
    pthread_mutex_unlock(&lock);
}

RDL_EXPLORE(first_come)
{
    pthread_mutex_init(&lock, NULL);
    items = 0;
    run_both(t, set_up, use);
}

/* ---- Accesses -------------------------------------------------------------------------------- */

RDL_EXPLORE(counted_in_two_lines)
{
    counter = 0;
    run_both(t, count_in_two_lines, count_in_two_lines);
    rdl_check_eq(counter, 2);
}

RDL_EXPLORE(counted_in_one_line)
{
    counter = 0;
    run_both(t, count_in_one_line, count_in_one_line);
    rdl_check_eq(counter, 2);
}

/* ---- An order of a file ---------------------------------------------------------------------- */

RDL_SCHEDULE(order_of_a_file, .free_threads = true)
{
    pthread_mutex_init(&lock, NULL);
    seats = 4;
    oversold = false;
    rdl_order_from(t, getenv("ORDER"));
    sell_all(4);
    rdl_check(!oversold);
}

RDL_MAIN
