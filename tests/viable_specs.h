/* viable_specs.h -- small specs and policies of every kind, to try judges on.
 *
 * Arguments are one or two ints from 0 to 2, answers are an int, so that calls and answers
 * can be made up without knowing the spec. */
#ifndef TESTS_VIABLE_SPECS_H
#define TESTS_VIABLE_SPECS_H

#include "spec/spec.h"

struct one {
    int value;
};
struct two {
    int first, second;
};

static int64_t value_of(const struct one *a)
{
    return a->value;
}

static int64_t first_of(const struct two *a)
{
    return a->first;
}

static int64_t second_of(const struct two *a)
{
    return a->second;
}

/* ---- A counter from 0 to 2 ---- */

struct count {
    int value;
};
RDL_TYPES(counter, struct count, int);

static bool up_cpre(const struct count *s, const struct rdl_nothing *a)
{
    (void)a;
    return s->value < 2;
}
static void up_post(struct count *s, const struct rdl_nothing *a)
{
    (void)a;
    s->value++;
}
static bool down_cpre(const struct count *s, const struct rdl_nothing *a)
{
    (void)a;
    return s->value > 0;
}
static void down_post(struct count *s, const struct rdl_nothing *a, int *r)
{
    (void)a;
    *r = s->value--;
}
static void get_post(struct count *s, const struct rdl_nothing *a, int *r)
{
    (void)a;
    *r = s->value;
}
RDL_OP(counter, up, struct rdl_nothing, .cpre = up_cpre, .post = up_post);
RDL_OP_RETURNS(counter, down, struct rdl_nothing, int, .cpre = down_cpre, .post = down_post);
RDL_OP_RETURNS(counter, get, struct rdl_nothing, int, .post = get_post);
RDL_SPEC(counter, RDL_OPS(counter, up, down, get));

/* ---- A queue of two ---- */

struct items {
    int count, value[2];
};
RDL_TYPES(queue, struct items, int);

static bool put_cpre(const struct items *s, const struct one *a)
{
    (void)a;
    return s->count < 2;
}
static void put_post(struct items *s, const struct one *a)
{
    s->value[s->count++] = a->value;
}
static bool take_cpre(const struct items *s, const struct rdl_nothing *a)
{
    (void)a;
    return s->count > 0;
}
static void take_post(struct items *s, const struct rdl_nothing *a, int *r)
{
    (void)a;
    *r = s->value[0];
    s->value[0] = s->value[1];
    s->value[1] = 0;
    s->count--;
}
RDL_OP(queue, put, struct one, .cpre = put_cpre, .post = put_post, .group = value_of,
       .priority = value_of);
RDL_OP_RETURNS(queue, take, struct rdl_nothing, int, .cpre = take_cpre, .post = take_post);
RDL_SPEC(queue, RDL_OPS(queue, put, take));

/* ---- A register that can be compared and set ---- */

RDL_TYPES(cell, struct count, int);

static void write_post(struct count *s, const struct one *a)
{
    s->value = a->value;
}
static void read_post(struct count *s, const struct rdl_nothing *a, int *r)
{
    (void)a;
    *r = s->value;
}
static void swap_post(struct count *s, const struct two *a, int *r)
{
    *r = s->value == a->first;
    if (*r)
        s->value = a->second;
}
RDL_OP(cell, write, struct one, .post = write_post, .priority = value_of);
RDL_OP_RETURNS(cell, read, struct rdl_nothing, int, .post = read_post);
RDL_OP_RETURNS(cell, swap, struct two, int, .post = swap_post, .priority = first_of,
               .group = second_of);
RDL_SPEC(cell, RDL_OPS(cell, write, read, swap));

/* ---- A lock ---- */

RDL_TYPES(lock, struct count, int);

