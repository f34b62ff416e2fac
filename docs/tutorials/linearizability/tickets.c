/* tickets.c -- numbers, each of which is given once, and the spec of that. */
#include <raddle.h>
#include <stdatomic.h>

struct machine {
    atomic_int next;
};

static int draw_ticket(struct machine *m)
{
    int ticket = atomic_load(&m->next);

    atomic_store(&m->next, ticket + 1);
    return ticket;
}

/* ---- What it should do ------------------------------------------------------------- */

struct tickets {
    int next;
};

static void draw_post(struct tickets *s, const struct rdl_nothing *a, int *answer)
{
    (void)a;
    *answer = s->next++;
}

static void draw_call(struct machine *m, const struct rdl_nothing *a, int *answer)
{
    (void)a;
    *answer = draw_ticket(m);
}

static struct machine *create(struct rdl_case *t, const struct tickets *s)
{
    struct machine *m = rdl_new(t, struct machine);

    atomic_init(&m->next, s->next);
    return m;
}

RDL_TYPES(tickets, struct tickets, struct machine);
RDL_OP_RETURNS(tickets, draw, struct rdl_nothing, int, .post = draw_post, .call = draw_call);
RDL_SPEC(tickets, RDL_OPS(tickets, draw), .create = create);

RDL_TEST_LINEAR(no_ticket_is_given_twice, tickets, .clients = 2);

RDL_MAIN
