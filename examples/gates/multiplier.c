/* multiplier.c -- two workers that share a number: who comes first?
 *
 * One sets the multiplier, the other multiplies; each is done in a moment, so that the second is
 * hardly ever the faster one.  Here it is, in every run: the first worker is held just before it
 * sets the multiplier, until the other one has ended or waits.
 *
 * After figure 1 of "Interleaving", a framework for Java that gates come from. */
#include <pthread.h>
#include <raddle.h>
#include <semaphore.h>

/* Compile with -DPLANTED=false to be told of the bugs as if nobody knew of them. */
#ifndef PLANTED
#define PLANTED true
#endif

/* ---- The code under test ------------------------------------------------------------------- */

struct calculation {
    bool in_order; /* the second worker waits for the first: what was forgotten once */
    int multiplier, result;
    sem_t is_set;
};

static void *set_multiplier(void *it)
{
    struct calculation *c = it;

    c->multiplier = 1;
    sem_post(&c->is_set);
    return NULL;
}

static void *multiply(void *it)
{
    struct calculation *c = it;

    if (c->in_order)
        sem_wait(&c->is_set);
    c->result = c->multiplier * 10;
    return NULL;
}

static void calculate(void *it)
{
    struct calculation *c = it;
    pthread_t one, two;

    c->multiplier = -1;
    sem_init(&c->is_set, 0, 0);
    pthread_create(&one, NULL, set_multiplier, c);
    pthread_create(&two, NULL, multiply, c);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    sem_destroy(&c->is_set);
}

/* ---- The first is held --------------------------------------------------------------------- */

static void hold_the_first(struct rdl_case *t, bool in_order)
{
    struct calculation c = {.in_order = in_order};
    struct rdl_gate *gate = rdl_gate_at(t, "set_multiplier:/multiplier = 1/");
    struct rdl_thread *thread = rdl_spawn(t, "calculation", calculate, &c);

    rdl_gate_reached(gate);
    rdl_until_quiet(t); /* the other has multiplied, or waits */
    rdl_gate_open(gate);
    rdl_join(thread);
    rdl_check_eq(c.result, 10);
}

RDL_SCHEDULE(the_first_is_held)
{
    hold_the_first(t, true);
}

RDL_SCHEDULE(the_first_is_held_free, .free_threads = true)
{
    hold_the_first(t, true);
}

RDL_SCHEDULE(broken_the_first_is_held, .expect_failure = PLANTED)
{
    hold_the_first(t, false);
}

RDL_SCHEDULE(broken_the_first_is_held_free, .free_threads = true, .expect_failure = PLANTED)
{
    hold_the_first(t, false);
}

/* ---- The same in words --------------------------------------------------------------------- */

/* The paper's own: there is no such order if the second worker waits for the first. */
static void multiply_first(struct rdl_case *t)
{
    struct calculation c = {.in_order = false};

    rdl_order(t, "multiply:return -> set_multiplier:/multiplier = 1/");
    calculate(&c);
    rdl_check_eq(c.result, 10);
}

RDL_SCHEDULE(broken_multiply_first, .expect_failure = PLANTED)
{
    multiply_first(t);
}

RDL_SCHEDULE(broken_multiply_first_free, .free_threads = true, .expect_failure = PLANTED)
{
    multiply_first(t);
}

/* ---- Both orders, as far as there are ------------------------------------------------------ */

static void all_orders(struct rdl_case *t, bool in_order)
{
    struct calculation c = {.in_order = in_order};

    rdl_any_order(t, "set_multiplier:/multiplier = 1/", "multiply:/result =/");
    calculate(&c);
    rdl_check_eq(c.result, 10);
}

RDL_SCHEDULE(all_orders)
{
    all_orders(t, true);
}

RDL_SCHEDULE(all_orders_free, .free_threads = true)
{
    all_orders(t, true);
}

RDL_SCHEDULE(broken_all_orders, .expect_failure = PLANTED)
{
    all_orders(t, false);
}

RDL_SCHEDULE(broken_all_orders_free, .free_threads = true, .expect_failure = PLANTED)
{
    all_orders(t, false);
}

RDL_MAIN