static bool acquire_cpre(const struct count *s, const struct rdl_nothing *a)
{
    (void)a;
    return s->value == 0;
}
static void acquire_post(struct count *s, const struct rdl_nothing *a)
{
    (void)a;
    s->value = 1;
}
static bool release_cpre(const struct count *s, const struct rdl_nothing *a)
{
    (void)a;
    return s->value == 1;
}
static void release_post(struct count *s, const struct rdl_nothing *a)
{
    (void)a;
    s->value = 0;
}
static void try_post(struct count *s, const struct rdl_nothing *a, int *r)
{
    (void)a;
    *r = s->value == 0;
    s->value = 1;
}
RDL_OP(lock, acquire, struct rdl_nothing, .cpre = acquire_cpre, .post = acquire_post);
RDL_OP(lock, release, struct rdl_nothing, .cpre = release_cpre, .post = release_post);
RDL_OP_RETURNS(lock, try, struct rdl_nothing, int, .post = try_post);
RDL_SPEC(lock, RDL_OPS(lock, acquire, release, try));

/* ---- Readers and writers, with `enabled` of their own ---- */

struct inside {
    int readers, writers;
};
RDL_TYPES(rw, struct inside, int);

static bool read_cpre(const struct inside *s, const struct rdl_nothing *a)
{
    (void)a;
    return s->writers == 0;
}
static bool read_enabled(const struct inside *s, const struct rdl_nothing *a,
                         const struct rdl_queue *q)
{
    (void)s, (void)a;
    return rdl_waiting(q, "before_write") == 0;
}
static void read_begins(struct inside *s, const struct rdl_nothing *a)
{
    (void)a;
    s->readers++;
}
static bool after_read_cpre(const struct inside *s, const struct rdl_nothing *a)
{
    (void)a;
    return s->readers > 0;
}
static void read_ends(struct inside *s, const struct rdl_nothing *a)
{
    (void)a;
    s->readers--;
}
static bool write_cpre(const struct inside *s, const struct one *a)
{
    (void)a;
    return s->writers == 0 && s->readers == 0;
}
static bool write_enabled(const struct inside *s, const struct one *a, const struct rdl_queue *q)
{
    const struct one *other;

    (void)s;
    for (int i = 0; (other = rdl_older_args(q, "before_write", i)); i++)
        if (other->value >= a->value)
            return false;
    return rdl_older(q, "after_read") == 0;
}
static void write_begins(struct inside *s, const struct one *a)
{
    (void)a;
    s->writers = 1;
}
static bool after_write_cpre(const struct inside *s, const struct rdl_nothing *a)
{
    (void)a;
    return s->writers > 0;
}
static void write_ends(struct inside *s, const struct rdl_nothing *a)
{
    (void)a;
    s->writers = 0;
}
RDL_OP(rw, before_read, struct rdl_nothing, .cpre = read_cpre, .enabled = read_enabled,
       .post = read_begins);
RDL_OP(rw, after_read, struct rdl_nothing, .cpre = after_read_cpre, .post = read_ends);
RDL_OP(rw, before_write, struct one, .cpre = write_cpre, .enabled = write_enabled,
       .post = write_begins);
RDL_OP(rw, after_write, struct rdl_nothing, .cpre = after_write_cpre, .post = write_ends);
RDL_SPEC(rw, RDL_OPS(rw, before_read, after_read, before_write, after_write));

/* ---- Those who meet: one goes on while another waits, whoever it is ---- */

RDL_TYPES(meeting, struct count, int);

static bool meet_enabled(const struct count *s, const struct one *a, const struct rdl_queue *q)
{
    (void)a;
    return s->value % 2 == 1 || rdl_waiting(q, "meet") >= 1;
}
static void meet_post(struct count *s, const struct one *a, int *r)
{
    (void)a;
    *r = s->value % 3;
    s->value = (s->value + 1) % 6;
}
static bool leave_enabled(const struct count *s, const struct rdl_nothing *a,
                          const struct rdl_queue *q)
{
    (void)s, (void)a;
    return rdl_older(q, "meet") != 1;
}
RDL_OP_RETURNS(meeting, meet, struct one, int, .enabled = meet_enabled, .post = meet_post,
               .priority = value_of);
RDL_OP(meeting, leave, struct rdl_nothing, .enabled = leave_enabled);
RDL_SPEC(meeting, RDL_OPS(meeting, meet, leave));

/* ---- A bag: what comes out is not known, nor always what has happened ---- */

struct bag {
    int in[3];
};
RDL_TYPES(bag, struct bag, int);

