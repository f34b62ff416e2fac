/* pool.c -- licences that workers take and give back, and the spec of that. */
#include <pthread.h>
#include <raddle.h>
#include <stdlib.h>

struct pool {
    pthread_mutex_t lock;
    pthread_cond_t given;
    int free;
};

static struct pool *pool_new(int licences)
{
    struct pool *p = calloc(1, sizeof *p);

    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->given, NULL);
    p->free = licences;
    return p;
}

static void pool_free(struct pool *p)
{
    pthread_mutex_destroy(&p->lock);
    pthread_cond_destroy(&p->given);
    free(p);
}

/* Waits until there are n. */
static void pool_take(struct pool *p, int n)
{
    pthread_mutex_lock(&p->lock);
    while (p->free < n)
        pthread_cond_wait(&p->given, &p->lock);
    p->free -= n;
    pthread_mutex_unlock(&p->lock);
}

static void pool_give(struct pool *p, int n)
{
    pthread_mutex_lock(&p->lock);
    p->free += n;
    pthread_cond_signal(&p->given);
    pthread_mutex_unlock(&p->lock);
}

/* ---- What it should do ------------------------------------------------------------- */

enum { LICENCES = 3 };

struct licences {
    int free;
};

struct amount {
    int n;
};

static void at_the_beginning(struct rdl_case *t, struct licences *s)
{
    (void)t;
    s->free = LICENCES;
}

static bool take_cpre(const struct licences *s, const struct amount *a)
{
    return a->n <= s->free;
}

static void take_post(struct licences *s, const struct amount *a)
{
    s->free -= a->n;
}

static void give_post(struct licences *s, const struct amount *a)
{
    s->free += a->n;
}

static bool none_is_made_up(const struct licences *s)
{
    return s->free >= 0 && s->free <= LICENCES;
}

/* ---- Who calls it ------------------------------------------------------------------- */

struct worker {
    int holds;
};

static bool has_none(const struct worker *me)
{
    return me->holds == 0;
}

static bool has_some(const struct worker *me)
{
    return me->holds > 0;
}

static void some(struct rdl_case *t, const struct worker *me, struct amount *a)
{
    (void)me;
    a->n = (int)rdl_int(t, 1, LICENCES);
}

static void some_of_those(struct rdl_case *t, const struct worker *me, struct amount *a)
{
    a->n = (int)rdl_int(t, 1, me->holds);
}

static void took(struct worker *me, const struct amount *a)
{
    me->holds = a->n;
}

static void gave(struct worker *me, const struct amount *a)
{
    me->holds -= a->n;
}

/* ---- How it is called ----------------------------------------------------------------- */

static struct pool *create(struct rdl_case *t, const struct licences *s)
{
    (void)t;
    return pool_new(s->free);
}

static void take_call(struct pool *p, const struct amount *a)
{
    pool_take(p, a->n);
}

static void give_call(struct pool *p, const struct amount *a)
{
    pool_give(p, a->n);
}

#ifndef POLICY
#define POLICY RDL_ALWAYS
#endif

RDL_TYPES(pool, struct licences, struct pool, struct worker);
RDL_OP(pool, take, struct amount, .may = has_none, .client_args = some, .cpre = take_cpre,
       .post = take_post, .call = take_call, .returned = took);
RDL_OP(pool, give, struct amount, .may = has_some, .client_args = some_of_those, .post = give_post,
       .call = give_call, .returned = gave);
RDL_SPEC(pool, RDL_OPS(pool, take, give), .initial = at_the_beginning, .create = create,
         .destroy = pool_free, .invariant = none_is_made_up, .policy = POLICY);

RDL_TEST_RESOURCE(a_pool_of_licences, pool);

/* ---- The same spec, used in other ways -------------------------------------------------- */

RDL_TEST_RESOURCE(a_pool_in_threads_that_run_freely, pool, .free_threads = true, .cases = 100);

RDL_TEST_SPEC(nobody_waits_for_ever, pool, .clients = 2);

RDL_TEST_RESOURCE(the_spec_as_a_pool, pool, .reference = true, .cases = 2000);

static void take_two(void *resource)
{
    rdl_resource_call(resource, "take", &(struct amount){2}, NULL);
}

RDL_EXPLORE(two_and_two_are_more_than_there_are)
{
    struct rdl_resource *r = rdl_resource_new(rdl_spec_pool, &(struct licences){3});
    struct rdl_thread *other;

    take_two(r);
    other = rdl_spawn(t, "other", take_two, r);
    rdl_until_quiet(t);
    rdl_check(rdl_is_blocked(other));
    rdl_resource_call(r, "give", &(struct amount){2}, NULL);
    rdl_join(other);
    rdl_resource_free(r);
}

RDL_MAIN
