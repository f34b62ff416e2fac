/* answered.c -- a sender whose effects depend on how the wire answers, for test_components.  The
 * wire refuses every third message.  With $IGNORES the sender does not look at what it answers. */
#include <raddle.h>
#include <stdlib.h>

struct message {
    int number;
};

static int sent_so_far;

int wire_send(int number);
__attribute__((noinline)) int wire_send(int number)
{
    return ++sent_so_far % 3 == 0 ? -number : 0;
}

struct sender {
    int lost;
};

static int sender_send(struct sender *sender, int number)
{
    int status = wire_send(number);

    if (status != 0 && !getenv("IGNORES"))
        sender->lost++;
    return status != 0;
}

/* ---- The wire: all by names ------------------------------------------------------------------ */

struct wire {
    int sent;
};

static void wire_post(struct wire *s, const struct message *a, int *r)
{
    s->sent = (s->sent + 1) % 3;
    *r = s->sent == 0 ? -a->number : 0;
}

static void wire_call(struct wire *o, const struct message *a, int *r)
{
    (void)o;
    *r = wire_send(a->number);
}

static struct wire *wire_create(struct rdl_case *t, const struct wire *s)
{
    (void)s;
    sent_so_far = 0;
    return rdl_new(t, struct wire);
}

RDL_TYPES(wire, struct wire, struct wire);
RDL_OP_RETURNS(wire, send, struct message, int, .post = wire_post, .call = wire_call,
               .mocks = "wire_send", .callers = "sender");
RDL_SPEC(wire, RDL_OPS(wire, send), .create = wire_create);

/* ---- The sender ------------------------------------------------------------------------------ */

static void send_args(struct rdl_case *t, const struct sender *s, struct message *a)
{
    (void)s;
    a->number = (int)rdl_int(t, 1, 9);
}

static void send_callouts(const struct sender *s, const struct message *a)
{
    (void)s;
    rdl_callouts(rdl_call(wire, send, a->number));
}

static void send_post(struct sender *s, const struct message *a, int *r)
{
    const int *status = rdl_answered(wire, send);

    (void)a;
    *r = status && *status != 0;
    s->lost += *r;
}

static void send_call(struct sender *o, const struct message *a, int *r)
{
    *r = sender_send(o, a->number);
}

static void lost_post(struct sender *s, const struct rdl_nothing *a, int *r)
{
    (void)a;
    *r = s->lost;
}

static void lost_call(struct sender *o, const struct rdl_nothing *a, int *r)
{
    (void)a;
    *r = o->lost;
}

static struct sender *sender_create(struct rdl_case *t, const struct sender *s)
{
    (void)s;
    return rdl_new(t, struct sender);
}

RDL_TYPES(sender, struct sender, struct sender);
RDL_OP_RETURNS(sender, send, struct message, int, .args = send_args, .post = send_post,
               .callouts = send_callouts, .asks_answers = true, .call = send_call);
RDL_OP_RETURNS(sender, lost, struct rdl_nothing, int, .post = lost_post, .call = lost_call);
RDL_SPEC(sender, RDL_OPS(sender, send, lost), .create = sender_create);

RDL_TEST_MODEL(a_wire_that_plays, sender, .stand_ins = RDL_SPECS(wire));

RDL_CLUSTER(both, RDL_SPECS(sender, wire));
RDL_TEST_CLUSTER(only_specs, both);
RDL_TEST_CLUSTER(a_real_sender, both, .real = "sender");
RDL_TEST_CLUSTER(all_real, both, .real = "all");

RDL_MAIN