static bool add_cpre(const struct bag *s, const struct one *a)
{
    return s->in[a->value] < 2;
}
static void add_post(struct bag *s, const struct one *a)
{
    s->in[a->value]++;
}
static bool draw_cpre(const struct bag *s, const struct rdl_nothing *a)
{
    (void)a;
    return s->in[0] + s->in[1] + s->in[2] > 0;
}
static bool draw_any(struct bag *s, const struct rdl_nothing *a, unsigned which, int *r)
{
    (void)a;
    *r = (int)which;
    return s->in[which]-- > 0;
}
static bool lose_any(struct bag *s, const struct rdl_nothing *a, unsigned which)
{
    (void)a;
    if (which == 3)
        return true;
    return s->in[which]-- > 0;
}
RDL_OP(bag, add, struct one, .cpre = add_cpre, .post = add_post, .group = value_of,
       .priority = value_of);
RDL_OP_RETURNS(bag, draw, struct rdl_nothing, int, .cpre = draw_cpre, .alternatives = 3,
               .post_any = draw_any);
RDL_OP(bag, lose, struct rdl_nothing, .alternatives = 4, .post_any = lose_any);
RDL_SPEC(bag, RDL_OPS(bag, add, draw, lose));

/* ---- Tickets: any number that is larger than the last one ---- */

RDL_TYPES(tickets, struct count, int);

static bool ticket_judge(struct count *s, const struct rdl_nothing *a, const int *r)
{
    int ticket = r ? *r : s->value + 1;

    (void)a;
    if (ticket <= s->value || ticket > 5)
        return false;
    s->value = ticket;
    return true;
}
static bool back_cpre(const struct count *s, const struct one *a)
{
    return s->value > a->value;
}
static void back_post(struct count *s, const struct one *a, int *r)
{
    *r = s->value > 3;
    s->value = a->value;
}
RDL_OP_RETURNS(tickets, ticket, struct rdl_nothing, int, .judge = ticket_judge);
RDL_OP_RETURNS(tickets, back, struct one, int, .cpre = back_cpre, .post = back_post,
               .group = value_of, .priority = value_of);
RDL_SPEC(tickets, RDL_OPS(tickets, ticket, back));

/* ---- Two warehouses of limited weight ---- */

struct weights {
    int of[2];
};
RDL_TYPES(houses, struct weights, int);

static bool enter_cpre(const struct weights *s, const struct two *a)
{
    return s->of[a->first % 2] + a->second + 1 <= 4;
}
static void enter_post(struct weights *s, const struct two *a)
{
    s->of[a->first % 2] += a->second + 1;
}
static bool exit_cpre(const struct weights *s, const struct two *a)
{
    return s->of[a->first % 2] >= a->second + 1;
}
static void exit_post(struct weights *s, const struct two *a)
{
    s->of[a->first % 2] -= a->second + 1;
}
static int64_t house_of(const struct two *a)
{
    return a->first % 2;
}
RDL_OP(houses, enter, struct two, .cpre = enter_cpre, .post = enter_post, .group = house_of,
       .priority = second_of);
RDL_OP(houses, leave, struct two, .cpre = exit_cpre, .post = exit_post);
RDL_SPEC(houses, RDL_OPS(houses, enter, leave));

/* ---- Who came last, by the number of the call ---- */

RDL_TYPES(names, struct count, int);

static void sign_post(struct count *s, const struct rdl_nothing *a)
{
    (void)a;
    s->value = (int)rdl_this();
}
static void signed_post(struct count *s, const struct one *a, int *r)
{
    *r = s->value % 3 == a->value;
}
RDL_OP(names, sign, struct rdl_nothing, .post = sign_post);
RDL_OP_RETURNS(names, is, struct one, int, .post = signed_post);
RDL_SPEC(names, RDL_OPS(names, sign, is));

/* ---- Policies of one's own: for any spec, since they look at no more than an int ---- */

struct pairs {
    int arrived, served, seen;
};
struct ticket {
    int number, seen;
};

static int first_int(const void *s)
{
    return *(const int *)s;
}

