/* hold.c -- the spec of a lock that looks closely at who calls. */
#include <raddle.h>

#include "things.h"

struct held {
    bool held;
};
struct who {
    int client;
};
struct me {
    int number;
    bool holds;
};

static void number_client(struct rdl_case *t, int number, struct me *me)
{
    (void)t;
    me->number = number;
}

static void say_who(struct rdl_case *t, const struct me *me, struct who *a)
{
    (void)t;
    a->client = me->number;
}

static bool holds(const struct me *me)
{
    return me->holds;
}

static bool does_not_hold(const struct me *me)
{
    return !me->holds;
}

static void change_hands(struct me *me, const struct who *a)
{
    (void)a;
    me->holds = !me->holds;
}

static bool take_cpre(const struct held *s, const struct who *a)
{
    (void)a;
    return !s->held;
}

static void change_post(struct held *s, const struct who *a)
{
    (void)a;
    s->held = !s->held;
}

static void take_call(struct hold *h, const struct who *a)
{
    hold_take(h, a->client);
}

static void give_back_call(struct hold *h, const struct who *a)
{
    hold_give_back(h, a->client);
}

static struct hold *create(struct rdl_case *t, const struct held *s)
{
    (void)t, (void)s;
    return hold_new();
}

RDL_TYPES(hold, struct held, struct hold, struct me);
RDL_OP(hold, take, struct who, .may = does_not_hold, .client_args = say_who, .cpre = take_cpre,
       .post = change_post, .call = take_call, .returned = change_hands);
RDL_OP(hold, give_back, struct who, .may = holds, .client_args = say_who, .post = change_post,
       .call = give_back_call, .returned = change_hands, .weight = 3);
RDL_SPEC(hold, RDL_OPS(hold, take, give_back), .create = create, .destroy = hold_free,
         .client = number_client);
RDL_TEST_RESOURCE(each_client_is_one_thread, hold, .clients = 4, .concurrent = 4);
RDL_TEST_RESOURCE(each_client_is_one_free_thread, hold, .clients = 4, .concurrent = 4,
                  .free_threads = true, .cases = 100);
