/* house.c -- rooms and halls: a spec for each policy, houses with every rule. */
#include <raddle.h>

#include "things.h"

struct rooms {
    int free;
};
struct guest {
    int rooms, urgency;
};
struct party {
    int rooms; /* that it has */
};

static void two_rooms(struct rdl_case *t, struct rooms *s)
{
    (void)t;
    s->free = 2;
}

static bool is_outside(const struct party *me)
{
    return me->rooms == 0;
}

static bool is_inside(const struct party *me)
{
    return me->rooms > 0;
}

static void room_args(struct rdl_case *t, const struct rooms *s, struct guest *a)
{
    (void)s;
    a->rooms = 1;
    a->urgency = (int)rdl_int(t, 0, 2);
}

static void hall_args(struct rdl_case *t, const struct rooms *s, struct guest *a)
{
    room_args(t, s, a);
    a->rooms = 2;
}

static void leave_args(struct rdl_case *t, const struct party *me, struct guest *a)
{
    (void)t;
    a->rooms = me->rooms;
}

static bool enter_cpre(const struct rooms *s, const struct guest *a)
{
    return a->rooms <= s->free;
}

static void enter_post(struct rooms *s, const struct guest *a)
{
    s->free -= a->rooms;
}

static void leave_post(struct rooms *s, const struct guest *a)
{
    s->free += a->rooms;
}

static void enter_call(struct house *h, const struct guest *a)
{
    house_enter(h, a->rooms == 2, a->urgency);
}

static void leave_call(struct house *h, const struct guest *a)
{
    house_leave(h, a->rooms);
}

static void has_entered(struct party *me, const struct guest *a)
{
    me->rooms = a->rooms;
}

static void has_left(struct party *me, const struct guest *a)
{
    (void)a;
    me->rooms = 0;
}

static int64_t urgency_of(const struct guest *a)
{
    return a->urgency;
}

RDL_TYPES(house, struct rooms, struct house, struct party);
RDL_OP(house, room, struct guest, .may = is_outside, .args = room_args, .cpre = enter_cpre,
       .post = enter_post, .call = enter_call, .returned = has_entered, .priority = urgency_of,
       .weight = 2);
RDL_OP(house, hall, struct guest, .may = is_outside, .args = hall_args, .cpre = enter_cpre,
       .post = enter_post, .call = enter_call, .returned = has_entered, .priority = urgency_of);
RDL_OP(house, leave, struct guest, .may = is_inside, .client_args = leave_args, .post = leave_post,
       .call = leave_call, .returned = has_left, .weight = 2);

/* A policy of our own: who came last.  Who leaves does not compete. */
struct arrivals {
    int latest;
    rdl_vec(int, 16) waiting;
};
struct arrival {
    int number;
};

static void last_waiting(struct arrivals *p, struct arrival *info, const struct rdl_call *call,
                         const struct rooms *s)
{
    (void)s;
    if (call->operation->name[0] == 'l')
        return;
    info->number = ++p->latest;
    rdl_vec_push(&p->waiting, info->number);
}

static bool last_enabled(const struct arrivals *p, const struct arrival *info,
                         const struct rdl_call *call, const struct rooms *s,
                         const struct rdl_queue *q)
{
    (void)call, (void)s, (void)q;
    return info->number == 0 || p->waiting.items[p->waiting.count - 1] == info->number;
}

static void last_served(struct arrivals *p, const struct arrival *info, const struct rdl_call *call,
                        const struct rooms *s)
{
    (void)call, (void)s;
    if (info->number)
        rdl_vec_pop(&p->waiting);
}

RDL_POLICY(house, last, struct arrivals, struct arrival, .waiting = last_waiting,
           .enabled = last_enabled, .post_waiting = last_served);

/* Houses with a right and a wrong rule, and that which the spec itself is. */
#define OF_RULE(name, rule, policy_)                                                               \
    static struct house *create_##name(struct rdl_case *t, const struct rooms *s)                  \
    {                                                                                              \
        (void)t, (void)s;                                                                          \
        return house_new(rule);                                                                    \
    }                                                                                              \
    typedef rdl_state_house rdl_state_##name;                                                      \
    typedef rdl_object_house rdl_object_##name;                                                    \
    typedef rdl_client_house rdl_client_##name;                                                    \
    RDL_SPEC(name, RDL_OPS(house, room, hall, leave), .create = create_##name,                     \
             .destroy = house_free, .initial = two_rooms, .policy = policy_);                      \
    RDL_TEST_RESOURCE(name, name, .clients = 5, .phases = 15)

#define POLICY(name, right_rule, wrong_rule, policy)                                               \
    OF_RULE(name##_right, right_rule, policy);                                                     \
    OF_RULE(name##_wrong, wrong_rule, policy);                                                     \
    RDL_TEST_RESOURCE(name##_itself, name##_right, .clients = 5, .phases = 15, .reference = true)

POLICY(always, ANY, STRICTLY_FIRST, RDL_ALWAYS);
POLICY(fifo, FIRST, LAST, RDL_FIFO);
POLICY(fifo_per_op, FIRST_OF_ITS_KIND, LAST, RDL_FIFO_PER_OP);
POLICY(priority, URGENT, FIRST_OF_ITS_KIND, RDL_PRIORITY);
POLICY(over, HALLS_FIRST, ANY, rdl_over(house, hall, room));
POLICY(last, LAST, FIRST, rdl_policy(house, last));