static void pairs_initial(void *p)
{
    ((struct pairs *)p)->served = 2;
}
static void pairs_waiting(void *p, void *info, const struct rdl_call *call, const void *s)
{
    struct pairs *pairs = p;
    struct ticket *ticket = info;

    (void)call;
    ticket->number = pairs->arrived++ % 3;
    ticket->seen = first_int(s) % 2;
}

/* One may go while another waits; then one may go alone; some have to be the oldest. */
static bool pairs_enabled(const void *p, const void *info, const struct rdl_call *call,
                          const void *s, const struct rdl_queue *q)
{
    const struct pairs *pairs = p;
    const struct ticket *ticket = info;

    (void)call, (void)s;
    if (pairs->served % 2 == 0 && rdl_waiting(q, NULL) < 1)
        return false;
    return (ticket->number + pairs->seen) % 3 != 2 || rdl_older(q, NULL) == 0;
}
static void pairs_served(void *p, const void *info, const struct rdl_call *call, const void *s)
{
    struct pairs *pairs = p;

    (void)call;
    pairs->served = (pairs->served + 1) % 4;
    pairs->seen = (first_int(s) + ((const struct ticket *)info)->seen) % 2;
}
static const struct rdl_policy pairs_policy = {.name = "pairs",
                                               .state_size = sizeof(struct pairs),
                                               .info_size = sizeof(struct ticket),
                                               .initial = pairs_initial,
                                               .waiting = pairs_waiting,
                                               .enabled = pairs_enabled,
                                               .post_waiting = pairs_served};

/* Last come, first served. */
static bool stack_enabled(const void *p, const void *info, const struct rdl_call *call,
                          const void *s, const struct rdl_queue *q)
{
    (void)p, (void)info, (void)call, (void)s;
    return rdl_older(q, NULL) == rdl_waiting(q, NULL);
}
static const struct rdl_policy stack_policy = {.name = "stack", .enabled = stack_enabled};

/* The two take turns, as in a policy for readers and writers that starves nobody: whoever
 * was not served last comes first.  It goes by who waits, in any order. */
static void turns_served(void *p, const void *info, const struct rdl_call *call, const void *s)
{
    (void)info, (void)s;
    *(int *)p = call->operation->name[0];
}
static bool turns_enabled(const void *p, const void *info, const struct rdl_call *call,
                          const void *s, const struct rdl_queue *q)
{
    int same = rdl_waiting(q, call->operation->name);

    (void)info, (void)s;
    return call->operation->name[0] != *(const int *)p || rdl_waiting(q, NULL) == same;
}
static const struct rdl_policy turns_policy = {.name = "turns",
                                               .state_size = sizeof(int),
                                               .enabled = turns_enabled,
                                               .post_waiting = turns_served,
                                               .unordered = true};

/* Arrivals both help and hinder, by how many there are of each, and a lone one by what it
 * wants; nobody asks who came first. */
static bool crowd_enabled(const void *p, const void *info, const struct rdl_call *call,
                          const void *s, const struct rdl_queue *q)
{
    int same = rdl_waiting(q, call->operation->name), all = rdl_waiting(q, NULL);
    const int *value = same == 1 ? rdl_waiting_args(q, call->operation->name, 0) : NULL;

    (void)p, (void)info;
    if (value && call->operation->args_size)
        return *value != 1 || all > 2;
    return all - same == 1 || (all + first_int(s)) % 3 != 1;
}
static const struct rdl_policy crowd_policy = {.name = "crowd", .enabled = crowd_enabled};

/* ---- One operation over another, for each spec ---- */

static const struct rdl_policy over_of[] = {
    {.name = "over", .first = "down", .second = "up", .unordered = true},
    {.name = "over", .first = "take", .second = "put", .unordered = true},
    {.name = "over", .first = "write", .second = "read", .unordered = true},
    {.name = "over", .first = "release", .second = "try", .unordered = true},
    {.name = "over", .first = "after_read", .second = "after_write", .unordered = true},
    {.name = "over", .first = "meet", .second = "leave", .unordered = true},
    {.name = "over", .first = "draw", .second = "add", .unordered = true},
    {.name = "over", .first = "back", .second = "ticket", .unordered = true},
    {.name = "over", .first = "enter", .second = "leave", .unordered = true},
    {.name = "over", .first = "is", .second = "sign", .unordered = true},
};

#endif
